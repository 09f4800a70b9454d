// The gateway behind the page, and the place in the console. One function sends a call: it adds the token and asks for it on 401,
// turns problems (RFC 9457) into `ControlError`, and tries until a lost gateway answers again. Hooks load and poll. The URL names
// the place, `#/live?world=checkout&status=5xx`: a view reads its state there and writes it back, so that every state can be
// linked and the back button works.

import { computed, signal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type {
  ClockWords,
  DescribedOperation,
  DescribedPlan,
  DescribedWorld,
  ProgramVersion,
  ShownClock,
} from '../../http/control/types.ts'
import { parseJson, stringifyJson } from '../../kernel/json.ts'
import { parsePlace, queryText, type ViewPlace, writePlace } from './place.ts'
import type { MeasuredOperations } from './replies.ts'

const current = signal<ViewPlace>(parsePlace(location.hash))
addEventListener('hashchange', () => {
  current.value = parsePlace(location.hash)
})

/** The id of the view in the URL. */
export const viewId = computed(() => current.value.view)

/** The value of a parameter of the URL; empty if it has none. Reading it in a component subscribes to it. */
export const parameter = (name: string): string => current.value.parameters[name] ?? ''

/** The world that the URL names; empty for all worlds. It is kept when the view changes. */
export const chosenWorld = computed(() => parameter('world'))
/** The world of the views that show one: the chosen one, else the default world. */
export const shownWorld = computed(() => chosenWorld.value || 'default')

/**
 * Changes parameters of the URL; the empty text or `undefined` removes one.
 *
 * @param how `push` makes an entry in the browser's history (a selection), `replace` does not (typing in a filter)
 */
export function setParameters(
  changes: Readonly<Record<string, string | undefined>>,
  how: 'push' | 'replace' = 'replace',
): void {
  const url = writePlace({ view: viewId.value, parameters: { ...current.value.parameters, ...changes } })
  if (url === location.hash) return
  history[`${how}State`](null, '', url)
  current.value = parsePlace(url)
}

/** The URL of a view with these parameters and the world that is chosen: for links. */
export const hrefOf = (view: string, parameters: Readonly<Record<string, string>> = {}): string =>
  writePlace({ view, parameters: { world: chosenWorld.value, ...parameters } })

/** The value of a parameter of the URL, and its change, for a control. */
export const inUrl = (name: string) => ({
  value: parameter(name),
  onChange: (value: string): void => setParameters({ [name]: value }),
})

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

interface CallOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON; a text is sent as it is, as YAML. */
  readonly body?: unknown
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
  const type = isText ? 'application/yaml' : 'application/json'
  const text = body === undefined ? null : isText ? body : stringifyJson(body)
  if (!quiet) underWay.value += 1
  try {
    for (;;) {
      const sent = token
      const headers = {
        accept,
        ...(text !== null && { 'content-type': type }),
        ...(sent !== '' && { authorization: `Bearer ${sent}` }),
      }
      const reply = await reach(path + queryText(query), { method, headers, body: text, signal })
      if (reply.ok) return reply
      const unworded = { detail: `the control plane answered ${reply.status}` }
      const problem: ProblemMembers = await reply.json().catch(() => unworded)
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
    throw new Error('the control plane does not answer')
  }
}

/** Calls `look` at once, after each reconnection, and at this interval, in milliseconds, while the tab is visible. */
export function usePolling(look: () => Promise<unknown>, interval?: number): void {
  const generation = epoch.value
  useEffect(() => {
    // The banner of the shell shows that the connection is lost; other failures are tried again.
    const poll = (): void => void look().catch(() => undefined)
    poll()
    const polling = interval && setInterval(() => document.hidden || poll(), interval)
    return () => clearInterval(polling)
  }, [look, interval, generation])
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
    const isLost = 'error' in outcome && connection.value === 'lost'
    if (!signal.aborted && !isLost) setState({ key, ...outcome })
  }, [key])
  usePolling(reload, every)
  useEffect(() => () => running.current.abort(), [])
  const { value, error } = state.key === key ? state : {}
  return { value, error, reload }
}

