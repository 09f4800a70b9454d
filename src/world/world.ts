// All state that can change between two requests: collections, clock, ordinals. Independent of HTTP.

import type { Change, Counting, KeptValue, Lasting, RecordChange, Recorder, WorldEffect } from './changes.ts'
import { type Clock, WorldClock } from './clock.ts'
import { draw, drawUuid } from './draws.ts'
import { kindOfKept, LASTING } from './kept/kinds.ts'
import type { Collection } from './records/collection.ts'
import type { CollectionOptions } from './records/types.ts'

/** Watches worlds while they can be reached. Its methods must not throw. */
export interface WorldWatcher {
  /** The world can be reached from now on. */
  placed(world: World): void
  changed(world: World, collection: string, change: RecordChange): void
  /** Its clock was set. */
  moved(world: World): void
}

export class World implements Counting {
  readonly name: string
  /** The world that took its place: by a reset, or as another process has it. */
  successor: World | undefined = undefined
  /** Names the seeds that each of its collections began with, where its changes are recorded. */
  origin: Readonly<Record<string, string>> = {}
  /** Whether it is a copy of a world other than the one that all begin as. */
  copied = false
  /** When it began: milliseconds since the epoch. Recorded worlds only. */
  began = 0
  readonly clock: WorldClock
  /** By the names of their resources. */
  readonly collections: ReadonlyMap<string, Collection>
  readonly #seed: number
  readonly #collections: Map<string, Collection>
  readonly #ordinals: Map<string, number>
  readonly #kept = new Map<string, unknown>()
  #recorder: Recorder | undefined
  #watcher: WorldWatcher | undefined
  /** How many requests of each operation there were since the recorder took the counts. */
  readonly #counts = new Map<string, number>()

