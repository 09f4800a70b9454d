// The injected time that worlds read, and that can be shifted, frozen and waited for. The only reader of `Date` and timers
// below HTTP.

import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import type { Leaving } from '../kernel/http.ts'
import { parseSpan } from '../kernel/units.ts'
import type { PortableCourse } from './changes.ts'

export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** Waits; ends early, without rejecting, when the signal aborts. */
  sleep(milliseconds: number, signal?: Leaving): Promise<void>
  /** Waits without keeping the process alive. Default: `sleep`. */
  doze?(milliseconds: number): Promise<void>
  /** Whether its time differs from real time; replies then contain its time. */
  readonly adjusted?: boolean
}

export const realClock: Clock = {
  // Looked up at each call: a test of the host may have replaced it.
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
  doze: milliseconds => new Promise(resolve => void setTimeout(resolve, milliseconds).unref()),
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

/**
 * Returns a function that runs work when it has its turn, and says whether it does: it refuses work while `most` pieces wait or run.
 *
 * @param fail gets the error of a piece
 * @param turn resolves when a piece may begin; default: after other pending work
 */
export function createAside(
  most: number,
  fail: (error: unknown) => void,
  turn: () => Promise<void> = breathe,
): (work: () => Promise<unknown>) => boolean {
  let pieces = 0
  return work => {
    if (pieces >= most) return false
    pieces += 1
    turn()
      .then(work)
      .catch(fail)
      .finally(() => (pieces -= 1))
    return true
  }
}

/** Milliseconds that are waited for an idle process: first, and where it was busy. A look takes 0.05 ms of the processor. */
const [FIRST_PAUSE, LONG_PAUSE] = [2, 50]
/** The share of the time that work may take from a busy process. */
const SHARE = 0.01

/**
 * The turns of work that may wait: `next` resolves for one caller after the other, when the process is idle. In a busy one it resolves
 * as seldom as keeps the work to 1 % of the time.
 *
 * @param cost the milliseconds that a turn takes; `spend` adds more
 * @param done counts what the process does: it is idle where that stays the same
 */
export function createIdleTurns(clock: Pick<Clock, 'sleep' | 'doze'>, cost: number, done: () => number) {
  let last = Promise.resolve()
  /** The milliseconds until there was enough time for the work up to now. */
  let rest = 0
  const spend = (milliseconds: number): void => {
    rest += milliseconds / SHARE
  }
  const wait = async (): Promise<void> => {
    for (let [pause, isIdle] = [FIRST_PAUSE, false]; !isIdle; pause = Math.min(rest, LONG_PAUSE)) {
      const before = done()
      await (clock.doze?.(pause) ?? clock.sleep(pause))
      rest = Math.max(0, rest - pause)
      isIdle = rest === 0 || done() === before
    }
    spend(cost)
  }
  return { next: () => (last = last.then(wait)), spend }
}

/**
 * A share of the time for work: `has` says whether there is some left, and `spend` takes it. After a rest, `most` milliseconds may be
 * taken at once.
 */
export function createBudget(share: number, most: number, now = monotonic) {
  let [left, since] = [most, now()]
  return {
    has(): boolean {
      const before = since
      since = now()
      left = Math.min(most, left + (since - before) * share)
      return left > 0
    },
    spend(milliseconds: number): void {
      left -= milliseconds
    },
  }
}

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

// The clock of a world: real time until it is set, shifted, frozen or accelerated. Independent of HTTP.

/** A change of a clock. Missing members follow the rules of `adjust`. */
export interface ClockChange {
  /** Milliseconds since the epoch: shows this now. */
  readonly now?: number | undefined
  /** Milliseconds: as far from real time, or from `now`; negative is the past. */
  readonly shift?: number | undefined
  /** Whether it is frozen. */
  readonly freeze?: boolean | undefined
  /** Seconds of the world in a real second. */
  readonly rate?: number | undefined
}

/** The same, as people write it: `{ now: '2030-12-06', freeze: true }`. */
export interface ClockWords {
  /** A date, a timestamp, or a signed offset from the time of the clock. */
  readonly now?: string
  /** A duration, which may have a sign. */
  readonly shift?: string
  readonly freeze?: boolean
  readonly rate?: number
}

export interface ClockState {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly real: boolean
  readonly frozen: boolean
  readonly rate: number
}

/** How a clock departs from the one below it: it showed `shown` when that one showed `since`. */
interface Course {
  readonly shown: number
  readonly since: number
  readonly rate: number
}

/** The first and the last moment whose year has four digits: dates in headers and ISO dates have no room for more. */
export const EARLIEST = -62_167_219_200_000
export const LATEST = 253_402_300_799_999

export class WorldClock implements Clock {
  /** Called with every change of its course while it is set. */
  onChange: ((after: PortableCourse | null, before: PortableCourse | null) => void) | undefined = undefined
  readonly #base: Clock
  #course: Course | undefined

  constructor(base: Clock) {
    this.#base = base
  }

  now(): number {
    return this.#course === undefined ? this.#base.now() : this.#shown(this.#course)
  }

  #shown({ shown, since, rate }: Course): number {
    return Math.min(LATEST, Math.max(EARLIEST, Math.round(shown + (this.#base.now() - since) * rate)))
  }

  /**
   * A hurried world waits a shorter real time. A frozen or slowed one waits as long as is asked for, in real time: what
   * is frozen is the date, and no client hangs on it.
   */
  sleep(milliseconds: number, signal?: Leaving): Promise<void> {
    const rate = this.#course?.rate ?? 1
    return this.#base.sleep(rate > 1 ? milliseconds / rate : milliseconds, signal)
  }

  /** Whether its time differs from real time. */
  get adjusted(): boolean {
    return this.#course !== undefined
  }

  get state(): ClockState {
    const rate = this.#course?.rate ?? 1
    return { now: this.now(), real: this.#course === undefined, frozen: rate === 0, rate }
  }

  /**
   * Continues from `now`, else from real time plus `shift`, else from its current time, at `rate` (default 1). With `freeze`
   * it stops there.
   */
  adjust({ now, shift, freeze = false, rate = 1 }: ClockChange): void {
    const since = this.#base.now()
    const from = now ?? (shift === undefined ? this.now() : since)
    this.#become({ shown: from + (shift ?? 0), since, rate: freeze ? 0 : rate })
  }

  #become(course: Course | undefined): void {
    const before = this.course
    this.#course = course
    this.onChange?.(this.course, before)
  }

  /** How it departs from the clock below it; `null` where it does not. */
  get course(): PortableCourse | null {
    return this.#course === undefined ? null : [this.#course.shown, this.#course.since, this.#course.rate]
  }

  /** Copies the course of another clock, without recording it. */
  take(course: PortableCourse | null): void {
    this.#course = course === null ? undefined : { shown: course[0], since: course[1], rate: course[2] }
  }

  /** Returns to real time. */
  restore(): void {
    this.#become(undefined)
  }

  /** Returns an independent clock with the same time and rate. */
  fork(): WorldClock {
    const copy = new WorldClock(this.#base)
    copy.#course = this.#course
    return copy
  }

  /** A clock that shows one moment, and waits as this one does: for a request that names its own time. */
  at(moment: number): Clock {
    return { now: () => moment, adjusted: true, sleep: (milliseconds, signal) => this.sleep(milliseconds, signal) }
  }
}

/**
 * Parses a change of a clock. Returns a sentence if it is invalid: `"now" must be a date, …`.
 */
export function readClockChange({ now, shift, freeze, rate }: ClockWords, clock: Clock): ClockChange | string {
  if (now === undefined && shift === undefined && freeze === undefined && rate === undefined) {
    return 'at least one of "now", "shift", "freeze" and "rate" is required'
  }
  if (freeze === true && rate !== undefined) return '"freeze" and "rate" exclude each other'
  if (rate !== undefined && !(rate > 0 && rate <= MAX_RATE)) {
    return `"rate" must be more than 0 and at most ${MAX_RATE}; "freeze" stops the clock`
  }
  const moment = now === undefined ? undefined : parseMoment(now, clock.now())
  if (now !== undefined && moment === undefined) {
    return '"now" must be a date, a timestamp or an offset with its sign: 2030-12-06, 2030-12-06T10:00:00Z, +30d or -12h'
  }
  const offset = shift === undefined ? undefined : parseShift(shift)
  if (shift !== undefined && offset === undefined) return '"shift" must be a duration: 30d, 12h or -90m'
  const change = { now: moment, shift: offset, freeze, rate }
  const shown = (moment ?? clock.now()) + (offset ?? 0)
  return shown < EARLIEST || shown > LATEST ? 'the time must be within the years 0 to 9999' : change
}

const MAX_RATE = 1_000_000

/** `30d`, `+30d` or `-12h` in milliseconds; `undefined` for anything else. */
export function parseShift(text: string): number | undefined {
  const negative = text.startsWith('-')
  const duration = parseSpan(negative || text.startsWith('+') ? text.slice(1) : text)
  return duration === undefined ? undefined : negative ? -duration : duration
}

/** A date, a timestamp, or an offset with its sign from `now`; `undefined` if it is none, or past the year 9999. */
export function parseMoment(text: string, now: number): number | undefined {
  const offset = /^[+-]/.test(text) ? parseShift(text) : undefined
  const moment = offset === undefined ? parseDate(text) : now + offset
  return moment === undefined || moment < EARLIEST || moment > LATEST ? undefined : moment
}
