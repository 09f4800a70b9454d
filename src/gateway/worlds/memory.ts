// The memory of all worlds together: counts the bytes of their records, and evicts sandboxes if there are too many.

import type { Plan } from '../../plan/plan.ts'
import { Budget, heapLimit, heapUsed } from '../../world/budget.ts'
import { afterCollections } from '../../world/clock.ts'
import type { Eviction, Sandboxes } from '../../world/sandboxes.ts'
import type { World } from '../../world/world.ts'
import type { Log } from '../log.ts'

/** The default share of the heap for records; a page may contain all of them a second time. */
const SHARE = 0.4

const maxBytesOf = ({ simulation }: Plan): number => simulation.worlds.maxBytes ?? Math.floor(SHARE * heapLimit())

/** The worlds that there are. Each is counted without the records that it shares with its origin. */
interface CountedWorlds {
  readonly initial: World
  readonly permanent: readonly World[]
  readonly sandboxes: Pick<Sandboxes<{ readonly world: World }>, 'evictForMemory' | 'list' | 'shrink'>
}

export class WorldsMemory {
  readonly budget: Budget
  readonly #worlds: () => CountedWorlds

  constructor(plan: Plan, worlds: () => CountedWorlds) {
    this.#worlds = worlds
    this.budget = new Budget({
      max: maxBytesOf(plan),
      heap: heapLimit(),
      count: () => this.bytes.reduce((sum, { bytes }) => sum + bytes, 0),
      drop: writer => worlds().sandboxes.evictForMemory(writer)?.world.bytes,
    })
  }

  adopt(plan: Plan): void {
    this.budget.limit(maxBytesOf(plan))
  }

  /** The estimated bytes of all records, by the kind of world that they were written to. */
  get bytes(): readonly { readonly kind: 'seeds' | 'permanent' | 'sandbox'; readonly bytes: number }[] {
    const sum = (worlds: readonly World[]) => worlds.reduce((all, { bytes }) => all + bytes, 0)
    const { initial, permanent, sandboxes } = this.#worlds()
    return [
      { kind: 'seeds', bytes: initial.bytes },
      { kind: 'permanent', bytes: sum(permanent) },
      { kind: 'sandbox', bytes: sum(sandboxes.list().map(({ world }) => world)) },
    ]
  }

  /** Evicts a tenth of the sandboxes. Returns whether there was one. */
  relieve(): boolean {
    return this.#worlds().sandboxes.shrink() > 0
  }
}

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

/**
 * The share of the heap beyond which sandboxes are evicted: from 80 % on the engine may end a process that only collects.
 */
const STRAINED = 0.85
/** The share of the heap beyond which the engine is about to end the process. */
const EXHAUSTED = 0.91

/**
 * Watches until the answer is called.
 *
 * @param limit bytes of the heap
 * @param exhausted called when memory has run out although no sandbox is left to evict
 */
export function watchMemory(
  memory: { readonly budget: Pick<Budget, 'measured'>; relieve(): boolean },
  exhausted: () => void,
  limit = heapLimit(),
): () => void {
  let wasExhausted = false
  return afterCollections(() => {
    const used = heapUsed()
    memory.budget.measured(used)
    const isExhausted = used > STRAINED * limit && !memory.relieve() && used > EXHAUSTED * limit
    // There may be new garbage since this collection: what counts is that the next one does not help.
    if (isExhausted && wasExhausted) exhausted()
    wasExhausted = isExhausted
  })
}
