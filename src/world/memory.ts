// A collection in memory: B-trees, which are ordered, and which clone in constant time because they share what has not
// been written since.

import { type Json, type JsonObject, parseSent, stringifyJson } from '../kernel/json.ts'
import { arrange, compareIds, compareJson, cutPage, isPlain, isUnsearched, pageOf, take } from './arrange.ts'
import { type Budget, weigh } from './budget.ts'
import { breathe, SLICE } from './clock.ts'
import {
  type Collection,
  type CollectionOptions,
  type Dump,
  type Entry,
  type Filter,
  type Id,
  type Page,
  type Query,
  withId,
} from './collection.ts'
import { drawUuid } from './draws.ts'
import {
  type CollectionEffect,
  type CollectionState,
  type Counters,
  idOf,
  type PortableId,
  portableId,
  type Recorder,
  worldChange,
} from './effects.ts'
import { keyOf } from './key.ts'
import { Pages } from './pages.ts'
import { fieldIn } from './record-field.ts'
import { RecordedPlace } from './recorded-place.ts'
import { type Counted, type Row, RowChange, rowEffect } from './row-change.ts'
import { differences, Tree } from './tree.ts'

const ALL: readonly string[] = []

/** How many ids are tried for a new record before none is taken to be free. */
const MOST_DRAWS = 100_000

export class MemoryCollection implements Collection {
  #options: CollectionOptions
  #rows: Tree<Id, Row>
  #created: Tree<number, Id>
  #indexes: ReadonlyMap<string, Tree<Row, undefined>>
  #next: number | bigint
  #ordinal = 0
  /** Characters of all records. */
  #length = 0
  #revision = 0
  /** The revision that it began with. */
  #born = 0
  /** The latest revision of the records that a fork began with. */
  #foreign = 0
  /** Bounds the records of all worlds; shared with all forks. */
  readonly #budget: Budget | undefined
  /** Bytes of the records written here: those that a fork began with belong to the collection that it was made from. */
  #bytes = 0
  readonly #pages: Pages
  #recorder: Recorder | undefined
  #place = new RecordedPlace('', '')
  /** The counters as the recorder was told them last. */
  readonly #told: { -readonly [Key in keyof Counted]: Counted[Key] } = { revision: 0, next: 0, creations: 0 }

  constructor(options: CollectionOptions, seeds: readonly JsonObject[] = [], budget?: Budget, from?: MemoryCollection) {
    this.#options = options
    this.#budget = budget
    if (from !== undefined) {
      this.#rows = from.#rows.clone()
      this.#created = from.#created.clone()
      this.#indexes = new Map([...from.#indexes].map(([field, tree]) => [field, tree.clone()]))
      this.#next = from.#next
      this.#length = from.#length
      this.#ordinal = from.#ordinal
      this.#revision = this.#born = this.#foreign = from.#revision
      this.#pages = new Pages(from.#pages)
      return
    }
    this.#pages = new Pages()
    this.#rows = new Tree<Id, Row>(undefined, compareIds)
    this.#created = new Tree<number, Id>(undefined, byNumber)
    this.#indexes = indexesOn(options.indexed)
    this.#next = 1
    this.#fill(seeds)
    this.#born = this.#revision
  }

  get touched(): boolean {
    return this.#revision !== this.#born
  }

  get size(): number {
    return this.#rows.size
  }

  get bytes(): number {
    return this.#bytes
  }

  async list(query: Query): Promise<Page> {
    return this.#pages.find(query) ?? this.#pages.keep(query, this.#page(query))
  }