interface ReplyOptions extends Pick<CallOptions, 'query'> {
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

/** Runs the work of a form, which shows its progress and the failure of the last run. */
export function useTask() {
  const [state, setState] = useState<{ busy: boolean; error?: Error | undefined }>({ busy: false })
  /** Returns whether the work succeeded. */
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setState({ busy: true })
    const error = await work().then(
      () => undefined,
      (failure: Error) => failure,
    )
    setState({ busy: false, error })
    return error === undefined
  }
  return { ...state, run }
}

export const runningVersion = signal<ProgramVersion | undefined>(undefined)
/** The plan without weather. */
export const servedPlan = signal<DescribedPlan | undefined>(undefined)
export const knownConsumers = computed(() => servedPlan.value?.consumers ?? [])
export const servedOperations = computed(() => servedPlan.value?.operations ?? [])
export const knownWorlds = signal<readonly DescribedWorld[]>([])

/** Returns the operation of the plan with this id. */
export const servedOperation = (id: string | null): DescribedOperation | undefined =>
  servedOperations.value.find(({ operation }) => operation === id)

/** Loads the version and the plan, from which views take names. */
export async function refreshPlan(): Promise<void> {
  runningVersion.value = await call<ProgramVersion>('GET', '/version', { quiet: true })
  servedPlan.value = await call<DescribedPlan>('GET', '/plan', { quiet: true })
}

const REAL_COURSE = { real: true, frozen: false, rate: 1 }

/** The time of this machine when the worlds were loaded. */
let listedAt = 0

/** Loads the worlds. Where several processes serve, the control plane has none, and only real time is known. */
export async function refreshWorlds(): Promise<void> {
  const worlds = await call<DescribedWorld[]>('GET', '/worlds', { quiet: true }).catch(error => {
    if (!(error instanceof ControlError) || knownWorlds.value.length > 0) throw error
    return []
  })
  listedAt = Date.now()
  knownWorlds.value = worlds
}

/** The clock of the shown world; `undefined` until the worlds are known. A new world runs by real time. */
export const clock = computed<ShownClock | undefined>(() => {
  const shown = knownWorlds.value.find(({ name }) => name === shownWorld.value)
  if (listedAt === 0) return undefined
  return shown?.clock ?? { now: new Date(listedAt).toISOString(), ...REAL_COURSE }
})

/** Returns the time that the clock of the shown world shows at a real time; both in milliseconds since the epoch. */
export const worldTime = (now: number): number | undefined =>
  clock.value && Date.parse(clock.value.now) + (now - listedAt) * clock.value.rate

const SPEED_WORDS: Readonly<Record<number, string>> = {
  0: 'frozen',
  1: 'as time goes',
  60: 'a minute a second',
  3600: 'an hour a second',
  86400: 'a day a second',
}

/** Describes how fast a clock runs: `a day a second`. */
export const speedWords = (rate: number): string => SPEED_WORDS[rate] ?? `${rate} × as fast`

/**
 * Changes the clock of the shown world, which runs on as it does where the change does not say otherwise; without a change it
 * returns to real time.
 */
export async function setClock(change?: ClockWords): Promise<void> {
  const path = pathTo`/worlds/${shownWorld.value}/clock`
  const { real, frozen, rate } = clock.value ?? REAL_COURSE
  const course = real || rate === 1 ? {} : frozen ? { freeze: true } : { rate }
  const keeps = change?.freeze === undefined && change?.rate === undefined
  if (change === undefined) await call('DELETE', path)
  else await call('PUT', path, { body: { ...(keeps && course), ...change } })
  await refreshWorlds()
}

/** Follows the measurements. @param query chooses the requests, and the minutes that are measured */
export const useMeasured = (query: CallOptions['query']): LoadedData<MeasuredOperations> =>
  useReply<MeasuredOperations>('/operations', { query, every: 2500 })
