// The client of the control plane: one function that sends a call, and hooks that load and poll. It adds the token and asks for
// it on 401, turns problems (RFC 9457) into `ControlError` and a lost connection into `Unreachable`. It then tries until the
// control plane answers.

import { signal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { parseJson, stringifyJson } from '../../kernel/json.ts'

export const connection = signal<'connecting' | 'connected' | 'lost'>('connecting')
/** Counts reconnections: data that depends on it is loaded again. */
export const epoch = signal(0)

let timer: ReturnType<typeof setTimeout> | undefined

/** Tries after a while, in milliseconds, whether the gateway answers, until it does. */
export function reconnect(wait = 1000): void {
  clearTimeout(timer)
  // Readiness may be refused with 503 while a gateway starts or drains; any reply is enough here.
  timer = setTimeout(() => fetch('/healthz', { cache: 'no-store' }).then(markConnected, () => reconnect()), wait)
}

export function markLost(): void {
  if (connection.value !== 'lost') reconnect()
  connection.value = 'lost'
}

function markConnected(): void {
  clearTimeout(timer)
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

/** Sends the calls again that wait for a token: those that were refused at the same time wait for the same one. */
export function giveToken(given: string): void {
  token = given
  sessionStorage.setItem(STORED_TOKEN, given)
  tokenQuestion.value = undefined
  for (const resume of callsWithoutToken.splice(0)) resume()
}

type ProblemMembers = Readonly<Record<string, unknown>>

/** A call that the control plane refused. */
export class ControlError extends Error {
  readonly status: number
  /** The whole problem, with members such as `diagnostics`. Its code is stable: `invalid_request`. */
  readonly problem: ProblemMembers

  constructor(status: number, problem: ProblemMembers) {
    super(String(problem.detail ?? problem.title))
    this.status = status
    this.problem = problem
  }
}

/** A call that did not reach the control plane. */
class Unreachable extends Error {}

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

/**
 * Parses JSON with every number digit for digit: a bigint or a `Decimal` where a double would change it.
 *
 * @param what names the text in a refusal
 */
export function parseExactly<T>(text: string, what = 'the reply'): T {
  const parsed = parseJson(text, true)
  if ('fault' in parsed) throw new Error(`${what} ${parsed.fault}`)
  return parsed.value as T
}

/** Sends a call and returns the text of its reply. */
export const callForText = async (method: string, path: string, options?: CallOptions): Promise<string> =>
  (await callForReply(method, path, options)).text()

/** Sends a call and returns the reply, which is a success. `path` is encoded by the caller: see `pathTo`. */
export async function callForReply(method: string, path: string, options: CallOptions = {}): Promise<Response> {
  const { query = {}, body, accept = 'application/json', signal = null, quiet = false } = options
  const isText = typeof body === 'string'
  const type = isText ? (options.type ?? 'application/yaml') : 'application/json'
  const text = body === undefined ? null : isText ? body : stringifyJson(body)
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`
  if (!quiet) underWay.value += 1
  try {
    for (;;) {
      const sent = token
      const headers = {
        accept,
        ...(text !== null && { 'content-type': type }),
        ...(sent !== '' && { authorization: `Bearer ${sent}` }),
      }
      const reply = await reach(path + search, { method, headers, body: text, signal })
      if (reply.ok) return reply
      const problem = await readProblem(reply)
      if (reply.status !== 401) throw new ControlError(reply.status, problem)
      // A call that was refused with an older token is sent again without asking.
      if (sent !== token) continue
      tokenQuestion.value = sent === '' ? '' : String(problem.detail)
      await new Promise<void>(resolve => callsWithoutToken.push(resolve))
    }
  } finally {
    if (!quiet) underWay.value -= 1
  }
}

/** Fills in and encodes the variables of a path: pathTo`/worlds/${name}`. */
export const pathTo = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: parts }, ...values.map(encodeURIComponent))

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    const reply = await fetch(url, { ...init, cache: 'no-store', credentials: 'omit' })
    markConnected()
    return reply
  } catch (error) {
    if (init.signal?.aborted) throw error
    markLost()
    throw new Unreachable('the control plane does not answer')
  }
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
  const running = useRef(new AbortController())
  const reload = useCallback(async () => {
    running.current.abort()
    running.current = new AbortController()
    const { signal } = running.current
    const outcome = await load(signal).then(
      value => ({ value }),
      (error: Error) => ({ error }),
    )
    // The connection is restored automatically, and the data loaded again.
    const isLost = 'error' in outcome && outcome.error instanceof Unreachable
    if (!signal.aborted && !isLost) setState({ key, ...outcome })
  }, [key])
  usePolling(reload, every)
  useEffect(() => () => running.current.abort(), [])
  const { value, error } = state.key === key ? state : {}
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
      if (path === undefined) return undefined as T
      const text = await callForText('GET', path, { query, signal, quiet: every !== undefined })
      return exact ? parseExactly<T>(text) : (JSON.parse(text) as T)
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
    const error = await work().then(
      () => undefined,
      (failure: Error) => failure,
    )
    setState({ busy: false, error })
    return error === undefined
  }
  return { ...state, run }
}
