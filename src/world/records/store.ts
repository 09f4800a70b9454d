// The records of a collection with their counts and timers: all that it needs to be copied, written down and read back. Tells every
// change to a listener, with a way to undo it, and applies the changes of other copies.

import type { JsonObject } from '../../kernel/json.ts'
import type { Budget } from '../budget.ts'
import type {
  CollectionChange,
  CollectionListener,
  CollectionState,
  Counters,
  RecordWatcher,
  RowChange,
} from '../changes.ts'
import type { Clock } from '../clock.ts'
import { Counts } from './counts.ts'
import { applyRow, becomeState, renameRows, rowsOf, stateOfRows } from './row-states.ts'
import { Rows } from './rows.ts'
import { RowsBatch } from './rows-batch.ts'
import { Timers } from './timers.ts'
import type { CollectionOptions, Dump, DumpedTimer, Entry, Id, Row } from './types.ts'
import { recordText, withId } from './values.ts'

export class RecordStore {
  protected options: CollectionOptions
  protected readonly rows: Rows
  protected readonly counts = new Counts()
  /** By their owners, the last id that was given: the search for the next one begins there. */
  protected readonly lastIds = new Map<string, number>()
  /** Set where records go from state to state by the clock. Due edges fire in order at the next access; no timer runs. */
  protected timers: Timers | undefined
  readonly #firstRevision: number
  #clock: Clock | undefined
  #listener: CollectionListener | undefined
  /** Is called with each record that a request or the clock writes or removes. */
  watcher: RecordWatcher | undefined
  /** The moment of the change that the clock makes now. */
  #moment: number | undefined
  /** The counts at the last change, whether it was told or applied. */
  readonly #counted = new Counts()

  /** @param from the store that this one is a copy of */
  constructor(options: CollectionOptions, seeds: readonly JsonObject[] = [], budget?: Budget, from?: RecordStore) {
    this.options = options
    this.rows = from === undefined ? new Rows(options.indexed, budget) : from.rows.fork(from.counts.revision)
    if (from !== undefined) this.counts.copy(from.counts)
    else this.counts.next = options.first ?? 1
    if (seeds.length > 0) this.rows.fill(rowsOf({ records: seeds }, options, this.counts))
    this.#firstRevision = this.counts.revision
    const timers = from === undefined ? undefined : from.timers
    this.timers = timers === undefined ? this.#makeTimers() : timers.fork(this)
  }

  #makeTimers(): Timers | undefined {
    const { states } = this.options
    if (states === undefined) return undefined
    const timers = new Timers(this, states, this.options)
    if (this.#clock !== undefined) timers.follow(this.#clock)
    return timers
  }

  /** Whether it was written to since it was made or forked. */
  get touched(): boolean {
    return this.counts.revision !== this.#firstRevision
  }

  /** The estimated bytes of the records that were written here: a fork begins with none. */
  get bytes(): number {
    return this.rows.bytes
  }

  /** Whether some of its records go from state to state by the clock. */
  get lives(): boolean {
    return this.timers !== undefined
  }

  /** The record of an id, before any timers that are due. */
  peek(id: Id): Entry | undefined {
    return this.rows.get(id)
  }

  /** Every record, in the order of their ids. */
  entries(): Iterable<Entry> {
    return this.rows.values()
  }

  /** Replaces the fields of a record at a moment of its clock, without a check of memory, for changes without a request. */
  force(id: Id, fields: JsonObject, moment: number): void {
    const old = this.rows.get(id)
    if (old === undefined) return
    const value = this.recordOf(id, fields)
    this.#moment = moment
    this.replaceRow(old, value, recordText(value))
    this.#moment = undefined
  }

  /** Returns the record to be stored under a key. If its id is only a part of the key, the fields have it. */
  protected recordOf(key: Id, fields: JsonObject): JsonObject {
    const { idField, within = [] } = this.options
    return within.length === 0 ? withId(idField, key, fields) : fields
  }

  protected replaceRow(old: Row, value: JsonObject, text: string): Row {
    const { id, created } = old
    const row = { id, value, text, revision: ++this.counts.revision, created }
    this.store(row, old)
    return row
  }

  /** Stores a record, and evicts another one where there are too many. @param last see `Rows.put` */
  protected store(row: Row, old: Row | undefined, last = false): void {
    this.rows.put(row, old, last)
    const evicted = this.rows.excess(this.options)
    if (evicted !== undefined) this.rows.delete(evicted)
    this.#tell(row, old, evicted)
    // A large record may take the room of several.
    if (evicted !== undefined) this.#evict()
  }

  protected delete(row: Row): void {
    this.rows.delete(row)
    this.#tell(undefined, row)
  }

