// The records of a collection in memory: B-trees, which are ordered, and which clone in constant time because they share
// what has not been written since. Counts what the records weigh, and decides nothing.

import { arrange, ascends, compareIds, cutPage, isPlain, isUnsearched, pageOf, take } from './arrange.ts'
import { type Budget, weigh } from './budget.ts'
import type { Filter, Page, Query } from './collection.ts'
import type { Id } from './id.ts'
import { Indexes } from './indexes.ts'
import { Pages } from './pages.ts'
import type { Row } from './row-change.ts'
import { differences, Tree, treeOf } from './tree.ts'

export class Rows {
  #byId: Tree<Id, Row>
  /** The ids of records that are not seeds, by the ordinals of their creation. */
  #created: Tree<number, Id>
  #indexes: Indexes
  readonly #pages: Pages
  /** Characters of all records. */
  #length = 0
  /** Bytes of the records written here: those that a fork began with belong to the collection that it was made from. */
  #bytes = 0
  /** The latest revision of the records that a fork began with. */
  readonly #foreign: number
  /** Bounds the records of all worlds; shared with all forks. */
  readonly #budget: Budget | undefined

  private constructor(indexes: Indexes, budget: Budget | undefined, foreign: number, from?: Rows) {
    this.#indexes = indexes
    this.#budget = budget
    this.#foreign = foreign
    this.#byId = from === undefined ? new Tree<Id, Row>(undefined, compareIds) : from.#byId.clone()
    this.#created = from === undefined ? new Tree<number, Id>(undefined, byNumber) : from.#created.clone()
    this.#pages = new Pages(from === undefined ? undefined : from.#pages)
    if (from !== undefined) this.#length = from.#length
  }

  static withIndexes(fields: readonly string[], budget?: Budget): Rows {
    return new Rows(Indexes.on(fields), budget, 0)
  }

  /** @param revision the latest revision of a record */
  fork(revision: number): Rows {
    return new Rows(this.#indexes.clone(), this.#budget, revision, this)
  }

  get size(): number {
    return this.#byId.size
  }

  get bytes(): number {
    return this.#bytes
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
  excess(maxRecords: number, maxBytes = Number.POSITIVE_INFINITY): Row | undefined {
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
    this.#count(weigh(row.text) - (old === undefined ? 0 : this.#own(old)))
    const ordinal = old === undefined ? 0 : old.created
    if (row.created !== ordinal) {
      if (ordinal > 0) this.#created.delete(ordinal)
      if (row.created > 0) this.#created.set(row.created, row.id)
    }
    this.#indexes.put(row, old)
  }

  delete(row: Row): void {
    this.#pages.leave(false)
    this.#byId.delete(row.id)
    this.#length -= row.text.length
    this.#count(-this.#own(row))
    this.#created.delete(row.created)
    this.#indexes.delete(row)
  }

  /**
   * Replaces the records by those of `made`. Throws `Full` if there is no memory for them. @param writer see
   * `Budget.reserve`
   */
  become(made: Rows, writer: object): void {
    this.#budget?.reserve(made.#bytes - this.#bytes, writer)
    this.#count(made.#bytes - this.#bytes)
    this.#byId = made.#byId
    this.#created = made.#created
    this.#indexes = made.#indexes
    this.#pages.leave(false)
    this.#length = made.#length
  }

  /**
   * Replaces all records, which takes a fraction of the time of writing each of them.
   *
   * @param rows in the order of their ids, each with another id
   */
  fill(rows: Row[]): void {
    this.#pages.leave(false)
    let [length, bytes] = [0, 0]
    for (const row of rows) {
      length += row.text.length
      bytes += this.#own(row)
    }
    this.#length = length
    this.#count(bytes - this.#bytes)
    this.#byId = treeOf(
      rows.map(({ id }) => id),
      rows,
      compareIds,
    )
    const created = inCreation(rows.filter(({ created }) => created > 0))
    this.#created = treeOf(
      created.map(({ created }) => created),
      created.map(({ id }) => id),
      byNumber,
    )
    this.#indexes = this.#indexes.of(rows)
  }

  /** Lists filter by these fields from now on. */
  index(fields: readonly string[]): void {
    this.#indexes = this.#indexes.adapted(fields, () => this.all())
  }

  page(query: Query): Page {
    return this.#pages.find(query) ?? this.#pages.keep(query, this.#makePage(query))
  }

  #makePage(query: Query): Page {
    const { filters, limit, after, count } = query
    if (isPlain(query)) return pageOf(take(this.#select(filters, limit + 1), limit + 1), limit, 0)
    if (query.sort === undefined && after !== undefined && count !== true && isUnsearched(query)) {
      return pageOf(take(this.#select(filters, Number.POSITIVE_INFINITY, after), limit + 1), limit, 0)
    }
    const rows = this.#pages.order(query, () => arrange([...this.#select(filters, Number.POSITIVE_INFINITY)], query))
    return cutPage(rows, query)
  }

  #select([first, ...rest]: readonly Filter[], limit: number, after?: Id): Iterable<Row> {
    if (first !== undefined) return this.#indexes.select(first, rest, limit, after)
    return after === undefined ? this.#byId.values() : this.#behind(after)
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
  #own({ text, revision }: Row): number {
    return revision > this.#foreign ? weigh(text) : 0
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#budget?.spend(bytes)
  }
}

const byCreation = (a: Row, b: Row): number => a.created - b.created

const inCreation = (rows: Row[]): Row[] => (ascends(rows, byCreation) ? rows : rows.toSorted(byCreation))

const byNumber = (a: number, b: number): number => a - b
