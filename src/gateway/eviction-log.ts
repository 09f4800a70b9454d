// Logs evictions of sandboxes, at most one line a minute: a client can cause thousands a second.

import { EVICTIONS, type Eviction } from '../world/sandboxes.ts'
import type { Log } from './log.ts'

/** Milliseconds between two lines. */
const INTERVAL = 60_000

export class EvictionLog {
  /** Counts since the start, for the metrics. */
  readonly counts: Record<Eviction, number> = { capacity: 0, idle: 0, memory: 0 }
  readonly #log: Log
  readonly #now: () => number
  #logged: Readonly<Record<Eviction, number>> = { ...this.counts }
  #next = Number.NEGATIVE_INFINITY

  /** @param now milliseconds of real time */
  constructor(log: Log, now: () => number) {
    this.#log = log
    this.#now = now
  }

  /** Counts the eviction of a sandbox. Logs it with those that were not logged, unless a minute has not passed. */
  evicted(world: string, reason: Eviction): void {
    this.counts[reason] += 1
    const now = this.#now()
    if (now < this.#next) return
    this.#next = now + INTERVAL
    const more = EVICTIONS.map(why => [why, this.counts[why] - this.#logged[why]] as const).filter(([, n]) => n > 0)
    const sum = more.reduce((total, [, n]) => total + n, 0)
    this.#logged = { ...this.counts }
    if (sum === 1) this.#log.warn({ world, reason }, 'a sandbox was evicted')
    else this.#log.warn(Object.fromEntries(more), `${sum} sandboxes were evicted since the last message of this kind`)
  }
}
