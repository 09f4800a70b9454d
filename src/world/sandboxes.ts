// Worlds that are created when they are named and removed when they are unused: bounded in number and idle time.
// Unchanged ones are removed first.

import { LRUCache } from 'lru-cache'
import type { World } from './world.ts'

export interface SandboxLimits {
  readonly max: number
  /** Milliseconds without a request, by real time. */
  readonly idle: number
}

/** Why a sandbox was removed: the maximum number, its idle time, or no memory for a record. */
export const EVICTIONS = ['capacity', 'idle', 'memory'] as const
export type Eviction = (typeof EVICTIONS)[number]

/** The minimum interval between two searches for idle sandboxes, in milliseconds. */
const SWEEP = 1000

/** The maximum number of worlds of requests that are not authenticated yet. */
const MOST_PROPOSED = 100

export class Sandboxes<Held extends { readonly world: World }> {
  /** Worlds of requests that are not authenticated yet. They evict no sandbox and are not listed. */
  readonly #proposed: LRUCache<string, Held>
  /** Authenticated, and unchanged at the last check. */
  readonly #visited: LRUCache<string, Held>
  readonly #written: LRUCache<string, Held>
  readonly #max: number
  readonly #evicted: (held: Held, why: Eviction) => void
  readonly #now: () => number
  #swept: number

  /**
   * @param now milliseconds of real time
   * @param evicted is called with every sandbox that is evicted
   */
  constructor({ max, idle }: SandboxLimits, now: () => number, evicted: (held: Held, why: Eviction) => void) {
    this.#max = max
    this.#now = now
    this.#evicted = evicted
    this.#swept = now()
    const options = { ttl: idle, ttlResolution: 0, updateAgeOnGet: true, perf: { now } }
    const create = () =>
      new LRUCache<string, Held>({
        ...options,
        // `#evict` bounds both caches together: an eviction by the cache itself would not be reported.
        maxSize: Number.MAX_SAFE_INTEGER,
        sizeCalculation: () => 1,
        dispose: (held, _, reason) => {
          if (reason === 'expire') evicted(held, 'idle')
        },
      })
    this.#proposed = new LRUCache({ ...options, max: MOST_PROPOSED })
    this.#visited = create()
    this.#written = create()
  }

  /** The sandbox, and a sign of life of it. */
  get(name: string): Held | undefined {
    const held = this.#visited.get(name)
    if (held === undefined) return this.#written.get(name)
    if (held.world.touched) this.#promote(name, held)
    return held
  }

  /** A proposed sandbox that is not admitted yet. */
  proposed(name: string): Held | undefined {
    return this.#proposed.get(name)
  }

  /** Takes a sandbox that a request named which may yet be refused: see `admit`. */
  propose(name: string, held: Held): void {
    this.#proposed.set(name, held)
  }

  /** Admits a proposed sandbox after a request that named it was authenticated. Returns whether it is new. */
  admit(name: string): boolean {
    const held = this.#proposed.get(name)
    if (held === undefined) return false
    this.#proposed.delete(name)
    if (this.#visited.has(name) || this.#written.has(name)) return false
    this.#add(this.#visited, name, held)
    return true
  }

  /** The sandbox, without a sign of life of it. */
  peek(name: string): Held | undefined {
    return this.#visited.peek(name) ?? this.#written.peek(name)
  }

  /** Adds or replaces an explicitly created sandbox. */
  set(name: string, held: Held): void {
    this.#proposed.delete(name)
    this.#visited.delete(name)
    this.#add(this.#written, name, held)
  }

  /** Adds or replaces a sandbox, and evicts none for it: see `bound`. */
  restore(name: string, held: Held): void {
    this.#proposed.delete(name)
    this.#visited.delete(name)
    this.#written.set(name, held)
  }

  /** Evicts the sandboxes that are too many. */
  bound(): void {
    this.#shrinkTo(this.#max)
  }

  delete(name: string): boolean {
    return this.get(name) !== undefined && (this.#visited.delete(name) || this.#written.delete(name))
  }

  /** Lets go of those that have idled too long. */
  sweep(): void {
    this.#swept = this.#now()
    this.#visited.purgeStale()
    this.#written.purgeStale()
  }

  /** From the most recently used to the first to be evicted. */
  list(): Held[] {
    this.sweep()
    return [...this.#written.values(), ...this.#visited.values()]
  }

  /**
   * Evicts the least recently used sandbox among those with changed records.
   *
   * @param writer the collection that needs the memory: its sandbox stays
   * @returns the sandbox; `undefined` if there is none to evict
   */
  evictForMemory(writer?: object): Held | undefined {
    const [first, second] = [this.#visited, this.#written].flatMap(cache => {
      for (const [name, held] of oldestFirst(cache)) {
        if (held.world.bytes > 0 && !held.world.keeps(writer))
          return [{ cache, name, held, left: cache.getRemainingTTL(name) }]
      }
      return []
    })
    const longest = first && second && second.left < first.left ? second : first
    if (longest === undefined) return undefined
    longest.cache.delete(longest.name)
    this.#evicted(longest.held, 'memory')
    return longest.held
  }

  /** Evicts a tenth of the sandboxes, as `worlds.max` would; returns how many there were to evict. */
  shrink(): number {
    const count = Math.ceil((this.#visited.size + this.#written.size) / 10)
    for (let i = 0; i < count; i++) this.#evict('memory')
    return count
  }

  #add(to: LRUCache<string, Held>, name: string, held: Held): void {
    if (this.#now() - this.#swept >= SWEEP) this.sweep()
    if (!to.has(name)) this.#shrinkTo(this.#max - 1)
    to.set(name, held)
  }

  #shrinkTo(most: number): void {
    while (this.#visited.size + this.#written.size > most) this.#evict('capacity')
  }

  /** Evicts the least recently used one, among unchanged ones if there are any. */
  #evict(why: Eviction): void {
    for (const [name, held] of oldestFirst(this.#visited)) {
      if (!held.world.touched) break
      this.#promote(name, held)
    }
    const cache = this.#visited.size > 0 ? this.#visited : this.#written
    for (const [name, held] of oldestFirst(cache)) {
      cache.delete(name)
      this.#evicted(held, why)
      return
    }
    // Those that have idled too long are not listed.
    this.sweep()
  }

  #promote(name: string, held: Held): void {
    this.#visited.delete(name)
    this.#written.set(name, held)
  }
}

/** The sandboxes of a cache, the least recently used first. */
const oldestFirst = <Held extends object>(cache: LRUCache<string, Held>) =>
  cache.rentries() as Iterable<[name: string, Held]>
