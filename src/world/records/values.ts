// The values of records: comparing, searching, sorting and cutting into pages; fields, keys and texts.

import { Decimal, isObject, type Json, type JsonObject, parseJson, put, stringifyJson } from '../../kernel/json.ts'
import type { Comparison, Entry, Id, Page, Query, SortOrder } from './types.ts'

/** Returns a page of ordered rows, of which at most `limit` + 1 are read. */
export function pageOf(rows: Iterable<Entry>, limit: number, total?: number): Page {
  const texts: string[] = []
  let last: Id | undefined
  for (const row of rows) {
    if (texts.length === limit) return finish(texts, true, last, total)
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
  const compare = compareBy(sort)
  return rows.toSorted((a, b) => compare(a, b) || compareIds(a.id, b.id))
}

/** Compares records by the fields of an order, and not by their ids. */
export function compareBy(sort: readonly SortOrder[]): (a: Entry, b: Entry) => number {
  const orders = firstOfEach(sort)
  return (a, b) => {
    for (const { field, descending } of orders) {
      const order = compareJson(a.value[field], b.value[field])
      if (order !== 0) return descending ? -order : order
    }
    return 0
  }
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
  return pageOf(rows.slice(skip, skip + limit + 1), limit, count === true ? rows.length : undefined)
}

/** The value that a comparison looks at: of a field such as `tags.name`, all of them. */
function comparedIn(record: JsonObject, { field, is }: Comparison): Json | undefined {
  const value = fieldIn(field, record)
  return value === undefined && is === 'contains' && field.includes('.') ? valuesIn(field, record) : value
}

function compileComparison(comparison: Comparison): (record: JsonObject) => boolean {
  const { is, value: other } = comparison
  const isOther = equalsOneOf([other].flat() as Json[])
  if (is === 'not') return record => !isOther(comparedIn(record, comparison))
  if (is !== 'contains') return record => holds(comparedIn(record, comparison), comparison)
  const part = String(other).toLowerCase()
  return record => {
    const value = comparedIn(record, comparison)
    if (Array.isArray(value)) return value.some(isOther)
    return typeof value === 'string' && part.length <= LONGEST_SEARCH && value.toLowerCase().includes(part)
  }
}

/** Returns a function that tells whether a value is like one of these, of which a request may name thousands. */
function equalsOneOf(others: readonly Json[]): (value: Json | undefined) => boolean {
  const plain = new Set(others.filter(isPlainValue))
  const rest = others.filter(other => !isPlainValue(other))
  const isLike = (value: Json | undefined) => (other: Json) => compareJson(value, other) === 0
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

/** Numbers before texts, and texts of digits before others, by their values: "9", "10", "1a". `<` compares a bigint exactly. */
export function compareIds(a: Id, b: Id): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') {
    const isNumber = hasDigitsOnly(a)
    if (isNumber !== hasDigitsOnly(b)) return isNumber ? -1 : 1
    if (isNumber && a.length !== b.length) return a.length - b.length
  } else if (typeof a === 'string' || typeof b === 'string') return typeof a === 'string' ? 1 : -1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Most texts end at the first character, so this costs nothing beside the comparison. */
function hasDigitsOnly(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 57 || text.charCodeAt(i) < 48) return false
  return text !== ''
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

// --- searching for words ---

/** Every record is searched for every word, and no other request is answered meanwhile. */
const MOST_WORDS = 20
/** The engine takes seconds to find some texts of thousands of characters, `aaa…caaa…`, in a million letters `a`. */
export const LONGEST_SEARCH = 200

/** Why a search takes too long; `undefined` if it does not, or without one. */
export const excessOf = (search: string | undefined): string | undefined =>
  search !== undefined && (search.length > LONGEST_SEARCH || wordsOf(search).length > MOST_WORDS)
    ? `must have at most ${MOST_WORDS} different words and ${LONGEST_SEARCH} characters`
    : undefined

const wordsOf = (search: string): string[] => [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))]

/** Returns a function that tells whether a record mentions each word; `undefined` without words. */
function compileSearch(search: string | undefined): ((record: Json) => boolean) | undefined {
  const words = wordsOf(search ?? '')
  if (words.length === 0) return undefined
  return record => {
    let left = words
    visitTexts(record, text => {
      const lower = text.toLowerCase()
      left = left.filter(word => !lower.includes(word))
      return left.length === 0
    })
    return left.length === 0
  }
}

