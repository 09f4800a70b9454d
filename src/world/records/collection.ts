// A collection of records in memory: assigns ids, finds out whether a record is missing or stale, counts and records each
// write, reserves memory for it, and evicts the oldest records. The records are in `Rows`. "Missing" and "stale" are values.

import type { JsonObject } from '../../kernel/json.ts'
import type { Budget } from '../budget.ts'
import { type ChangeListener, type CollectionEffect, type CollectionState, idOf, portableId } from '../changes.ts'
import type { Clock } from '../clock.ts'
import { drawId } from '../draws.ts'
import { Counts } from './counts.ts'
import { CollectionRecording, type Restore } from './row-changes.ts'
import { applyRow, becomeState, renameRows, rowsOf, stateOfRows } from './row-states.ts'
import { Rows } from './rows.ts'
import { RowsBatch } from './rows-batch.ts'
import { portableTimer, Timers } from './timers.ts'
import type { CollectionOptions, Dump, DumpedTimer, Entry, Id, Page, Query, Row } from './types.ts'
import { fieldIn, indexKeyOf, joinKey, recordText, withId } from './values.ts'

const ALL: readonly string[] = []

export class Collection {
  #options: CollectionOptions
  readonly #rows: Rows
  readonly #counts = new Counts()
  /** The revision that it began with. */
  #born: number
  /** Set where its changes are recorded. */
  #recording: CollectionRecording | undefined
  /** By their owners, a number up to which ids are taken: the search for the next one begins there. */
  readonly #passed = new Map<string, number>()
  /** Set where records go from state to state by the clock. Due edges fire in order at the next access; no timer runs. */
  #timers: Timers | undefined
  #clock: Clock | undefined

  constructor(options: CollectionOptions, seeds: readonly JsonObject[] = [], budget?: Budget, from?: Collection) {
    this.#options = options
    this.#rows = from === undefined ? new Rows(options.indexed, budget) : from.#rows.fork(from.#counts.revision)
    if (from !== undefined) this.#counts.copy(from.#counts)
    else this.#counts.next = options.first ?? 1
    if (seeds.length > 0) this.#rows.fill(rowsOf({ records: seeds }, options, this.#counts))
    this.#born = this.#counts.revision
    const timers = from === undefined ? undefined : from.#timers
    this.#timers = timers === undefined ? this.#makeTimers() : timers.fork(this)
  }

