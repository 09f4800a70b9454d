// Worlds that come when they are named and go when they are forgotten: bounded in number, and in how long they may idle.

import { LRUCache } from 'lru-cache'
import type { World } from './world.ts'

export interface SandboxLimits {
  readonly max: number
  /** Milliseconds without a request, by real time. */
  readonly idle: number
}

/** Why a sandbox went: another needed its place, or nobody came for too long. */
export const EVICTIONS = ['capacity', 'idle'] as const
export type Eviction = (typeof EVICTIONS)[number]

/** How often, at most, all of them are looked at for those that nobody comes to any more: milliseconds. */
const SWEEP = 1000

export class Sandboxes<Held extends { readonly world: World }> {
  readonly #held: LRUCache<string, Held>
  readonly #now: () => number
  #swept: number

  /**
   * @param now milliseconds of real time
   * @param evicted told of every sandbox that went without being deleted
   */
  constructor({ max, idle }: SandboxLimits, now: () => number, evicted: (held: Held, why: Eviction) => void) {
    this.#now = now
    this.#swept = now()
    this.#held = new LRUCache({
      max,
      ttl: idle,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now },
      dispose: (held, _, reason) => {
        if (reason === 'evict') evicted(held, 'capacity')
        else if (reason === 'expire') evicted(held, 'idle')
      },
    })
  }

  /** The sandbox, and a sign of life of it. */
  get(name: string): Held | undefined {
    return this.#held.get(name)
  }

  set(name: string, held: Held): void {
    if (this.#now() - this.#swept >= SWEEP) this.sweep()
    this.#held.set(name, held)
  }

  delete(name: string): boolean {
    return this.#held.get(name) !== undefined && this.#held.delete(name)
  }

  /** Lets go of those that have idled too long. */
  sweep(): void {
    this.#swept = this.#now()
    this.#held.purgeStale()
  }

  /** From the one that was asked for last to the one that will go first. */
  list(): Held[] {
    this.sweep()
    return [...this.#held.values()]
  }
}
