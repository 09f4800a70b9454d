// From records to a page: comparing, searching, sorting, cutting. Pure, and independent of engines.

import { Decimal, type Json, type JsonObject, stringifyJson } from '../kernel/json.ts'
import { searchFor } from '../kernel/search-for.ts'
import type { Comparison, Entry, Id, Page, Query, SortOrder } from './collection.ts'
import { fieldIn, valuesIn } from './record-field.ts'
import { compileSearch } from './search.ts'

/** Whether a query has only filters and a limit, so that an index answers it. */
export const isPlain = (query: Query): boolean =>
  query.sort === undefined &&
  query.offset === undefined &&
  query.after === undefined &&
  query.count !== true &&
  isUnsearched(query)

export const isUnsearched = ({ comparisons, search }: Query): boolean =>
  comparisons === undefined && search === undefined

/** The same text for the same query, and for no other. */
export function keyOf(query: Query): string {
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

/** Returns a page of ordered rows, of which at most `limit` + 1 are read. */
export function pageOf(rows: Iterable<Entry>, limit: number, offset: number, total?: number): Page {
  const texts: string[] = []
  let last: Id | undefined
  let seen = 0
  for (const row of rows) {
    if (seen++ < offset) continue
    if (texts.length === limit) {
      return finish(texts, true, last, total)
    }
    texts.push(row.text)
    last = row.id
  }
  return finish(texts, false, last, total)
}

function finish(texts: string[], more: boolean, last: Id | undefined, total: number | undefined): Page {
  const text = joinTexts(texts)
  const page = { text, bytes: Buffer.byteLength(text), count: texts.length, more, last }
  return total === undefined ? page : { ...page, total }
}

/** A JSON array of texts. The brackets are joined with the rest: to add them afterwards would copy it once more. */
function joinTexts(texts: readonly string[]): string {
  const end = texts.length - 1
  if (end <= 0) return `[${texts[0] ?? ''}]`
  const all = [...texts]
  all[0] = `[${texts[0]}`
  all[end] = `${texts[end]}]`
  return all.join(',')
}

/** Returns the selected records of a query on all pages in its order. The input is in the order of ids. */
export function arrange(selected: Entry[], { comparisons = [], search, sort }: Query): Entry[] {
  const tests = comparisons.map(compileComparison)
  const mentions = compileSearch(search)
  if (mentions !== undefined) tests.push(mentions)
  const rows = tests.length === 0 ? selected : selected.filter(({ value }) => tests.every(test => test(value)))
  if (sort === undefined) return rows
  const orders = firstOfEach(sort)
  return rows.toSorted((a, b) => {
    for (const { field, descending } of orders) {
      const order = compareJson(a.value[field], b.value[field])
      if (order !== 0) return descending ? -order : order
    }
    return compareIds(a.id, b.id)
  })
}

/** Leaves out fields that were named before: they decide nothing, and each would be compared again. */
function firstOfEach(sort: readonly SortOrder[]): readonly SortOrder[] {
  const seen = new Set<string>()
  return sort.filter(({ field }) => !seen.has(field) && seen.add(field))
}

/** Returns the page of a query from its records. */
export function cutPage(rows: readonly Entry[], { sort, offset = 0, after, limit, count }: Query): Page {
  let skip = offset
  if (after !== undefined) {
    const at = rows.findIndex(({ id }) => compareIds(id, after) === 0)
    if (at === -1 && sort !== undefined) return { ...finish([], false, undefined, count ? 0 : undefined), lost: true }
    skip = at === -1 ? rows.findIndex(({ id }) => compareIds(id, after) > 0) : at + 1
    if (skip === -1) skip = rows.length
  }
  return pageOf(rows.slice(skip, skip + limit + 1), limit, 0, count === true ? rows.length : undefined)
}

/** The value that a comparison looks at: of a field such as `tags.name`, all of them. */
function comparedIn(record: JsonObject, { field, is }: Comparison): Json | undefined {
  const own = fieldIn(field, record)
  return own === undefined && is === 'contains' && field.includes('.') ? valuesIn(field, record) : own
}

function compileComparison(comparison: Comparison): (record: JsonObject) => boolean {
  const { is, value: other } = comparison
  if (is === 'not') {
    const isOther = equalsOneOf([other].flat() as Json[])
    return record => !isOther(comparedIn(record, comparison))
  }
  if (is !== 'contains') return record => holds(comparedIn(record, comparison), comparison)
  const finds = searchFor(String(other).toLowerCase())
  const isOther = equalsOneOf([other].flat() as Json[])
  return record => {
    const value = comparedIn(record, comparison)
    return Array.isArray(value) ? value.some(isOther) : typeof value === 'string' && finds(value.toLowerCase())
  }
}

/** Returns a function that tells whether a value is like one of these, of which a request may name thousands. */
function equalsOneOf(others: readonly Json[]): (value: Json | undefined) => boolean {
  const plain = new Set(others.filter(isPlainValue))
  const rest = others.filter(one => !isPlainValue(one))
  const isLike = (value: Json | undefined) => (one: Json) => compareJson(value, one) === 0
  return value => (isPlainValue(value) ? plain.has(value) || rest.some(isLike(value)) : others.some(isLike(value)))
}

/** Whether a value equals only what is identical, apart from exact numbers. */
const isPlainValue = (value: Json | undefined): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

function holds(value: Json | undefined, { is, value: other }: Comparison): boolean {
  if (value === undefined || rank(value) !== rank(other)) return false
  const order = compareJson(value, other)
  if (is === 'at-least') return order >= 0
  if (is === 'at-most') return order <= 0
  return is === 'more-than' ? order > 0 : order < 0
}

export function* take<Item>(items: Iterable<Item>, limit: number): Iterable<Item> {
  let taken = 0
  for (const item of items) {
    if (taken++ >= limit) return
    yield item
  }
}

/** Whether each item is after the one before it, and not like it. */
export function ascends<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): boolean {
  for (let i = 1; i < items.length; i++) if (compare(items[i - 1] as Item, items[i] as Item) >= 0) return false
  return true
}

/** Numbers before texts; `<` compares a number with a bigint exactly. */
export function compareIds(a: Id, b: Id): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if ((typeof a === 'string') !== (typeof b === 'string')) return typeof a === 'string' ? 1 : -1
  return a < b ? -1 : a > b ? 1 : 0
}

function rank(value: Json | undefined): number {
  switch (typeof value) {
    case 'undefined':
      return 0
    case 'boolean':
      return 2
    case 'number':
    case 'bigint':
      return 3
    case 'string':
      return 4
    default:
      return value === null ? 1 : value instanceof Decimal ? 3 : 5
  }
}

/** A total order over the primitives of JSON; arrays and objects are all alike, as no parameter selects them. */
export function compareJson(a: Json | undefined, b: Json | undefined): number {
  if (a === b) return 0
  const ranks = rank(a) - rank(b)
  if (ranks !== 0) return ranks
  if (a === undefined || (typeof a === 'object' && !(a instanceof Decimal))) return 0
  return a < (b as typeof a) ? -1 : a > (b as typeof a) ? 1 : 0
}
