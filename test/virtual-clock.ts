// Time that passes only when a test says so: sleepers wake in order, and nobody waits for real.

import type { Clock } from '../src/world/clock.ts'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

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

  /** Lets time pass, up to a moment that is so many milliseconds ahead; wakes whoever it passes. */
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

  /** How many wait. */
  get waiting(): number {
    return this.#sleepers.length
  }
}

/** Lets everything happen that needs no time. */
export const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