  constructor(seed: number, clock: Clock, collections: ReadonlyMap<string, Collection>, name = '') {
    this.name = name
    this.#seed = seed
    this.clock = clock instanceof WorldClock ? clock : new WorldClock(clock)
    this.#collections = new Map(collections)
    this.collections = this.#collections
    for (const collection of this.#collections.values()) collection.follow(this.clock)
    this.#ordinals = new Map()
  }

  /** The collection of a resource; throws for one that no resource declares. */
  collection(name: string): Collection {
    const collection = this.#collections.get(name)
    if (collection === undefined) throw new Error(`this world has no collection "${name}"`)
    return collection
  }

  /** Whether it differs from its origin: a record was written, or its clock set. */
  get touched(): boolean {
    return this.clock.adjusted || this.#some(collection => collection.touched)
  }

  /** The estimated bytes of records that were written to it, without those of its origin. */
  get bytes(): number {
    return [...this.#collections.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Whether this is one of its collections. */
  keeps(records: object | undefined): boolean {
    return this.#some(collection => collection === records)
  }

  /** Counts the requests of an operation: 1 for the first. */
  nextOrdinal(operation: string): number {
    const ordinal = (this.#ordinals.get(operation) ?? 0) + 1
    this.#ordinals.set(operation, ordinal)
    if (this.#recorder !== undefined) {
      if (this.#counts.size === 0) this.#recorder.counts(this)
      this.#counts.set(operation, (this.#counts.get(operation) ?? 0) + 1)
    }
    return ordinal
  }

  takeCounts(take: (change: Change) => void): void {
    for (const [operation, more] of this.#counts) {
      // An emptied map makes its table anew for the next request.
      this.#counts.delete(operation)
      const undo = () => this.#count(operation, -more)
      take({ world: this.name, effect: { kind: 'ordinal', operation, more }, undo })
    }
  }

  #count(operation: string, more: number): void {
    this.#ordinals.set(operation, (this.#ordinals.get(operation) ?? 0) + more)
  }

  /** Returns the state that a behaviour keeps in this world between requests, by kind and key; made on first use. */
  keep<Kept>(kind: new () => Kept, key: string): Kept {
    let kept = this.#kept.get(key)
    if (!(kept instanceof kind)) {
      kept = new kind()
      this.#kept.set(key, kept)
      if (this.#recorder !== undefined) this.#follow(key, kept)
    }
    return kept as Kept
  }

  /** Set where its changes are recorded. */
  get recorder(): Recorder | undefined {
    return this.#recorder
  }

  /** Passes every later change to a recorder; `undefined`: to none. */
  record(recorder: Recorder | undefined): void {
    this.#recorder = recorder
    this.#counts.clear()
    this.clock.onChange =
      recorder && ((course, before) => this.#tell({ kind: 'clock', course }, () => this.clock.take(before)))
    for (const [name, collection] of this.#collections) this.#listen(name, collection)
    for (const [key, kept] of this.#kept) this.#follow(key, kept)
  }

  /** Passes every later change of a record or of its clock to a watcher; `undefined`: to none. */
  watch(watcher: WorldWatcher | undefined): void {
    this.#watcher = watcher
    this.clock.onMove = watcher && (() => watcher.moved(this))
    for (const [name, collection] of this.#collections) this.#watchRecords(name, collection)
  }

  #watchRecords(name: string, collection: Collection): void {
    const watcher = this.#watcher
    collection.watcher = watcher && (change => watcher.changed(this, name, change))
  }

  #tell(effect: WorldEffect, undo: () => void, replaced?: number): void {
    this.#recorder?.record({ world: this.name, effect, replaced, undo })
  }

  #listen(name: string, records: Collection): void {
    records.listen(
      this.#recorder &&
        ((change, undo, replaced) => this.#tell({ kind: 'in', collection: name, change }, undo, replaced)),
    )
  }

  #follow(place: string, kept: unknown): void {
    const table = kindOfKept(kept)
    if (table === undefined) return
    const lasting = kept as Lasting
    lasting.onChange =
      this.#recorder &&
      ((key, value, before) =>
        this.#tell({ kind: 'kept', table, place, key, value }, () => lasting.restore(key, before)))
  }

  /**
   * Runs some work without a wait in it, and undoes its changes of records if it throws. The recorder and the watcher learn of them
   * afterwards.
   */
  atOnce<Result>(work: () => Result): Result {
    const undoings: (() => void)[] = []
    const tell: (() => void)[] = []
    const watcher = this.#watcher
    for (const [name, records] of this.#collections) {
      records.listen((change, undo, replaced) => {
        undoings.push(undo)
        tell.push(() => this.#tell({ kind: 'in', collection: name, change }, undo, replaced))
      })
      if (watcher !== undefined) records.watcher = change => tell.push(() => watcher.changed(this, name, change))
    }
    try {
      return work()
    } catch (error) {
      tell.length = 0
      for (const undo of undoings.reverse()) undo()
      throw error
    } finally {
      for (const [name, records] of this.#collections) {
        this.#listen(name, records)
        this.#watchRecords(name, records)
      }
      for (const one of tell) one()
    }
  }

  /** Applies a change that another copy of the world has made, without telling it. */
  apply(effect: WorldEffect): void {
    switch (effect.kind) {
      case 'in':
        // This configuration may not have the resource.
        this.#collections.get(effect.collection)?.apply(effect.change)
        break
      case 'kept':
        this.restoreKept(effect)
        break
      case 'clock':
        this.clock.take(effect.course)
        break
      case 'ordinal':
        this.#count(effect.operation, effect.more)
        break
      default:
        effect satisfies never
    }
  }

  /** Takes over a value of a table, without telling it. */
  restoreKept({ table, place, key, value }: KeptValue): void {
    this.keep(LASTING[table], place).restore(key, value)
  }

  /** Everything that is kept and outlasts the process. */
  *lasting(): Iterable<KeptValue> {
    for (const [place, kept] of this.#kept) {
      const table = kindOfKept(kept)
      if (table === undefined) continue
      for (const [key, value] of (kept as Lasting).dump()) yield { table, place, key, value }
    }
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

  /** Returns a different UUID for each operation, ordinal and purpose. */
  drawUuid(operation: string, ordinal: number, purpose: string): string {
    return drawUuid(this.#seed, `${operation}\n${purpose}`, ordinal)
  }

  /**
   * Returns a world with the records and the time of this one, and with new ordinals and counters. Constant time for each
   * collection.
   */
  fork(name = this.name): World {
    const collections = new Map([...this.#collections].map(([name, collection]) => [name, collection.fork()]))
    const copy = new World(this.#seed, this.clock.fork(), collections, name)
    copy.origin = this.origin
    copy.began = this.began
    copy.copied = true
    for (const [key, kept] of this.#kept) {
      const forked = (kept as Partial<Lasting>).fork?.()
      if (forked !== undefined) copy.#kept.set(key, forked)
    }
    return copy
  }

  /** Starts its timers now, because its origin may be much older. */
  begin(at?: number): this {
    for (const collection of this.#collections.values()) collection.begin(at)
    return this
  }

  /** Adapts to a reload: known resources keep their records under other options, new ones get their seeds. */
  adapt(name: string, options: CollectionOptions, seeded: Collection): void {
    if (!this.#collections.has(name)) this.replace(name, seeded.fork())
    this.collection(name).adapt(options)
  }

  /** Replaces a collection. The new one uses the clock of this world. */
  replace(name: string, collection: Collection): void {
    this.#collections.get(name)?.listen(undefined)
    collection.follow(this.clock)
    this.#collections.set(name, collection)
    if (this.#recorder !== undefined) this.#listen(name, collection)
    if (this.#watcher !== undefined) this.#watchRecords(name, collection)
  }

  /** Whether some of its records go from state to state by the clock. */
  get lives(): boolean {
    return this.#some(collection => collection.lives)
  }

  #some(test: (collection: Collection) => boolean): boolean {
    return [...this.#collections.values()].some(test)
  }
}

/** The world that has the place of a world now: another one after a reset. */
export function latestOf(world: World): World {
  let at = world
  while (at.successor !== undefined) at = at.successor
  return at
}