  #makeTimers(): Timers | undefined {
    const { states } = this.#options
    if (states === undefined) return undefined
    const timers = new Timers(this, states, this.#options)
    if (this.#clock !== undefined) timers.follow(this.#clock)
    return timers
  }

  /** Whether it was written to since it was made or forked. */
  get touched(): boolean {
    return this.#counts.revision !== this.#born
  }

  get size(): number {
    this.#timers?.fireDue()
    return this.#rows.size
  }

  /** The estimated bytes of the records that were written here: a fork begins with none. */
  get bytes(): number {
    return this.#rows.bytes
  }

  /** Whether some of its records go from state to state by the clock. */
  get lives(): boolean {
    return this.#timers !== undefined
  }

  // --- reading and writing ---------------------------------------------------------------------------------------------

  async list(query: Query): Promise<Page> {
    this.#timers?.fireDue()
    return this.#rows.page(query)
  }

  async read(id: Id): Promise<Entry | undefined> {
    return this.find(id)
  }

  /** As `read`, at once. */
  find(id: Id): Entry | undefined {
    this.#timers?.fireDue()
    return this.#rows.get(id)
  }

  /** As `find`, without the timers. */
  peek(id: Id): Entry | undefined {
    return this.#rows.get(id)
  }

  /** Every record, in the order of their ids. */
  entries(): Iterable<Entry> {
    return this.#rows.values()
  }

  /**
   * Stores a new record under a new id, or under the one it has where the client gives it; unless `refuse`, asked about the
   * record as it would be stored, has an answer. No id is used up then. Every write that adds to the records rejects with
   * `Full` where there is no memory for it.
   */
  async create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
  ): Promise<Entry | 'exists' | Refusal> {
    this.#timers?.fireDue()
    const { idField, assign, within = ALL } = this.#options
    const counts = this.#counts
    const given = assign === 'client' ? (fieldIn(idField, fields) as Id | undefined) : undefined
    const drawn =
      given === undefined && assign !== 'sequence'
        ? drawId(this.#options, counts.creations, fields, this.#rows)
        : undefined
    const own = given ?? drawn?.id ?? (within.length === 0 ? counts.next : this.#nextWithin(within, fields))
    const record = withId(idField, own, fields)
    const refusal = refuse?.(record)
    if (refusal !== undefined) return refusal
    const id = within.length === 0 ? own : (indexKeyOf(record, idField, within) as Id)
    if (given !== undefined && this.#rows.has(id)) return 'exists'
    const text = this.#textOf(record)
    counts.creations = drawn?.ordinal ?? counts.creations + 1
    return this.#add(id, record, text, given === undefined && drawn === undefined && within.length === 0)
  }

  /** Returns a number after those of the records with the same owners, or without some of them. */
  #nextWithin(within: readonly string[], fields: JsonObject): number | bigint {
    let heads = ['']
    for (const field of within) {
      const owner = fieldIn(field, fields)
      // A record of every owner.
      if (owner === undefined) return this.#counts.next
      heads = heads.flatMap(head => [`${head}${joinKey([owner])}/`, `${head}/`])
    }
    const own = heads[0] as string
    let last = this.#passed.get(own) ?? 0
    if (last === 0) {
      for (const { value } of heads.flatMap(head => [...this.#rows.under(head)])) {
        last = Math.max(last, Number(fieldIn(this.#options.idField, value)))
      }
    }
    while (heads.some(head => this.#rows.has(`${head}${last + 1}`))) last += 1
    this.#passed.set(own, last)
    return last + 1
  }

  /** Stores another value under an id; with `revision`, only if the record has not changed since. */
  async replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'> {
    const old = this.#current(id, revision)
    if (typeof old === 'string') return old
    const row = this.#replace(old, fields)
    this.#timers?.enter(id)
    return row
  }

  /** Like `replace`, but synchronous and without a check of memory, for changes without a request. */
  force(id: Id, fields: JsonObject): void {
    const old = this.#rows.get(id)
    if (old !== undefined) this.#replace(old, fields, true)
  }

  async remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'> {
    const row = this.#current(id, revision)
    if (typeof row === 'string') return row
    this.#counts.revision += 1
    this.#delete(row)
    this.#timers?.enter(id)
    return 'removed'
  }

  /** Returns the record to be written, unless it is gone or has changed since a revision. */
  #current(id: Id, revision: number | undefined): Row | 'missing' | 'stale' {
    this.#timers?.fireDue()
    const row = this.#rows.get(id)
    if (row === undefined) return 'missing'
    return revision !== undefined && revision !== row.revision ? 'stale' : row
  }

  /** Stores a value under an id, new or existing. */
  async put(id: Id, fields: JsonObject): Promise<{ readonly entry: Entry; readonly created: boolean }> {
    this.#timers?.fireDue()
    const old = this.#rows.get(id)
    if (old !== undefined) {
      const entry = this.#replace(old, fields)
      this.#timers?.enter(id)
      return { entry, created: false }
    }
    const value = this.#recordOf(id, fields)
    const text = this.#textOf(value)
    this.#counts.creations += 1
    return { entry: this.#add(id, value, text), created: true }
  }

  /** Returns the text of a record to be stored in place of `old`. Throws `Full` if there is no memory for it. */
  #textOf(value: JsonObject, old?: Row): string {
    const text = recordText(value)
    // A record that does not grow is stored wherever it fitted before.
    if (old === undefined || text.length > old.text.length) this.#rows.reserve(text, this)
    return text
  }

  /** Returns the record to be stored under a key. If its id is only a part of the key, the fields have it. */
  #recordOf(key: Id, fields: JsonObject): JsonObject {
    const { idField, within = ALL } = this.#options
    return within.length === 0 ? withId(idField, key, fields) : fields
  }

  /** Adds a record as the latest of those created. @param last see `Rows.put` */
  #add(id: Id, value: JsonObject, text: string, last = false): Row {
    const counts = this.#counts
    // Ids count on from the number that a record has as its id.
    counts.pass(fieldIn(this.#options.idField, value) as Id | undefined)
    const row = { id, value, text, revision: ++counts.revision, created: counts.creations }
    this.#store(row, undefined, last)
    this.#timers?.enter(id)
    return row
  }

  /** Replaces the fields of a record. @param forced without a check of memory */
  #replace(old: Row, fields: JsonObject, forced = false): Row {
    const { id, created } = old
    const value = this.#recordOf(id, fields)
    const text = forced ? recordText(value) : this.#textOf(value, old)
    const row = { id, value, text, revision: ++this.#counts.revision, created }
    this.#store(row, old)
    return row
  }

  #store(row: Row, old: Row | undefined, last = false): void {
    this.#rows.put(row, old, last)
    const evicted = this.#rows.excess(this.#options)
    if (evicted !== undefined) this.#rows.delete(evicted)
    this.#recording?.tell(row, old, this.#counts, evicted)
    // A large record may take the room of several.
    if (evicted !== undefined) this.#evict()
  }

  #delete(row: Row): void {
    this.#rows.delete(row)
    this.#recording?.tell(undefined, row, this.#counts)
  }

  /** Removes the oldest of the created records where there are too many. */
  #evict(): void {
    for (;;) {
      const oldest = this.#rows.excess(this.#options)
      if (oldest === undefined) return
      this.#delete(oldest)
    }
  }

  // --- all of it -------------------------------------------------------------------------------------------------------

  async dump(): Promise<Dump> {
    this.#timers?.fireDue()
    const { next, creations } = this.#counts
    return {
      records: this.#rows.all().map(({ value }) => value),
      created: this.#rows.created(),
      nextId: next,
      creations,
      ...(this.#timers && { timers: this.#timers.dump() }),
    }
  }

  /** Replaces its records by those of a dump. */
  async load(dump: Dump): Promise<void> {
    const before = this.#recording && this.fork()
    const counts = new Counts()
    // No state of a record shares its revision with another.
    counts.revision = this.#counts.revision
    this.#rows.fill(rowsOf(dump, this.#options, counts), this)
    this.#counts.copy(counts)
    this.#passed.clear()
    // The records and their timers are one change.
    this.#timers?.load(dump.timers)
    if (before === undefined) return
    this.#recording?.follow(this.#counts)
    this.#recording?.tellEffect(['all', this.state()], () => this.become(before.state()))
  }

  /** Returns the next timers that will fire, in their order. */
  upcoming(limit: number): readonly DumpedTimer[] {
    this.#timers?.fireDue()
    return this.#timers?.upcoming(limit) ?? []
  }

  /** Uses this clock from now on. */
  follow(clock: Clock): void {
    this.#clock = clock
    this.#timers?.follow(clock)
  }

  /** Starts the first states of its seeds now, or at a time, if it has not been used yet. */
  begin(at?: number): void {
    this.#timers?.began(at)
  }

  /** An independent copy, in constant time. */
  fork(): Collection {
    return new Collection(this.#options, [], undefined, this)
  }

  /** Puts the same records under other options: after a reload. */
  adapt(options: CollectionOptions): void {
    const moves = `${this.#options.within ?? ALL}` !== `${options.within ?? ALL}`
    this.#options = options
    if (moves) renameRows(this.#rows, options)
    this.#rows.index(options.indexed)
    this.#evict()
    if (options.states === undefined) this.#timers = undefined
    else if (this.#timers === undefined) {
      this.#timers = this.#makeTimers()
      this.#tellTimers()
    } else this.#timers.adapt(options.states, options)
  }

  // --- the changes of a log --------------------------------------------------------------------------------------------

  /** Passes every later change to a listener, under the names of a world and a collection; `undefined`: to none. */
  record(listener: ChangeListener | undefined, world = '', name = ''): void {
    const restore: Restore = (id, old, evicted, counts) => {
      if (evicted !== undefined) this.#rows.put(evicted, this.#rows.get(evicted.id))
      this.#passed.clear()
      // The record may have been evicted for itself.
      const now = this.#rows.get(id)
      if (old !== undefined) this.#rows.put(old, now)
      else if (now !== undefined) this.#rows.delete(now)
      this.#counts.copy(counts)
      this.#recording?.follow(this.#counts)
    }
    this.#recording = listener && new CollectionRecording(listener, world, name, this.#counts, restore)
    this.#tellTimers()
  }

  #tellTimers(): void {
    const timers = this.#timers
    const recording = this.#recording
    if (timers === undefined) return
    timers.tell =
      recording &&
      ((id, after, before) =>
        recording.tellEffect(
          ['timer', portableId(id), portableTimer(after)],
          () => void timers.set(id, portableTimer(before)),
        ))
  }

  /** Applies a change that another copy of the collection recorded, without recording it. */
  apply(effect: CollectionEffect): void {
    if (effect[0] === 'timer') {
      this.#timers?.set(idOf(effect[1]), effect[2])
      return
    }
    if (effect[0] === 'all') this.become(effect[1])
    else {
      for (const row of effect[0] === 'row' ? [effect] : effect[1]) {
        applyRow(this.#rows, this.#counts, this.#options, row)
      }
      this.#recording?.follow(this.#counts)
    }
  }

  /**
   * Returns a batch that takes many changes of records which another copy recorded, and stores them at once; `undefined` where
   * each must be applied. The collection must not be used otherwise until the batch is ended.
   */
  batch(): RowsBatch | undefined {
    // The keys of records do not count if ids are unique within others only; timers follow each change.
    if (this.#timers !== undefined || (this.#options.within ?? ALL).length > 0) return undefined
    return new RowsBatch(this.#rows, this.#counts, this.#recording)
  }

  /** Returns the collection as a value; with `base`, the origin of this fork, only the differences. */
  state(base?: Collection): CollectionState {
    const timers = this.#timers?.state()
    const records = stateOfRows(this.#rows, this.#counts, base === undefined ? undefined : base.#rows)
    return timers === undefined ? records : { ...records, timers }
  }

  /** Takes over a state: instead of all records if it has all, else in addition. */
  become(state: CollectionState): void {
    this.#passed.clear()
    becomeState(this.#rows, this.#counts, this.#options, state)
    this.#recording?.follow(this.#counts)
    this.#timers?.become(state.timers)
  }
}
