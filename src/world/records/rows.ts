// The records of a collection in memory: B-trees, which are ordered, and which clone in constant time because they share
// what has not been written since, and the pages of lists that are kept of them. Counts what the records weigh, and decides
// nothing.

import { LRUCache } from 'lru-cache'
import sortedBTree from 'sorted-btree'
import bulkLoad from 'sorted-btree/extended/bulkLoad.js'
import diffAgainst from 'sorted-btree/extended/diffAgainst.js'
import { type Json, stringifyJson } from '../../kernel/json.ts'
import { type Budget, heapLimit, weigh } from '../budget.ts'
import type { CollectionOptions, Entry, Filter, Id, Page, Query, Row } from './types.ts'
import { arrange, compareIds, compareJson, cutPage, fieldIn, pageOf, take } from './values.ts'

// Ordered maps that clone in constant time, because copies share unchanged parts. The only file that imports sorted-btree.

// The library is CommonJS; its class, and its function, are properties of the default exports.
export const Tree = sortedBTree.default
export type Tree<K, V> = InstanceType<typeof Tree<K, V>>

/** Iterates over the differences of two maps, without their shared parts. */
const differences = diffAgainst.default

/** The maximum number of children of a node, which is the default of the library. */
const NODE = 32

/** Returns a map of keys that ascend, in linear time. Throws if they do not ascend, or if there is one twice. */
const treeOf = <K, V>(keys: K[], values: V[], compare: (a: K, b: K) => number): Tree<K, V> =>
  bulkLoad.bulkLoad(keys, values, NODE, compare, 1)

const byNumber = (a: number, b: number): number => a - b

export class Rows {
  #byId = new Tree<Id, Row>(undefined, compareIds)
  /** The ids of records that are not seeds, by the ordinals of their creation. */
  #created = new Tree<number, Id>(undefined, byNumber)
  /** For each field that lists filter by, the records in the order of that field. */
  #indexes: ReadonlyMap<string, FieldIndex>
  #pages = new Pages()
  /** Characters of all records. */
  #length = 0
  /** Bytes of the records written here: those that a fork began with belong to the collection that it was made from. */
  bytes = 0
  /** The latest revision of the records that a fork began with. */
  readonly #foreign: number
  /** Bounds the records of all worlds; shared with all forks. */
  readonly #budget: Budget | undefined

  /** @param foreign the latest revision of the records that it begins with as a fork */
  constructor(indexed: readonly string[], budget: Budget | undefined, foreign = 0) {
    this.#budget = budget
    this.#foreign = foreign
    this.#indexes = new Map(indexed.map(field => [field, new Tree<Row, undefined>(undefined, orderBy(field))]))
  }