  #page(query: Query): Page {
    const { filters, limit, after, count } = query
    if (isPlain(query)) return pageOf(take(this.#select(filters, limit + 1), limit + 1), limit, 0)
    if (query.sort === undefined && after !== undefined && count !== true && isUnsearched(query)) {
      return pageOf(take(this.#select(filters, Number.POSITIVE_INFINITY, after), limit + 1), limit, 0)
    }
    const rows = this.#pages.order(query, () => arrange([...this.#select(filters, Number.POSITIVE_INFINITY)], query))
    return cutPage(rows, query)
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
    const drawn = given === undefined ? this.#drawId(fields) : undefined
    const own = given ?? drawn?.id ?? this.#next
    const record = withId(idField, own, fields)
    const refusal = refuse?.(record)
    if (refusal !== undefined) return refusal
    const id = within.length === 0 ? own : this.#key(record)
    if (given !== undefined && this.#rows.has(id)) return 'exists'
    const text = this.#write(record)
    this.#ordinal = drawn?.ordinal ?? this.#ordinal + 1
    this.#beyond(record)
    return this.#add(id, record, text, given === undefined && drawn === undefined && within.length === 0)
  }

  /** The next id that is drawn and that no record has, as one drawn before may have; `undefined` where ids are counted. */
  #drawId(fields: JsonObject): { id: Id; ordinal: number } | undefined {
    const { name, seed, assign, newId, idField, within = ALL } = this.#options
    const make = assign === 'uuid' ? (ordinal: number): Id => drawUuid(seed, name, ordinal) : newId
    if (make === undefined) return undefined
    for (let ordinal = this.#ordinal + 1; ordinal <= this.#ordinal + MOST_DRAWS; ordinal++) {
      const id = make(ordinal)
      const key = within.length === 0 ? id : this.#key(withId(idField, id, fields))
      if (!this.#rows.has(key)) return { id, ordinal }
    }
    throw new Error(`no free ${this.#options.idField} was found for a record of ${name}`)
  }

  /** Counts on from the number that a record has as its id. */
  #beyond(record: JsonObject): void {
    const id = fieldIn(this.#options.idField, record)
    if ((typeof id === 'number' || typeof id === 'bigint') && id >= this.#next) this.#next = successor(id)
  }

  #key(record: JsonObject): Id {
    const { idField, within } = this.#options
    return keyOf(record, idField, within) as Id
  }

  /** The record under a key. One whose id is a part of the key names itself. */
  #named(key: Id, fields: JsonObject): JsonObject {
    const { idField, within = ALL } = this.#options
    return within.length === 0 ? withId(idField, key, fields) : fields
  }

  /** Adds a record as the latest of those created; the oldest of them go where there are too many; see `#put` for `last`. */
  #add(id: Id, value: JsonObject, text: string, last = false): Row {
    const row = { id, value, text, revision: ++this.#revision, created: this.#ordinal }
    this.#put(row, undefined, last)
    this.#created.set(row.created, id)
    if (this.#recorder !== undefined) this.#tell(row, undefined)
    this.#evict()
    return row
  }

  /** The text of a record to be stored; throws `Full` where there is no memory for it. */
  #write(value: JsonObject, old?: Row): string {
    const text = flatText(value)
    // A record that does not grow is stored wherever it fitted before.
    if (old === undefined || text.length > old.text.length) this.#budget?.reserve(weigh(text), this)
    return text
  }

  #evict(): void {
    const { maxRecords, maxBytes = Number.POSITIVE_INFINITY } = this.#options
    // The latest stays, however large it is: its client was told that it was created.
    while (
      (this.#rows.size > maxRecords && this.#created.size > 0) ||
      (this.#length > maxBytes && this.#created.size > 1)
    ) {
      const oldest = this.#rows.get(this.#created.get(this.#created.minKey() as number) as Id) as Row
      this.#delete(oldest)
      if (this.#recorder !== undefined) this.#tell(undefined, oldest)
    }
  }

  async replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'> {
    const old = this.#rows.get(id)
    if (old === undefined) return 'missing'
    if (revision !== undefined && revision !== old.revision) return 'stale'
    return this.#change(old, fields)
  }

  /** As `replace`, at once, and whether there is memory for it or not: for what nobody asked for. */
  force(id: Id, fields: JsonObject): void {
    const old = this.#rows.get(id)
    if (old !== undefined) this.#change(old, fields, true)
  }

  #change(old: Row, fields: JsonObject, forced = false): Row {
    const { id, created } = old
    const value = this.#named(id, fields)
    const row = {
      id,
      value,
      text: forced ? flatText(value) : this.#write(value, old),
      revision: ++this.#revision,
      created,
    }
    this.#put(row, old)
    if (this.#recorder !== undefined) this.#tell(row, old)
    this.#evict()
    return row
  }

  async remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'> {
    const row = this.#rows.get(id)
    if (row === undefined) return 'missing'
    if (revision !== undefined && revision !== row.revision) return 'stale'
    this.#revision += 1
    this.#delete(row)
    if (this.#recorder !== undefined) this.#tell(undefined, row)
    return 'removed'
  }

  async put(id: Id, fields: JsonObject): Promise<{ entry: Entry; created: boolean }> {
    const old = this.#rows.get(id)
    if (old !== undefined) return { entry: this.#change(old, fields), created: false }
    const value = this.#named(id, fields)
    const text = this.#write(value)
    this.#ordinal += 1
    this.#beyond(value)
    return { entry: this.#add(id, value, text), created: true }
  }

  async dump(): Promise<Dump> {
    return {
      records: this.#rows.valuesArray().map(({ value }) => value),
      created: this.#created.valuesArray(),
      nextId: this.#next,
      creations: this.#ordinal,
    }
  }

  async load(dump: Dump): Promise<void> {
    // Filled aside and in slices: requests that come meanwhile see what there was.
    const made = new MemoryCollection(this.#options)
    // No state of a record shares its revision with another, whatever is written meanwhile.
    made.#revision = this.#revision
    this.#revision += dump.records.length
    await made.#take(dump)
    this.#budget?.reserve(made.#bytes - this.#bytes, this)
    this.#count(made.#bytes - this.#bytes)
    const before = this.#recorder === undefined ? undefined : this.fork()
    const options = this.#options
    const changed = options !== made.#options
    this.#rows = made.#rows
    this.#created = made.#created
    this.#indexes = made.#indexes
    this.#pages.leave(false)
    this.#length = made.#length
    this.#next = made.#next
    this.#ordinal = made.#ordinal
    if (changed) this.adapt(options)
    if (before === undefined) return
    const after = this.fork()
    this.#toldAll()
    const { world, collection } = this.#place
    this.#recorder?.record(
      worldChange(
        world,
        ['in', collection, ['all', () => after.state()]],
        ['in', collection, ['all', () => before.state()]],
      ),
    )
  }

  async #take({ records, created = [], nextId = 1, creations = 0 }: Dump): Promise<void> {
    this.#next = nextId
    this.#ordinal = Math.max(creations, created.length)
    const first = this.#ordinal - created.length + 1
    for (const [i, id] of created.entries()) this.#created.set(first + i, id)
    const ordinals = new Map(created.map((id, i) => [id, first + i]))
    for (let from = 0; from < records.length; from += SLICE) {
      if (from > 0) await breathe()
      this.#fill(records.slice(from, from + SLICE), ordinals)
    }
  }

  /** @param created the ordinals of those that are no seeds */
  #fill(records: readonly JsonObject[], created: ReadonlyMap<Id, number> = new Map()): void {
    for (const value of records) {
      const id = this.#key(value)
      const row = { id, value, text: flatText(value), revision: ++this.#revision, created: created.get(id) ?? 0 }
      this.#put(row, undefined)
      this.#beyond(value)
    }
  }

  record(recorder: Recorder | undefined, place = this.#place): void {
    this.#recorder = recorder
    this.#place = place
    this.#toldAll()
  }

  get #counters(): Counters {
    return [this.#revision, portableId(this.#next), this.#ordinal]
  }

  #toldAll(): void {
    const told = this.#told
    told.revision = this.#revision
    told.next = this.#next
    told.creations = this.#ordinal
  }

  #tell(row: Row | undefined, old: Row | undefined): void {
    const now = { revision: this.#revision, next: this.#next, creations: this.#ordinal }
    this.#recorder?.record(new RowChange(this.#place, row, old, now, this.#told))
    this.#toldAll()
  }

  apply(effect: CollectionEffect): CollectionEffect {
    if (effect[0] === 'row') return this.#applyRow(effect)
    if (effect[0] === 'timer') return effect
    const before = this.fork()
    this.become(effect[1]())
    return ['all', () => before.state()]
  }

  #applyRow([, portable, text, created, revision, counters]: Extract<
    CollectionEffect,
    readonly ['row', ...unknown[]]
  >): CollectionEffect {
    const id = idOf(portable)
    const old = this.#rows.get(id)
    const inverse = rowEffect(id, old, this.#counters)
    if (text !== null) this.#set(id, text, created, revision, old)
    else if (old !== undefined) this.#delete(old)
    if (counters !== undefined) this.#resume(counters)
    else this.#countWrite((this.#rows.get(id) as Row).value, created, revision)
    return inverse
  }

  #set(id: Id, text: string, created: number, revision: number, old = this.#rows.get(id)): void {
    const value = readRecord(text)
    if (old !== undefined && old.created !== created) this.#created.delete(old.created)
    const last = old === undefined && created > 0 && !(compareIds(id, this.#rows.maxKey() ?? FIRST) < 0)
    this.#put({ id, value, text, revision, created }, old, last)
    if (created > 0) this.#created.set(created, id)
  }

  #resume(counters: Counters): void {
    const [revision, next, ordinal] = counters
    this.#revision = revision
    this.#next = idOf(next) as number | bigint
    this.#ordinal = ordinal
    this.#toldAll()
  }

  /** Counts a record that another copy of the collection wrote, as `create`, `replace` and `put` do. */
  #countWrite(value: JsonObject, created: number, revision: number): void {
    this.#revision = revision
    if (created > this.#ordinal) {
      this.#ordinal = created
      this.#beyond(value)
    }
    this.#toldAll()
  }

  state(base?: Collection): CollectionState {
    const counters = this.#counters
    const rows: [string, number, number][] = []
    const keep = ({ text, created, revision }: Row): void => void rows.push([text, created, revision])
    if (!(base instanceof MemoryCollection)) {
      for (const row of this.#rows.values()) keep(row)
      return { whole: true, rows, gone: [], counters }
    }
    const gone: PortableId[] = []
    // The trees of a fork and of its base share what neither has written: only the rest is walked.
    differences(
      this.#rows,
      base.#rows,
      (_, row) => keep(row),
      id => void gone.push(portableId(id)),
      (_, row, other) => {
        if (row !== other) keep(row)
      },
    )
    return { whole: false, rows, gone, counters }
  }

  /** Holds these records: nothing else where they are the whole, else besides what it holds. */
  become({ whole, rows, gone, counters }: CollectionState): void {
    if (whole) for (const row of this.#rows.valuesArray()) this.#delete(row)
    for (const id of gone) {
      const row = this.#rows.get(idOf(id))
      if (row !== undefined) this.#delete(row)
    }
    for (const [text, created, revision] of rows) {
      this.#set(this.#key(readRecord(text)), text, created, revision)
    }
    this.#resume(counters)
  }

  fork(): MemoryCollection {
    return new MemoryCollection(this.#options, [], this.#budget, this)
  }

  adapt(options: CollectionOptions): void {
    const moves = `${this.#options.within ?? ALL}` !== `${options.within ?? ALL}`
    this.#options = options
    if (moves) this.#rename()
    const kept = this.#indexes
    this.#indexes = new Map(
      options.indexed.map(field => {
        const tree = kept.get(field) ?? new Tree<Row, undefined>(undefined, byField(field))
        if (!kept.has(field)) for (const row of this.#rows.values()) tree.set(row, undefined)
        return [field, tree]
      }),
    )
    this.#evict()
  }

  /** Keeps every record under the key that the options give it now; one that has no id stays under its own. */
  #rename(): void {
    const rows = this.#rows.valuesArray()
    for (const row of rows) this.#delete(row)
    for (const row of rows) {
      const id = this.#key(row.value) ?? row.id
      this.#put({ ...row, id }, this.#rows.get(id))
      if (row.created > 0) this.#created.set(row.created, id)
    }
  }

  /** Rows behind `after` in the order of their ids. The first filter walks its index; the others look at what it brings. */
  #select([first, ...rest]: readonly Filter[], limit: number, after?: Id): Iterable<Row> {
    if (first === undefined) return after === undefined ? this.#rows.values() : this.#behind(after)
    const values = first.orAbsent === true ? [...first.values, undefined] : first.values
    const [value, ...more] = values
    if (more.length === 0) return this.#equal(first.field, value, rest, after)
    // Several values are several walks: each brings at most a page, and the page is cut from all of them.
    const rows = new Set(values.flatMap(one => [...take(this.#equal(first.field, one, rest, after), limit)]))
    return [...rows].sort((a, b) => compareIds(a.id, b.id))
  }

  *#behind(after: Id): Iterable<Row> {
    for (const row of this.#rows.values(after)) if (compareIds(row.id, after) > 0) yield row
  }

  *#equal(field: string, value: Json | undefined, rest: readonly Filter[], after?: Id): Iterable<Row> {
    const index = this.#indexes.get(field)
    if (index === undefined) throw new Error(`no index on ${field}`)
    const probe = { id: after ?? FIRST, value: { [field]: value } } as unknown as Row
    for (const row of index.keys(probe)) {
      if (compareJson(fieldIn(field, row.value), value) !== 0) return
      if (row.id === after) continue
      if (rest.every(filter => selects(filter, row))) yield row
    }
  }

  /** @param last whether the record stands behind all others */
  #put(row: Row, old: Row | undefined, last = false): void {
    this.#pages.leave(last)
    this.#rows.set(row.id, row)
    this.#length += row.text.length - (old?.text.length ?? 0)
    this.#count(weigh(row.text) - (old === undefined ? 0 : this.#own(old)))
    for (const tree of this.#indexes.values()) {
      if (old !== undefined) tree.delete(old)
      tree.set(row, undefined)
    }
  }

  #delete(row: Row): void {
    this.#pages.leave(false)
    this.#rows.delete(row.id)
    this.#length -= row.text.length
    this.#count(-this.#own(row))
    this.#created.delete(row.created)
    for (const tree of this.#indexes.values()) tree.delete(row)
  }

  /** The bytes that a record takes here: none where the collection began with it as a fork. */
  #own({ text, revision }: Row): number {
    return revision > this.#foreign ? weigh(text) : 0
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#budget?.spend(bytes)
  }
}

function selects({ field, values, orAbsent }: Filter, { value }: Row): boolean {
  const own = fieldIn(field, value)
  return (orAbsent === true && own === undefined) || values.some(one => compareJson(own, one) === 0)
}

const indexesOn = (fields: readonly string[]): ReadonlyMap<string, Tree<Row, undefined>> =>
  new Map(fields.map(field => [field, new Tree<Row, undefined>(undefined, byField(field))]))

const successor = (id: number | bigint): number | bigint => {
  if (typeof id === 'bigint') return id + 1n
  return id < Number.MAX_SAFE_INTEGER ? id + 1 : BigInt(id) + 1n
}

/**
 * The text of a record, in one piece: the engine leaves what it writes in several, which take half as much again, until a
 * character is looked at. That the look has a consequence keeps it from being optimised away.
 */
function flatText(value: JsonObject): string {
  const text = stringifyJson(value)
  if (text.charCodeAt(text.length - 1) !== BRACE) throw new Error('a record is an object')
  return text
}

const BRACE = 125

/** Reads the text of a record that was stored once. */
function readRecord(text: string): JsonObject {
  const parsed = parseSent(text)
  if ('fault' in parsed) throw new Error(`a stored record ${parsed.fault}`)
  return parsed.value as JsonObject
}

const byNumber = (a: number, b: number): number => a - b

/** Stands before every id: where a walk along an index begins. */
const FIRST: Id = Number.NEGATIVE_INFINITY

const byField =
  (field: string) =>
  (a: Row, b: Row): number =>
    compareJson(fieldIn(field, a.value), fieldIn(field, b.value)) || compareIds(a.id, b.id)
