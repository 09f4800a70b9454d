// The memory of all worlds together: logs the sandboxes that are evicted for it, and watches how much is left.

import { type Budget, heapLimit, heapUsed } from '../../world/budget.ts'
import { afterCollections } from '../../world/process-watch.ts'
import type { Eviction } from '../../world/sandboxes.ts'
import type { Log } from '../log.ts'

/** Milliseconds between two lines. */
const INTERVAL = 60_000

/** Logs evictions of sandboxes, at most one line a minute: a client can cause thousands a second. */
export class EvictionLog {
  /** Counts since the start, for the metrics. */
  readonly counts: Record<Eviction, number> = { capacity: 0, idle: 0, memory: 0 }
  readonly #log: Log
  readonly #now: () => number
  #untold: Partial<Record<Eviction, number>> = {}
  #next = Number.NEGATIVE_INFINITY

  /** @param now milliseconds of real time */
  constructor(log: Log, now: () => number) {
    this.#log = log
    this.#now = now
  }

  /** Counts the eviction of a sandbox. Logs it with those that were not logged, unless a minute has not passed. */
  evicted(world: string, reason: Eviction): void {
    this.counts[reason] += 1
    const untold = this.#untold
    untold[reason] = (untold[reason] ?? 0) + 1
    const now = this.#now()
    if (now < this.#next) return
    this.#next = now + INTERVAL
    this.#untold = {}
    const sum = Object.values(untold).reduce((total, count) => total + count, 0)
    if (sum === 1) this.#log.warn({ world, reason }, 'a sandbox was evicted')
    else this.#log.warn(untold, `${sum} sandboxes were evicted since the last message of this kind`)
  }
}

// Measures the free memory after each garbage collection. Writes are refused before it runs out (see `Budget`).

/** The share of the heap beyond which sandboxes are evicted: from here on the engine may end a process that only collects. */
const STRAINED = 0.8
/** The share of the heap beyond which the engine is about to end the process. */
const EXHAUSTED = 0.91

/**
 * Watches until the answer is called.
 *
 * @param limit bytes of the heap
 * @param exhausted called when memory has run out although no sandbox is left to evict
 */
export function watchMemory(
  worlds: { readonly budget: Pick<Budget, 'measured'>; relieve(): boolean },
  exhausted: () => void,
  limit = heapLimit(),
): () => void {
  let wasExhausted = false
  return afterCollections(() => {
    const used = heapUsed()
    worlds.budget.measured(used)
    const isExhausted = used > STRAINED * limit && !worlds.relieve() && used > EXHAUSTED * limit
    // There may be new garbage since this collection: what counts is that the next one does not help.
    if (isExhausted && wasExhausted) exhausted()
    wasExhausted = isExhausted
  })
}
