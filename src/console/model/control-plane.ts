// The client of the control plane: one function that sends a call. It adds the token and asks for it on 401, turns problems
// (RFC 9457) into `ControlError` and a lost connection into `Unreachable`. It then tries until the control plane answers.

import { signal } from '@preact/signals'
import { stringifyJson } from '../../kernel/json.ts'
import { parseJson } from '../../kernel/parse-json.ts'

export const connection = signal<'connecting' | 'connected' | 'lost'>('connecting')
/** Counts reconnections: data that depends on it is loaded again. */
export const epoch = signal(0)

/** Milliseconds between two tries: quick at first, since a restart takes a second. */
const WAITS = [300, 500, 1000, 2000, 3000]
let tries = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Tries to reconnect after a while, or at once with 0, until it succeeds. */
export function reconnect(wait = WAITS[Math.min(tries, WAITS.length - 1)]): void {
  tries = wait === 0 ? 0 : tries + 1
  clearTimeout(timer)
  // Readiness may be refused with 503 while a gateway starts or drains; any reply is enough here.
  timer = setTimeout(() => fetch('/healthz', { cache: 'no-store' }).then(markConnected, () => reconnect()), wait)
}

export function markLost(): void {
  if (connection.value !== 'lost') reconnect()
  connection.value = 'lost'
}

function markConnected(): void {
  if (connection.value === 'connected') return
  clearTimeout(timer)
  tries = 0
  if (connection.value === 'lost') epoch.value += 1
  connection.value = 'connected'
}

/** The token is kept for this tab only, and is in no URL. */
const STORED_TOKEN = 'understudy.token'
let token = sessionStorage.getItem(STORED_TOKEN) ?? ''
const callsWithoutToken: (() => void)[] = []

/** The refusal of the last token if the control plane asks for one, empty for the first; `undefined` if it does not ask. */
export const tokenQuestion = signal<string | undefined>(undefined)

export const hasToken = (): boolean => token !== ''

/** Sends the calls again that wait for a token. */
export function giveToken(given: string): void {
  token = given
  sessionStorage.setItem(STORED_TOKEN, given)
  tokenQuestion.value = undefined
  for (const resume of callsWithoutToken.splice(0)) resume()
}

/** Asks for a token and waits for it. Calls that are refused at the same time wait for the same token. */
function askForToken(refusal: string): Promise<void> {
  tokenQuestion.value = refusal
  return new Promise(resolve => callsWithoutToken.push(resolve))
}

type Problem = Readonly<Record<string, unknown>>

/** A call that the control plane refused. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  /** Stable: `invalid_request`. */
  readonly code: string
  /** The whole problem, with members such as `diagnostics`. */
  readonly problem: Problem

  constructor(status: number, problem: Problem) {
    super(String(problem.detail ?? problem.title ?? `the control plane answered ${status}`))
    this.status = status
    this.code = String(problem.code ?? '')
    this.problem = problem
  }
}

/** A call that did not reach the control plane. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  constructor() {
    super('the control plane does not answer')
  }
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON; a text is sent as it is, under `type`. */
  readonly body?: unknown
  /** The media type of a text. Default: application/yaml. */
  readonly type?: string
  readonly accept?: string
  readonly signal?: AbortSignal
  /** A call that repeats by itself shows no progress. */
  readonly quiet?: boolean
}

/** How many calls are under way that somebody waits for. */
export const underWay = signal(0)

/** Sends a call and returns the JSON of its reply; `undefined` for a reply without a body. */
export async function call<T>(method: string, path: string, options?: CallOptions): Promise<T> {
  const text = await callForText(method, path, options)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** As `call`, with every number digit for digit: a bigint or a `Decimal` where a double would change it. */
export async function callExactly<T>(method: string, path: string, options?: CallOptions): Promise<T> {
  const parsed = parseJson(await callForText(method, path, options), true)
  if ('fault' in parsed) throw new Error(`the reply ${parsed.fault}`)
  return parsed.value as T
}

/** Sends a call and returns the text of its reply. */
export const callForText = async (method: string, path: string, options?: CallOptions): Promise<string> =>
  (await callForReply(method, path, options)).text()

/** Sends a call and returns the reply, which is a success. `path` is encoded by the caller: see `pathTo`. */
export async function callForReply(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { query, body, type = 'application/yaml', accept = 'application/json', signal: abort, quiet = false } = options
  const isText = typeof body === 'string'
  const text = body === undefined ? null : isText ? body : stringifyJson(body)
  if (!quiet) underWay.value += 1
  try {
    for (;;) {
      const sent = token
      const headers = {
        accept,
        ...(text === null ? {} : { 'content-type': isText ? type : 'application/json' }),
        ...(sent === '' ? {} : { authorization: `Bearer ${sent}` }),
      }
      const reply = await reach(path + queryText(query), { method, headers, body: text, signal: abort ?? null })
      if (reply.ok) return reply
      const problem = await readProblem(reply)
      if (reply.status !== 401) throw new ControlError(reply.status, problem)
      // A call that was refused with an older token is sent again without asking.
      if (sent === token) await askForToken(sent === '' ? '' : String(problem.detail))
    }
  } finally {
    if (!quiet) underWay.value -= 1
  }
}

/** Fills in and encodes the variables of a path: pathTo`/worlds/${name}`. */
export const pathTo = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  parts.reduce((path, part, i) => path + encodeURIComponent(String(values[i - 1])) + part)

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, { ...init, cache: 'no-store', credentials: 'omit' })
    markConnected()
    return reply
  } catch (error) {
    if (init.signal?.aborted) throw error
    markLost()
    throw new Unreachable()
  }
}

function queryText(query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

async function readProblem(reply: Response): Promise<Problem> {
  const text = await reply.text()
  try {
    return JSON.parse(text) as Problem
  } catch {
    return { detail: text || `the control plane answered ${reply.status}` }
  }
}