/** Visits all texts of a value until `visit` is done. Returns whether it is. */
function visitTexts(value: Json, visit: (text: string) => boolean): boolean {
  if (typeof value === 'string') return visit(value)
  if (Array.isArray(value)) return value.some(item => visitTexts(item, visit))
  return isObject(value) && Object.values(value).some(item => visitTexts(item as Json, visit))
}

// --- fields by their names, which may be paths: `metadata.name` ---

/** Whether a name is a path into a record. A name in braces, `{repo}`, is not. */
const isPath = (field: string): boolean => field.includes('.') && !field.startsWith('{')

/** The value of a field at the top of a record or, for a name such as `metadata.name`, within. */
export function fieldIn(field: string, record: JsonObject): Json | undefined {
  const value = record[field]
  // A record without a field of the name `constructor` inherits a function.
  if (typeof value === 'function') return undefined
  if (value !== undefined || !isPath(field)) return value
  return field
    .split('.')
    .reduce<Json | undefined>((within, key) => (isObject(within) ? (within[key] as Json) : undefined), record)
}

export { fieldIn as idIn }

/** Returns the record with a value for a field, which is at the top where the record or no path has it. */
export function withField(field: string, value: Json, record: JsonObject): JsonObject {
  if (!isPath(field) || Object.hasOwn(record, field)) return { ...record, [field]: value }
  return withFieldWithin(field.split('.'), value, record)
}

function withFieldWithin([key = '', ...rest]: readonly string[], value: Json, record: JsonObject): JsonObject {
  if (rest.length === 0) return { ...record, [key]: value }
  const inner = record[key]
  return { ...record, [key]: withFieldWithin(rest, value, isObject(inner) ? (inner as JsonObject) : {}) }
}

/** The values of a field, through lists: `tags.name` are the names of all tags. A tag that is a text is its own name. */
export function valuesIn(field: string, record: JsonObject): readonly Json[] {
  const value = fieldIn(field, record)
  if (value !== undefined) return Array.isArray(value) ? value : [value]
  if (!isPath(field)) return []
  const inside = (item: Json, key: string): Json => {
    if (typeof item === 'string') return item
    return isObject(item) && Object.hasOwn(item, key) ? (item[key] as Json) : []
  }
  return field
    .split('.')
    .reduce<Json[]>((all, key) => all.flatMap(item => inside(item, key)), [record])
    .flat() as Json[]
}

// --- ids and keys ---

/**
 * Returns the key of a record: its id where ids are unique among all records, else `default/web` for the id `web` within
 * `default`.
 */
export function indexKeyOf(record: JsonObject, idField: string, within: readonly string[] = []): Id | undefined {
  const id = fieldIn(idField, record) as Id | undefined
  if (within.length === 0 || id === undefined) return id
  return joinKey([...within.map(field => fieldIn(field, record)), id])
}

/** Joins the parts of a key; one that is absent leaves its place empty. */
export const joinKey = (parts: readonly (Json | undefined)[]): string =>
  parts
    .map(part => (part === undefined || part === null ? '' : String(part).replace(/[%/]/g, encodeURIComponent)))
    .join('/')

/** Returns a record with an id, which is first in its text and overrides that of the fields. */
export function withId(field: string, id: Id, fields: JsonObject): JsonObject {
  if (fields[field] === id && isFirst(field, fields)) return fields
  if (field.includes('.') && !Object.hasOwn(fields, field)) return withField(field, id, fields)
  const record: Record<string, Json> = {}
  put(record, field, id)
  for (const name of Object.keys(fields)) if (name !== field) put(record, name, fields[name] as Json)
  return record
}

function isFirst(field: string, fields: JsonObject): boolean {
  for (const name in fields) return name === field
  return false
}

// --- the text of a record as it is stored ---

/**
 * Returns the text of a record in one piece. The engine keeps a text that it has just written in several pieces, which take
 * half as much memory again, until a character is read. The error below keeps the engine from removing that read.
 */
export function recordText(value: JsonObject): string {
  const text = stringifyJson(value)
  if (text.charCodeAt(text.length - 1) !== BRACE) throw new Error('a record is an object')
  return text
}

const BRACE = 125

/** Reads the text of a record that was stored once. */
export function readRecord(text: string): JsonObject {
  const parsed = parseJson(text, true)
  if ('fault' in parsed) throw new Error(`a stored record ${parsed.fault}`)
  return parsed.value as JsonObject
}

/** The field of a record that says that a world has deleted it: another server has it still. The other fields are the server's. */
export const DELETED = '{deleted}'

export const isDeleted = (record: JsonObject): boolean => record[DELETED] === true
