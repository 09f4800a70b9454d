// Everything that changes between two requests, in one place: collections, clock, ordinals. Knows no HTTP.

import type { Clock } from './clock.ts'
import type { Collection, CollectionOptions } from './collection.ts'
import { draw, drawUuid } from './draws.ts'
import { LivingCollection } from './living.ts'
import { adaptCollection } from './make-collection.ts'
import { WorldClock } from './world-clock.ts'

export class World {
  readonly name: string
  readonly clock: WorldClock
  readonly #seed: number
  readonly #collections: Map<string, Collection>
  readonly #ordinals: Map<string, number>
  readonly #kept = new Map<string, unknown>()

  constructor(seed: number, clock: Clock, collections: ReadonlyMap<string, Collection>, name = '') {
    this.name = name
    this.#seed = seed
    this.clock = clock instanceof WorldClock ? clock : new WorldClock(clock)
    this.#collections = new Map(collections)
    for (const collection of this.#collections.values()) collection.follow?.(this.clock)
    this.#ordinals = new Map()
  }

  /** The collection of a resource; throws for one that no resource declares. */
  collection(name: string): Collection {
    const collection = this.#collections.get(name)
    if (collection === undefined) throw new Error(`this world has no collection "${name}"`)
    return collection
  }

  /** Whether it differs from what it was made from: a record was written, or its clock set. */
  get touched(): boolean {
    if (!this.clock.state.real) return true
    for (const collection of this.#collections.values()) if (collection.touched) return true
    return false
  }

  /** The estimated bytes of the records that were written to it: those it was forked with cost nothing. */
  get bytes(): number {
    let bytes = 0
    for (const collection of this.#collections.values()) bytes += collection.bytes
    return bytes
  }

  /** Whether one of its collections keeps its records in these. */
  keeps(records: object | undefined): boolean {
    for (const one of this.#collections.values()) {
      if (one === records || (one instanceof LivingCollection && one.records === records)) return true
    }
    return false
  }

  get collections(): ReadonlyMap<string, Collection> {
    return this.#collections
  }

  /** Counts the requests of an operation: 1 for the first. */
  nextOrdinal(operation: string): number {
    const ordinal = (this.#ordinals.get(operation) ?? 0) + 1
    this.#ordinals.set(operation, ordinal)
    return ordinal
  }

  /** What a behaviour keeps about this world from one request to the next, by kind and key; made when first asked for. */
  keep<Kept>(kind: new () => Kept, key: string): Kept {
    let kept = this.#kept.get(key)
    if (!(kept instanceof kind)) {
      kept = new kind()
      this.#kept.set(key, kept)
    }
    return kept as Kept
  }

  /** All that is kept of a kind, by key. */
  *kept<Kept>(kind: new () => Kept): Iterable<[string, Kept]> {
    for (const [key, kept] of this.#kept) if (kept instanceof kind) yield [key, kept as Kept]
  }

  get ordinals(): ReadonlyMap<string, number> {
    return this.#ordinals
  }

  /** Counts on from where another world was. */
  resume(ordinals: Iterable<readonly [operation: string, ordinal: number]>): void {
    for (const [operation, ordinal] of ordinals) this.#ordinals.set(operation, ordinal)
  }

  draw(operation: string, ordinal: number, purpose: string): number {
    return draw(this.#seed, operation, ordinal, purpose)
  }

  /** A UUID of its own for each operation, ordinal and purpose. */
  drawUuid(operation: string, ordinal: number, purpose: string): string {
    return drawUuid(this.#seed, `${operation}\n${purpose}`, ordinal)
  }

  /** A world that begins with this one's records and time, and with ordinals and counters of its own. Constant time per collection. */
  fork(name = this.name): World {
    const collections = new Map([...this.#collections].map(([name, collection]) => [name, collection.fork()]))
    return new World(this.#seed, this.clock.fork(), collections, name)
  }

  /** Begins its life now: a world made from one that nobody visits would else be as old as that. */
  begin(): this {
    for (const collection of this.#collections.values()) collection.begin?.()
    return this
  }

  /** Puts the records of a resource under other options. */
  adapt(name: string, options: CollectionOptions): void {
    const before = this.collection(name)
    const after = adaptCollection(before, options)
    if (after === before) return
    after.follow?.(this.clock)
    this.#collections.set(name, after)
  }

  /** Whether some of its records go from state to state by the clock. */
  get lives(): boolean {
    for (const collection of this.#collections.values()) if (collection.follow !== undefined) return true
    return false
  }

  /** Takes over what a reload brought: new resources come with their seeds, known ones keep their records. */
  adopt(name: string, seeded: Collection): void {
    if (!this.#collections.has(name)) this.#collections.set(name, seeded.fork())
  }
}
