// A collection in memory: assigns ids, counts writes, evicts, and records changes. The records are in `Rows`.

import type { JsonObject } from '../kernel/json.ts'
import { runThrough, type Steps } from '../kernel/steps.ts'
import type { Budget } from './budget.ts'
import { SLICE } from './clock.ts'
import type { Collection, CollectionOptions, Dump, Entry, Id, Page, Query } from './collection.ts'
import { withId } from './collection.ts'
import { CollectionRecording } from './collection-recording.ts'
import { Counts } from './counts.ts'
import { drawId } from './draw-id.ts'
import type { CollectionEffect, CollectionState, Recorder } from './effects.ts'
import { keyOf } from './key.ts'
import { fieldIn } from './record-field.ts'
import { recordText } from './record-text.ts'
import type { RecordedPlace } from './recorded-place.ts'
import type { Row } from './row-change.ts'
import { Rows } from './rows.ts'
import { dumpOf, fillRows, renameRows, rowsOf } from './rows-dump.ts'
import { applyRow, becomeState, stateOf } from './rows-state.ts'

const ALL: readonly string[] = []

export class MemoryCollection implements Collection {
  #options: CollectionOptions
  readonly #rows: Rows
  readonly #counts = new Counts()
  /** The revision that it began with. */
  #born: number
  readonly #recording = new CollectionRecording()

  constructor(options: CollectionOptions, seeds: readonly JsonObject[] = [], budget?: Budget, from?: MemoryCollection) {
    this.#options = options
    this.#rows = from === undefined ? Rows.withIndexes(options.indexed, budget) : from.#rows.fork(from.#counts.revision)
    if (from !== undefined) this.#counts.copy(from.#counts)
    if (seeds.length > 0) runThrough(this.seed(seeds))
    this.#born = this.#counts.revision
  }

  /** Fills a new collection with its first records, a thousand in each step. */
  *seed(seeds: readonly JsonObject[]): Steps<void> {
    for (let from = 0; from < seeds.length; from += SLICE) {
      fillRows(this.#rows, this.#counts, this.#options, seeds.slice(from, from + SLICE))
      yield
    }
    this.#born = this.#counts.revision
  }

  get touched(): boolean {
    return this.#counts.revision !== this.#born
  }

  get size(): number {
    return this.#rows.size
  }

  get bytes(): number {
    return this.#rows.bytes
  }

  async list(query: Query): Promise<Page> {
    return this.#rows.page(query)
  }

  async read(id: Id): Promise<Entry | undefined> {
    return this.#rows.get(id)
  }

  /** As `read`, at once. */
  peek(id: Id): Entry | undefined {
    return this.#rows.get(id)
  }

  /** Every record, in the order of their ids. */
  entries(): Iterable<Entry> {
    return this.#rows.values()
  }

  async create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
  ): Promise<Entry | 'exists' | Refusal> {
    const { idField, assign, within = ALL } = this.#options
    const given = assign === 'client' ? (fieldIn(idField, fields) as Id | undefined) : undefined
    const drawn = given === undefined ? drawId(this.#options, this.#counts.creations, fields, this.#rows) : undefined
    const own = given ?? drawn?.id ?? this.#counts.next
    const record = withId(idField, own, fields)
    const refusal = refuse?.(record)
    if (refusal !== undefined) return refusal
    const id = within.length === 0 ? own : (keyOf(record, idField, within) as Id)
    if (given !== undefined && this.#rows.has(id)) return 'exists'
    const text = this.#write(record)
    this.#counts.creations = drawn?.ordinal ?? this.#counts.creations + 1
    this.#pass(record)
    return this.#add(id, record, text, given === undefined && drawn === undefined && within.length === 0)
  }

  /** Counts on from the number that a record has as its id. */
  #pass(record: JsonObject): void {
    this.#counts.pass(fieldIn(this.#options.idField, record) as Id | undefined)
  }

  /** The record under a key. One whose id is a part of the key names itself. */
  #named(key: Id, fields: JsonObject): JsonObject {
    const { idField, within = ALL } = this.#options
    return within.length === 0 ? withId(idField, key, fields) : fields
  }

