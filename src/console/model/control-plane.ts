// The client of the control plane: one function that sends a call, and hooks that load and poll. It adds the token and asks for
// it on 401, turns problems (RFC 9457) into `ControlError` and a lost connection into `Unreachable`. It then tries until the
// control plane answers.

import { signal } from '@preact/signals'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { parseJson, stringifyJson } from '../../kernel/json.ts'

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

type ProblemMembers = Readonly<Record<string, unknown>>

/** A call that the control plane refused. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  /** Stable: `invalid_request`. */
  readonly code: string
  /** The whole problem, with members such as `diagnostics`. */
  readonly problem: ProblemMembers

  constructor(status: number, problem: ProblemMembers) {
    super(String(problem.detail ?? problem.title ?? `the control plane answered ${status}`))
    this.status = status
    this.code = String(problem.code ?? '')
    this.problem = problem
  }
}

/** A call that did not reach the control plane. */
class Unreachable extends Error {
  override readonly name = 'Unreachable'
  constructor() {
    super('the control plane does not answer')
  }
}

interface CallOptions {
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
async function callExactly<T>(method: string, path: string, options?: CallOptions): Promise<T> {
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

async function readProblem(reply: Response): Promise<ProblemMembers> {
  const text = await reply.text()
  try {
    return JSON.parse(text) as ProblemMembers
  } catch {
    return { detail: text || `the control plane answered ${reply.status}` }
  }
}

/**
 * Calls `look` at once, after each reconnection, on each change of the key, and at this interval, in milliseconds, while the
 * tab is visible.
 */
export function usePolling(look: () => Promise<unknown>, interval?: number, key = ''): void {
  const generation = epoch.value
  useEffect(() => {
    // The banner of the shell shows that the connection is lost; other failures are tried again.
    const poll = (): void => void look().catch(() => undefined)
    poll()
    const timer = interval === undefined ? interval : setInterval(() => document.hidden || poll(), interval)
    return () => clearInterval(timer)
  }, [look, interval, generation, key])
}

export interface LoadedData<T> {
  /** The last value; it stays while another one is being loaded under the same key. */
  readonly value: T | undefined
  readonly error: Error | undefined
  readonly reload: () => Promise<void>
}

/**
 * Loads data for a component.
 *
 * @param key the data depends on it; another key drops the value
 * @param load is called again on each change of the key; its signal is aborted when its result is no longer needed
 * @param every milliseconds after which it is loaded again; unset: only by `reload`
 */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>, every?: number): LoadedData<T> {
  const [state, setState] = useState<{ key: string; value?: T; error?: Error }>({ key })
  const [running] = useState<{ abort?: AbortController }>({})
  const reload = useCallback(async () => {
    running.abort?.abort()
    const abort = new AbortController()
    running.abort = abort
    try {
      const value = await load(abort.signal)
      if (!abort.signal.aborted) setState({ key, value })
    } catch (error) {
      // The connection is restored automatically, and the data loaded again.
      if (!abort.signal.aborted && !(error instanceof Unreachable)) setState({ key, error: error as Error })
    }
  }, [key])
  usePolling(reload, every)
  useEffect(() => () => running.abort?.abort(), [])
  const { value, error } = state.key === key ? state : { value: undefined, error: undefined }
  return { value, error, reload }
}

interface ReplyOptions {
  readonly query?: Readonly<Record<string, string | number>>
  /** Milliseconds after which it is loaded again. */
  readonly every?: number
  /** Keeps every digit of numbers. */
  readonly exact?: boolean
}

/** Loads a reply of the control plane for a component; nothing without a path. */
export const useReply = <T>(path: string | undefined, { query = {}, every, exact }: ReplyOptions = {}): LoadedData<T> =>
  useLoaded(
    JSON.stringify([path, query]),
    async signal => {
      const options = { query, signal, quiet: every !== undefined }
      return path === undefined ? (undefined as T) : (exact ? callExactly : call)<T>('GET', path, options)
    },
    every,
  )

/** Returns the real time in milliseconds since the epoch; the component is rendered again at this interval. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), interval)
    return () => clearInterval(timer)
  }, [interval])
  return now
}

export interface Task {
  readonly busy: boolean
  /** The failure of the last run. */
  readonly error: Error | undefined
  /** Returns whether the work succeeded. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

/** Runs the work of a form, which shows its progress and its failure. */
export function useTask(): Task {
  const [state, setState] = useState<Omit<Task, 'run'>>({ busy: false, error: undefined })
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setState({ busy: true, error: undefined })
    let error: Error | undefined
    try {
      await work()
    } catch (failure) {
      error = failure as Error
    }
    setState({ busy: false, error })
    return error === undefined
  }
  return { ...state, run }
}
