// The injected time that worlds read, and that can be shifted, frozen and waited for. The only reader of `Date` and timers
// below HTTP.

import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** Waits; ends early, without rejecting, when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  /** Whether its time differs from real time; replies then contain its time. */
  readonly adjusted?: boolean
}

export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      // Node treats a time that does not fit 32 bits as none.
      const timer = setTimeout(end, Math.min(milliseconds, 2 ** 31 - 1))
      signal?.addEventListener('abort', end)
    }),
}

/** Milliseconds that only go forward: for durations, independent of the world's clock. */
export const monotonic = (): number => performance.now()

/** Calls `task` again and again until the answer is called; never keeps the process alive by itself. */
export function every(milliseconds: number, task: () => void): () => void {
  const timer = setInterval(task, milliseconds)
  timer.unref()
  return () => clearInterval(timer)
}

/** Lets other pending work run first: requests, timers, sockets. */
export const breathe = (): Promise<void> => new Promise(resolve => void setImmediate(resolve))

/** Calls a task once the promises that are settled now have been handled, before anything else has its turn. */
export const afterPromises = (task: () => void): void => process.nextTick(task)

/** Milliseconds that work in steps takes before others have their turn. */
const TURN = 10

/** Returns a function to call at each step of asynchronous work: it lets others have their turn if it is due. */
export function breatheWhenDue(): () => Promise<void> {
  let since = monotonic()
  return async () => {
    if (monotonic() - since < TURN) return
    await breathe()
    since = monotonic()
  }
}

/** How many records are worked on before others have their turn: some milliseconds. */
export const SLICE = 1000

/** The longest block of the event loop since the last call, in seconds. */
export interface LoopDelay {
  /** The median, the 99th percentile and the longest. */
  read(): { readonly half: number; readonly most: number; readonly max: number }
}

/** Milliseconds between two looks: 50 a second cost a busy process half a percent, 100 one. */
const LOOK = 20

/** Watches the event loop from now on; never keeps the process alive by itself. */
export function watchLoop(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: LOOK })
  histogram.enable()
  // Each value is the whole time between two looks, in nanoseconds.
  const seconds = (value: number): number => (Number.isFinite(value) ? Math.max(0, value / 1e9 - LOOK / 1000) : 0)
  return {
    read() {
      const { max } = histogram
      const [half, most] = [histogram.percentile(50), histogram.percentile(99)]
      const found = { half: seconds(half), most: seconds(most), max: histogram.count === 0 ? 0 : seconds(max) }
      histogram.reset()
      return found
    },
  }
}

/** Calls `task` after each full collection of garbage until the answer is called. */
export function afterCollections(task: () => void): () => void {
  const observer = new PerformanceObserver(list => {
    const full = constants.NODE_PERFORMANCE_GC_MAJOR
    const entries = list.getEntries() as readonly { readonly detail?: { readonly kind?: number } }[]
    if (entries.some(({ detail }) => detail?.kind === full)) task()
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

export const DAY = 86_400_000

/** An ISO 8601 date (`2030-12-05`: its first moment, UTC) or timestamp in milliseconds; `undefined` if it is neither. */
export function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?([Zz]|[+-]\d\d:\d\d))?$/.exec(text)
  if (match === null) return undefined
  const [, year, month, day] = match.map(Number)
  // `Date.parse` takes 30 February for 2 March.
  if (new Date(Date.UTC(year!, month! - 1, day!)).getUTCDate() !== day) return undefined
  const time = Date.parse(text.toUpperCase())
  return Number.isNaN(time) ? undefined : time
}

/** A time as OpenSSL writes it: `Dec  5 00:00:00 2030 GMT`. */
export const parseTime = (text: string): number => Date.parse(text)

/** `Thu, 05 Dec 2030 00:00:00 GMT`: an IMF-fixdate (RFC 9110 §5.6.7). */
export const httpDate = (time: number): string => new Date(time).toUTCString()

/** `2030-12-05T00:00:00.000Z`. */
export const timestamp = (time: number): string => new Date(time).toISOString()

/** `2030-12-05`, or with the time of day where it is not midnight. */
export const isoDate = (time: number): string => {
  const text = new Date(time).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('.000Z', 'Z')
}

/** A moment as the expression language has it. */
export type Moment = Date

export const momentOf = (time: number): Moment => new Date(time)

/** Milliseconds since the epoch; `undefined` for a text that is not a time. NaN for a time out of range. */
export const timeOf = (value: unknown): number | undefined => (value instanceof Date ? value.getTime() : undefined)
