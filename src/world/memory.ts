// A collection in memory: assigns ids, and finds out whether a record is missing or stale. The records are in `Rows`,
// and `RowWriter` changes them.

import type { JsonObject } from '../kernel/json.ts'
import type { Budget } from './budget.ts'
import { SLICE } from './clock.ts'
import {
  type Collection,
  type CollectionOptions,
  type Dump,
  type Entry,
  type Id,
  type Page,
  type Query,
  withId,
} from './collection.ts'
import { CollectionRecording } from './collection-recording.ts'
import { Counts } from './counts.ts'
import { drawId } from './draw-id.ts'
import {
  type CollectionEffect,
  type CollectionState,
  idOf,
  type PortableId,
  type Recorder,
  type RowBatch,
  type RowEffect,
} from './effects.ts'
import { keyOf } from './key.ts'
import { fieldIn } from './record-field.ts'
import type { RecordedPlace } from './recorded-place.ts'
import { rowEffect } from './row-change.ts'
import { RowWriter } from './row-writer.ts'
import { Rows } from './rows.ts'
import { RowsBatch } from './rows-batch.ts'
import { dumpOf, fillRows, renameRows, rowsOf } from './rows-dump.ts'
import { applyRow, becomeState, stateOf } from './rows-state.ts'

const ALL: readonly string[] = []

export class MemoryCollection implements Collection {
  readonly #rows: Rows
  readonly #counts = new Counts()
  /** The revision that it began with. */
  #born: number
  readonly #recording = new CollectionRecording()
  readonly #writer: RowWriter

  constructor(options: CollectionOptions, seeds: readonly JsonObject[] = [], budget?: Budget, from?: MemoryCollection) {
    this.#rows = from === undefined ? Rows.withIndexes(options.indexed, budget) : from.#rows.fork(from.#counts.revision)
    this.#writer = new RowWriter(options, this.#rows, this.#counts, this.#recording, this)
    if (from !== undefined) this.#counts.copy(from.#counts)
    if (seeds.length > 0) this.seed(seeds)
    this.#born = this.#counts.revision
  }

  /** Fills a new collection with its first records, a thousand in each step. */
  seed(seeds: readonly JsonObject[]): void {
    for (let from = 0; from < seeds.length; from += SLICE) {
      fillRows(this.#rows, this.#counts, this.#options, seeds.slice(from, from + SLICE))
    }
    this.#born = this.#counts.revision
  }

  get #options(): CollectionOptions {
    return this.#writer.options
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
    const text = this.#writer.textOf(record)
    this.#counts.creations = drawn?.ordinal ?? this.#counts.creations + 1
    return this.#writer.add(id, record, text, given === undefined && drawn === undefined && within.length === 0)
  }

  async replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'> {
    const old = this.#rows.get(id)
    if (old === undefined) return 'missing'
    if (revision !== undefined && revision !== old.revision) return 'stale'
    return this.#writer.replace(old, fields)
  }

  /** Like `replace`, but synchronous and without a check of memory, for changes without a request. */
  force(id: Id, fields: JsonObject): void {
    const old = this.#rows.get(id)
    if (old !== undefined) this.#writer.replace(old, fields, true)
  }

  async remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'> {
    const row = this.#rows.get(id)
    if (row === undefined) return 'missing'
    if (revision !== undefined && revision !== row.revision) return 'stale'
    this.#writer.remove(row)
    return 'removed'
  }

  async put(id: Id, fields: JsonObject): Promise<{ entry: Entry; created: boolean }> {
    const old = this.#rows.get(id)
    if (old !== undefined) return { entry: this.#writer.replace(old, fields), created: false }
    const value = this.#writer.recordOf(id, fields)
    const text = this.#writer.textOf(value)
    this.#counts.creations += 1
    return { entry: this.#writer.add(id, value, text), created: true }
  }

  async dump(): Promise<Dump> {
    return dumpOf(this.#rows, this.#counts)
  }

  async load(dump: Dump): Promise<void> {
    const options = this.#options
    const counts = new Counts()
    // No state of a record shares its revision with another, even after writes in between.
    counts.revision = this.#counts.revision
    this.#counts.revision += dump.records.length
    // Filled separately and in slices: requests see the old records meanwhile.
    const made = await rowsOf(dump, options, counts)
    const before = this.#recording.attached ? this.fork() : undefined
    this.#rows.become(made, this)
    this.#counts.copy({ ...counts, revision: this.#counts.revision })
    const present = this.#options
    if (present !== options) {
      this.#writer.options = options
      this.adapt(present)
    }
    if (before === undefined) return
    this.#recording.follow(this.#counts)
    this.#recording.tellAll(this.fork(), before)
  }

  record(recorder: Recorder | undefined, place?: RecordedPlace): void {
    this.#recording.attach(recorder, place)
    this.#recording.follow(this.#counts)
  }

  apply(effect: CollectionEffect): CollectionEffect {
    if (effect[0] === 'timer') return effect
    if (effect[0] === 'row') return this.#applyRow(effect)
    if (effect[0] === 'rows') return ['rows', effect[1].map(row => this.#applyRow(row)).reverse()]
    const before = this.fork()
    this.become(effect[1]())
    return ['all', () => before.state()]
  }

  #applyRow(effect: RowEffect): RowEffect {
    return applyRow(this.#rows, this.#counts, this.#options, effect, this.#recording)
  }

  rowAt(portable: PortableId): RowEffect {
    const id = idOf(portable)
    return rowEffect(id, this.#rows.get(id))
  }

  batch(): RowBatch | undefined {
    return RowsBatch.of(this.#rows, this.#counts, this.#options, this.#recording)
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
    this.#writer.options = options
    if (moves) renameRows(this.#rows, options)
    this.#rows.index(options.indexed)
    this.#writer.evict()
  }
}