  /** @param revision the latest revision of a record */
  fork(revision: number): Rows {
    const copy = new Rows([], this.#budget, revision)
    copy.#byId = this.#byId.clone()
    copy.#created = this.#created.clone()
    copy.#indexes = new Map([...this.#indexes].map(([field, index]) => [field, index.clone()]))
    copy.#pages = new Pages(this.#pages)
    copy.#length = this.#length
    return copy
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: Id): Row | undefined {
    return this.#byId.get(id)
  }

  has(id: Id): boolean {
    return this.#byId.has(id)
  }

  /** In the order of their ids. */
  values(): Iterable<Row> {
    return this.#byId.values()
  }

  /** As `values`, as they are now. */
  all(): Row[] {
    return this.#byId.valuesArray()
  }

  /** The ids of records that are not seeds, oldest first. */
  created(): Id[] {
    return this.#created.valuesArray()
  }

  /** Whether a record of this id is after all others. */
  isLast(id: Id): boolean {
    const last = this.#byId.maxKey()
    return last === undefined || compareIds(id, last) >= 0
  }

  /** Returns the record to be evicted, if there are too many. Seeds are never evicted. */
  excess({ maxRecords, maxBytes = Number.POSITIVE_INFINITY }: CollectionOptions): Row | undefined {
    const { size } = this.#created
    // The latest record is kept, even if it is too large: its client got a 201.
    const isExcess = (this.#byId.size > maxRecords && size > 0) || (this.#length > maxBytes && size > 1)
    return isExcess ? this.#byId.get(this.#created.get(this.#created.minKey() as number) as Id) : undefined
  }

  /** Makes room for a text. Throws `Full` if there is none. @param writer see `Budget.reserve` */
  reserve(text: string, writer: object): void {
    this.#budget?.reserve(weigh(text), writer)
  }

  /** @param last whether the record is after all others */
  put(row: Row, old: Row | undefined, last = false): void {
    this.#pages.leave(last)
    this.#byId.set(row.id, row)
    this.#length += row.text.length - (old?.text.length ?? 0)
    this.#count(weigh(row.text) - (old === undefined ? 0 : this.#bytesOf(old)))
    const ordinal = old === undefined ? 0 : old.created
    if (row.created !== ordinal) {
      if (ordinal > 0) this.#created.delete(ordinal)
      if (row.created > 0) this.#created.set(row.created, row.id)
    }
    for (const index of this.#indexes.values()) {
      if (old !== undefined) index.delete(old)
      index.set(row, undefined)
    }
  }

  delete(row: Row): void {
    this.#pages.leave(false)
    this.#byId.delete(row.id)
    this.#length -= row.text.length
    this.#count(-this.#bytesOf(row))
    this.#created.delete(row.created)
    for (const index of this.#indexes.values()) index.delete(row)
  }

  /**
   * Replaces all records, which takes a fraction of the time of writing each of them.
   *
   * @param rows in the order of their ids, each with another id
   * @param writer set where memory must be reserved for them, else `Full` is thrown: see `Budget.reserve`
   */
  fill(rows: Row[], writer?: object): void {
    let [length, bytes] = [0, 0]
    for (const row of rows) {
      length += row.text.length
      bytes += this.#bytesOf(row)
    }
    if (writer !== undefined) this.#budget?.reserve(bytes - this.bytes, writer)
    this.#pages.leave(false)
    this.#length = length
    this.#count(bytes - this.bytes)
    this.#byId = treeOf(
      rows.map(({ id }) => id),
      rows,
      compareIds,
    )
    const created = rows.filter(({ created }) => created > 0).sort(byCreation)
    this.#created = treeOf(
      created.map(({ created }) => created),
      created.map(({ id }) => id),
      byNumber,
    )
    this.#indexes = new Map([...this.#indexes.keys()].map(field => [field, indexOf(field, rows)]))
  }

  /** Lists filter by these fields from now on. */
  index(fields: readonly string[]): void {
    this.#indexes = new Map(fields.map(field => [field, this.#indexes.get(field) ?? indexOf(field, this.all())]))
  }

  page(query: Query): Page {
    return this.#pages.find(query) ?? this.#pages.keep(query, this.#makePage(query))
  }

  #makePage(query: Query): Page {
    const { filters, limit, after, count } = query
    if (isPlain(query)) return pageOf(this.#select(filters, limit + 1), limit)
    if (query.sort === undefined && after !== undefined && count !== true && isUnsearched(query)) {
      return pageOf(this.#select(filters, Number.POSITIVE_INFINITY, after), limit)
    }
    const rows = this.#pages.order(query, () => arrange([...this.#select(filters, Number.POSITIVE_INFINITY)], query))
    return cutPage(rows, query)
  }

  #select([first, ...rest]: readonly Filter[], limit: number, after?: Id): Iterable<Row> {
    if (first === undefined) return after === undefined ? this.#byId.values() : this.#behind(after)
    // The first filter walks its index; the others check each record of it.
    const [value, ...more] = first.orAbsent === true ? [...first.values, undefined] : first.values
    if (more.length === 0) return this.#equal(first.field, value, rest, after)
    // Several values are several walks: each brings at most a page, and the page is cut from all of them.
    const rows = new Set(
      [value, ...more].flatMap(wanted => [...take(this.#equal(first.field, wanted, rest, after), limit)]),
    )
    return [...rows].sort((a, b) => compareIds(a.id, b.id))
  }

  /** Walks an index, behind `after` in the order of the ids. */
  *#equal(field: string, value: Json | undefined, rest: readonly Filter[], after?: Id): Iterable<Row> {
    const index = this.#indexes.get(field)
    if (index === undefined) throw new Error(`no index on ${field}`)
    const probe = { id: after ?? FIRST, value: { [field]: value } } as unknown as Row
    for (const row of index.keys(probe)) {
      const present = fieldIn(field, row.value)
      if (present !== value && compareJson(present, value) !== 0) return
      if (row.id === after) continue
      if (rest.length === 0 || rest.every(filter => selects(filter, row))) yield row
    }
  }

  /** The records whose keys begin with a text. */
  *under(head: string): Iterable<Row> {
    for (const row of this.#behind(head)) {
      if (!String(row.id).startsWith(head)) return
      yield row
    }
  }

  *#behind(after: Id): Iterable<Row> {
    for (const row of this.#byId.values(after)) if (compareIds(row.id, after) > 0) yield row
  }

  /** Calls back with each record that differs from `base`, and with the id of each that only `base` has. */
  differFrom(base: Rows, keep: (row: Row) => void, gone: (id: Id) => void): void {
    // The trees of a fork and of its base share what neither has written: only the rest is walked.
    differences(
      this.#byId,
      base.#byId,
      (_, row) => keep(row),
      id => gone(id),
      (_, row, other) => {
        if (row !== other) keep(row)
      },
    )
  }

  /** The bytes that a record takes here: none where the collection began with it as a fork. */
  #bytesOf({ text, revision }: Row): number {
    return revision > this.#foreign ? weigh(text) : 0
  }

  #count(bytes: number): void {
    this.bytes += bytes
    this.#budget?.spend(bytes)
  }
}

const byCreation = (a: Row, b: Row): number => a.created - b.created

/** The records in the order of a field. */
type FieldIndex = Tree<Row, undefined>

/** Whether a filter selects a record. */
export function selects({ field, values, orAbsent }: Filter, { value }: Entry): boolean {
  const present = fieldIn(field, value)
  return (orAbsent === true && present === undefined) || values.some(wanted => compareJson(present, wanted) === 0)
}

/** A value before every id, where a walk along an index begins. */
const FIRST: Id = Number.NEGATIVE_INFINITY

const orderBy =
  (field: string) =>
  (a: Row, b: Row): number =>
    compareJson(fieldIn(field, a.value), fieldIn(field, b.value)) || compareIds(a.id, b.id)

/** Makes the index of many records. */
function indexOf(field: string, rows: readonly Row[]): FieldIndex {
  const order = orderBy(field)
  return treeOf(rows.toSorted(order), new Array<undefined>(rows.length), order)
}

// --- the pages of lists, which are kept ----------------------------------------------------------------------------------

/** Whether a query has only filters and a limit, so that an index answers it. */
const isPlain = (query: Query): boolean =>
  query.sort === undefined &&
  query.offset === undefined &&
  query.after === undefined &&
  query.count !== true &&
  isUnsearched(query)

const isUnsearched = ({ comparisons, search }: Query): boolean => comparisons === undefined && search === undefined

/** The same text for the same query, and for no other. */
function queryKey(query: Query): string {
  const { filters, limit } = query
  if (!isPlain(query)) return stringifyJson({ ...query, limit: String(limit) })
  const [first, second] = filters
  if (first === undefined) return `${limit}`
  const [value] = first.values
  // The one filter that most lists have is written without the detour through JSON.
  if (second === undefined && first.values.length === 1 && typeof value === 'string') {
    return `${limit} ${first.field.length} ${first.field}${value}`
  }
  return `${limit} ${stringifyJson(filters)}`
}

const CACHED_PAGES = 500
/** For all pages of a collection and its forks; a larger page is not kept. */
const CACHED_CHARACTERS = Math.min(16 * 2 ** 20, Math.floor(heapLimit() / 32))

/** The number of records from which a query is cached. */
const LARGE = 1000

/** The pages of a collection and all its forks: a thousand sandboxes share one budget and common pages. */
interface Shelf {
  /** How many states have a number. No two states share one. */
  states: number
  cache: LRUCache<string, Page> | undefined
}

/**
 * Keeps the pages that were asked for, which happens far more often than a collection changes. The key of a page begins with
 * the number of its state, which every write changes.
 */
class Pages {
  readonly #shelf: Shelf
  /** Names the collection's present state; `undefined` after a write, until a page is read. */
  #state: number | undefined
  /** Names the state that full pages show: adding records behind them all leaves it as it is. */
  #front: number | undefined
  /** Whether a fork has the same `#front`. The two will add different records. */
  #shared = false
  /** The records of the last large query, so that its next page needs no sorting. */
  #last: { readonly state: number; readonly key: string; readonly rows: WeakRef<readonly Entry[]> } | undefined

