// The clocks: that of real time, and that of a world, which shows real time until it is set, shifted, frozen or accelerated.
// Independent of HTTP.

import type { Leaving } from '../kernel/http.ts'
import { EARLIEST, LATEST, parseMoment, parseShift } from './dates.ts'

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
export interface Course {
  readonly shown: number
  readonly since: number
  readonly rate: number
}

export class WorldClock implements Clock {
  /** Called with every change of its course while it is set. */
  onChange: ((after: Course | undefined, before: Course | undefined) => void) | undefined = undefined
  /** Called after every change of its course while it is set, also one that is not recorded. */
  onMove: (() => void) | undefined = undefined
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
    const before = this.#course
    this.#course = course
    this.onChange?.(course, before)
    this.onMove?.()
  }

  /** How it departs from the clock below it; `undefined` where it does not. */
  get course(): Course | undefined {
    return this.#course
  }

  /** Copies the course of another clock, without recording it. */
  take(course: Course | undefined): void {
    this.#course = course
    this.onMove?.()
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