  /**
   * Adds a record as the latest of those created; the oldest of them go where there are too many; see `Rows.put` for `last`.
   */
  #add(id: Id, value: JsonObject, text: string, last = false): Row {
    const counts = this.#counts
    const row = { id, value, text, revision: ++counts.revision, created: counts.creations }
    this.#rows.put(row, undefined, last)
    this.#recording.tell(row, undefined, this.#counts)
    this.#evict()
    return row
  }

  /** The text of a record to be stored. Throws `Full` if there is no memory for it. */
  #write(value: JsonObject, old?: Row): string {
    const text = recordText(value)
    // A record that does not grow is stored wherever it fitted before.
    if (old === undefined || text.length > old.text.length) this.#rows.reserve(text, this)
    return text
  }

  #evict(): void {
    const { maxRecords, maxBytes } = this.#options
    for (;;) {
      const oldest = this.#rows.excess(maxRecords, maxBytes)
      if (oldest === undefined) return
      this.#rows.delete(oldest)
      this.#recording.tell(undefined, oldest, this.#counts)
    }
  }

  async replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'> {
    const old = this.#rows.get(id)
    if (old === undefined) return 'missing'
    if (revision !== undefined && revision !== old.revision) return 'stale'
    return this.#change(old, fields)
  }

  /** Like `replace`, but synchronous and without a check of memory, for changes without a request. */
  force(id: Id, fields: JsonObject): void {
    const old = this.#rows.get(id)
    if (old !== undefined) this.#change(old, fields, true)
  }

  #change(old: Row, fields: JsonObject, forced = false): Row {
    const { id, created } = old
    const value = this.#named(id, fields)
    const text = forced ? recordText(value) : this.#write(value, old)
    const row = { id, value, text, revision: ++this.#counts.revision, created }
    this.#rows.put(row, old)
    this.#recording.tell(row, old, this.#counts)
    this.#evict()
    return row
  }

  async remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'> {
    const row = this.#rows.get(id)
    if (row === undefined) return 'missing'
    if (revision !== undefined && revision !== row.revision) return 'stale'
    this.#counts.revision += 1
    this.#rows.delete(row)
    this.#recording.tell(undefined, row, this.#counts)
    return 'removed'
  }

  async put(id: Id, fields: JsonObject): Promise<{ entry: Entry; created: boolean }> {
    const old = this.#rows.get(id)
    if (old !== undefined) return { entry: this.#change(old, fields), created: false }
    const value = this.#named(id, fields)
    const text = this.#write(value)
    this.#counts.creations += 1
    this.#pass(value)
    return { entry: this.#add(id, value, text), created: true }
  }

  async dump(): Promise<Dump> {
    return dumpOf(this.#rows, this.#counts)
  }

  async load(dump: Dump): Promise<void> {
    const options = this.#options
    const counts = new Counts()
    // No state of a record shares its revision with another, whatever is written meanwhile.
    counts.revision = this.#counts.revision
    this.#counts.revision += dump.records.length
    // Filled separately and in slices: requests see the old records meanwhile.
    const made = await rowsOf(dump, options, counts)
    const before = this.#recording.attached ? this.fork() : undefined
    this.#rows.become(made, this)
    this.#counts.copy({ ...counts, revision: this.#counts.revision })
    const present = this.#options
    if (present !== options) {
      this.#options = options
      this.adapt(present)
    }
    if (before === undefined) return
    const after = this.fork()
    this.#recording.follow(this.#counts)
    this.#recording.tellAll(
      () => after.state(),
      () => before.state(),
    )
  }

  record(recorder: Recorder | undefined, place?: RecordedPlace): void {
    this.#recording.attach(recorder, place)
    this.#recording.follow(this.#counts)
  }

  apply(effect: CollectionEffect): CollectionEffect {
    if (effect[0] === 'timer') return effect
    if (effect[0] === 'row') {
      const inverse = applyRow(this.#rows, this.#counts, this.#options, effect)
      this.#recording.follow(this.#counts)
      return inverse
    }
    const before = this.fork()
    this.become(effect[1]())
    return ['all', () => before.state()]
  }

  state(base?: Collection): CollectionState {
    return stateOf(this.#rows, this.#counts, base instanceof MemoryCollection ? base.#rows : undefined)
  }

  /** Stores these records: instead of all others if they are complete, else in addition. */
  become(state: CollectionState): void {
    becomeState(this.#rows, this.#counts, this.#options, state)
    this.#recording.follow(this.#counts)
  }

  fork(): MemoryCollection {
    return new MemoryCollection(this.#options, [], undefined, this)
  }

  adapt(options: CollectionOptions): void {
    const moves = `${this.#options.within ?? ALL}` !== `${options.within ?? ALL}`
    this.#options = options
    if (moves) renameRows(this.#rows, options)
    this.#rows.index(options.indexed)
    this.#evict()
  }
}