  /** @param of the pages of the collection that this one is forked from */
  constructor(of?: Pages) {
    this.#shelf = of === undefined ? { states: 0, cache: undefined } : of.#shelf
    if (of === undefined) return
    of.#number()
    this.#state = of.#state
    this.#front = of.#front
    this.#shared = of.#shared = true
  }

  /** Gives the present states their numbers. */
  #number(): void {
    const shelf = this.#shelf
    this.#state ??= ++shelf.states
    this.#front ??= ++shelf.states
  }

  /** Returns the page that answers `query`, where it is kept. */
  find(query: Query): Page | undefined {
    this.#number()
    const { cache } = this.#shelf
    const key = queryKey(query)
    return (isPlain(query) ? cache?.get(`${this.#front} ${key}`) : undefined) ?? cache?.get(`${this.#state} ${key}`)
  }

  /** Keeps a page of the present state and returns it. */
  keep(query: Query, page: Page): Page {
    this.#number()
    const shelf = this.#shelf
    shelf.cache ??= new LRUCache({
      max: CACHED_PAGES,
      maxSize: CACHED_CHARACTERS,
      sizeCalculation: page => page.text.length,
    })
    shelf.cache.set(`${isPlain(query) && page.more ? this.#front : this.#state} ${queryKey(query)}`, page)
    return page
  }

  /** Returns the records of all pages of a query. Those of the last large query are cached while there is memory. */
  order(query: Query, make: () => readonly Entry[]): readonly Entry[] {
    this.#number()
    const key = queryKey({ ...query, limit: 0, offset: undefined, after: undefined, count: true })
    const last = this.#last
    const kept = last?.state === this.#state && last?.key === key ? last.rows.deref() : undefined
    if (kept !== undefined) return kept
    const rows = make()
    if (rows.length >= LARGE) this.#last = { state: this.#state as number, key, rows: new WeakRef(rows) }
    return rows
  }

  /** Must be called with every write. @param behind whether it added a record behind all others */
  leave(behind: boolean): void {
    this.#state = undefined
    if (!behind || this.#shared) this.#front = undefined
    this.#shared = false
  }
}