  /** Removes the oldest of the created records where there are too many. */
  #evict(): void {
    for (;;) {
      const oldest = this.rows.excess(this.options)
      if (oldest === undefined) return
      this.delete(oldest)
    }
  }

  // --- all of it -------------------------------------------------------------------------------------------------------

  async dump(): Promise<Dump> {
    this.timers?.fireDue()
    const { next, creations } = this.counts
    return {
      records: this.rows.all().map(({ value }) => value),
      created: this.rows.created(),
      nextId: next,
      creations,
      ...(this.timers && { timers: this.timers.dump() }),
    }
  }

  /** Replaces its records by those of a dump. */
  async load(dump: Dump): Promise<void> {
    const before = this.#listener && new RecordStore(this.options, [], undefined, this)
    const counts = new Counts()
    // No state of a record shares its revision with another.
    counts.revision = this.counts.revision
    this.rows.fill(rowsOf(dump, this.options, counts), this)
    this.counts.copy(counts)
    this.lastIds.clear()
    // The records and their timers are one change.
    this.timers?.load(dump.timers)
    if (before === undefined) return
    this.#counted.copy(this.counts)
    this.#listener?.({ kind: 'all', state: this.state() }, () => this.become(before.state()))
  }

  /** Returns the next timers that will fire, in their order. */
  upcoming(limit: number): readonly DumpedTimer[] {
    this.timers?.fireDue()
    return this.timers?.upcoming(limit) ?? []
  }

  /** Uses this clock from now on. */
  follow(clock: Clock): void {
    this.#clock = clock
    this.timers?.follow(clock)
  }

  /** Starts the first states of its seeds now, or at a time, if it has not been used yet. */
  begin(at?: number): void {
    this.timers?.began(at)
  }

  /** Puts the same records under other options: after a reload. */
  adapt(options: CollectionOptions): void {
    const moves = `${this.options.within ?? []}` !== `${options.within ?? []}`
    this.options = options
    if (moves) renameRows(this.rows, options)
    this.rows.index(options.indexed)
    this.#evict()
    if (options.states === undefined) this.timers = undefined
    else if (this.timers === undefined) {
      this.timers = this.#makeTimers()
      this.#listenToTimers()
    } else this.timers.adapt(options.states, options)
  }

  /** Returns all of it as a value; with `base`, which it began as a fork of, only the differences. */
  state(base?: RecordStore): CollectionState {
    const records = stateOfRows(this.rows, this.counts.now, base?.rows)
    const timers = this.timers?.state()
    return timers === undefined ? records : { ...records, timers }
  }

  /** Takes over a state: instead of all records if it has all, else in addition. */
  become(state: CollectionState): void {
    this.lastIds.clear()
    becomeState(this.rows, this.options, state)
    this.counts.copy(state.counters)
    this.#counted.copy(this.counts)
    this.timers?.become(state.timers)
  }

  // --- changes ---------------------------------------------------------------------------------------------------------

  /** Tells a listener every later change; `undefined`: none. */
  listen(listener: CollectionListener | undefined): void {
    this.#listener = listener
    this.#counted.copy(this.counts)
    this.#listenToTimers()
  }

  #listenToTimers(): void {
    const { timers } = this
    const listener = this.#listener
    if (timers === undefined) return
    timers.tell =
      listener && ((id, timer, before) => listener({ kind: 'timer', id, timer }, () => timers.set(id, before)))
  }

  /**
   * @param row the record after the change, and `old` before it; `undefined` if there is none
   * @param evicted another record, which was evicted for this one
   */
  #tell(row: Row | undefined, old: Row | undefined, evicted?: Row): void {
    const { watcher } = this
    if (this.#listener !== undefined) this.#record(this.#listener, row, old, evicted)
    watcher?.({ before: old, after: row, moment: this.#moment })
  }

  #record(listener: CollectionListener, row: Row | undefined, old: Row | undefined, evicted?: Row): void {
    const { id } = (row ?? old) as Row
    const before = this.#counted.now
    const change: RowChange = row === undefined ? { ...removalOf(id), counters: this.counts.now } : writeOf(row)
    const replaced = (old?.text.length ?? 0) + (evicted?.text.length ?? 0)
    listener(
      evicted === undefined ? change : { kind: 'rows', rows: [change, removalOf(evicted.id)] },
      () => this.#undo(id, old, evicted, before),
      replaced,
    )
    this.#counted.copy(this.counts)
  }

  /** Puts the record of before back, if there was one, and another one that was evicted for it. */
  #undo(id: Id, old: Row | undefined, evicted: Row | undefined, counters: Counters): void {
    if (evicted !== undefined) this.rows.put(evicted, this.rows.get(evicted.id))
    this.lastIds.clear()
    // The record may have been evicted for itself.
    const present = this.rows.get(id)
    if (old !== undefined) this.rows.put(old, present)
    else if (present !== undefined) this.rows.delete(present)
    this.counts.copy(counters)
    this.#counted.copy(counters)
  }

  /** Applies a change that another copy has made, without telling it. */
  apply(change: CollectionChange): void {
    switch (change.kind) {
      case 'row':
        this.#applyRow(change)
        break
      case 'rows':
        for (const row of change.rows) this.#applyRow(row)
        break
      case 'timer':
        this.timers?.set(change.id, change.timer)
        break
      case 'all':
        this.become(change.state)
        break
      default:
        change satisfies never
    }
  }

  #applyRow(change: RowChange): void {
    applyRow(this.rows, this.counts, this.options, change)
    this.#counted.copy(this.counts)
  }

  /**
   * Returns a batch that takes many changes of records which another copy has made, and stores them at once; `undefined` where each
   * must be applied. The collection must not be used otherwise until the batch is ended.
   */
  batch(): RowsBatch | undefined {
    // The keys of records do not count if ids are unique within others only; timers follow each change.
    if (this.timers !== undefined || (this.options.within ?? []).length > 0) return undefined
    return new RowsBatch(this.rows, this.counts, () => this.#counted.copy(this.counts))
  }
}

const writeOf = ({ id, text, created, revision }: Row): RowChange => ({ kind: 'row', id, text, created, revision })

const removalOf = (id: Id): RowChange => ({ kind: 'row', id, text: undefined, created: 0, revision: 0 })
