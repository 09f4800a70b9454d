// The clocks of tests: no test waits for real time to pass.

import type { Clock } from '../src/world/clock.ts'

/** A clock that stays at `time`, which a test may set. A sleep ends at once and advances the clock. */
export class FixedClock implements Clock {
  time: number
  /** The sleeps up to now, in milliseconds. */
  readonly slept: number[] = []
  constructor(time: string | number = '2026-06-01T00:00:00Z') {
    this.time = new Date(time).getTime()
  }
  now = () => this.time
  sleep = async (milliseconds: number) => {
    this.slept.push(milliseconds)
    this.time += milliseconds
  }
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** A clock whose time passes only when a test calls `pass`, which wakes sleepers in order. */
export class VirtualClock implements Clock {
  #now: number
  #sleepers: Sleeper[] = []

  constructor(now = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const sleeper = { at: this.#now + milliseconds, wake: resolve }
      const next = this.#sleepers.findIndex(({ at }) => at > sleeper.at)
      this.#sleepers.splice(next === -1 ? this.#sleepers.length : next, 0, sleeper)
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter(one => one !== sleeper)
        resolve()
      })
    })
  }

  /** Advances the time by this many milliseconds, and wakes the sleepers in between. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds
    await settle()
    for (let first = this.#sleepers[0]; first !== undefined && first.at <= until; first = this.#sleepers[0]) {
      this.#sleepers.shift()
      this.#now = first.at
      first.wake()
      await settle()
    }
    this.#now = until
  }

  /** The number of sleepers. */
  get waiting(): number {
    return this.#sleepers.length
  }
}

/** Resolves after all pending tasks that need no time. */
export const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
