// A table of records without the page: its rows, which are loaded by page when they become visible, its columns, and the
// beginning of a new record.

import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { keysAt, keywordsAt, partsAt, type SchemaPart } from '../editor/schema-path.ts'

/** Records in a page. */
export const PAGE = 100

type LoadPage<Row> = (
  offset: number,
  limit: number,
  signal: AbortSignal,
) => Promise<{ readonly rows: readonly Row[]; readonly total: number }>

interface RecordPage<Row> {
  rows?: readonly Row[]
  /** Set while it is being loaded. */
  abort?: AbortController | undefined
  /** Whether it need not be loaded again. */
  isFresh?: boolean
}

/** Loads records by page when they become visible. @param changed is called after each page that arrived or failed */
export function recordPages<Row>(load: LoadPage<Row>, changed: () => void) {
  const pages = new Map<number, RecordPage<Row>>()
  let seen: readonly [from: number, to: number] = [0, 0]
  const loaded = {
    /** How many records there are; undefined until the first page is there. */
    total: undefined as number | undefined,
    /** The failure of the last page. */
    error: undefined as Error | undefined,
    at: (index: number): Row | undefined => pages.get(Math.floor(index / PAGE))?.rows?.[index % PAGE],
    /** Loads missing visible rows, and aborts requests for rows that are no longer visible. */
    show(from: number, to: number): void {
      seen = [from, to]
      const first = Math.floor(from / PAGE)
      const last = Math.floor(Math.max(from, to - 1) / PAGE)
      loaded.stop(number => number < first || number > last)
      for (let number = first; number <= last; number++) {
        const page = pages.get(number) ?? {}
        pages.set(number, page)
        if (!page.isFresh && page.abort === undefined) void loadPage(number * PAGE, page)
      }
    },
    /** Loads the visible rows again; the old ones are shown until then. */
    refresh(): void {
      loaded.error = undefined
      loaded.stop()
      for (const page of pages.values()) page.isFresh = false
      loaded.show(...seen)
    },
    /** Aborts running requests: those for some pages, or all. */
    stop(isOf: (page: number) => boolean = () => true): void {
      for (const [number, page] of pages) {
        if (!isOf(number)) continue
        page.abort?.abort()
        page.abort = undefined
      }
    },
  }
  const loadPage = async (offset: number, page: RecordPage<Row>): Promise<void> => {
    const abort = new AbortController()
    page.abort = abort
    try {
      const { rows, total } = await load(offset, PAGE, abort.signal)
      if (abort.signal.aborted) return
      Object.assign(page, { rows, isFresh: true })
      Object.assign(loaded, { total, error: undefined })
    } catch (error) {
      if (abort.signal.aborted) return
      loaded.error = error as Error
    }
    page.abort = undefined
    changed()
  }
  return loaded
}

interface RecordColumn {
  readonly name: string
  readonly width: string
  /** `end`: a number. */
  readonly classes: string
}

const MOST_COLUMNS = 8

/** How much a field says in a cell: a word more than a number, and that more than an object or a list. */
const RANKS: Readonly<Record<string, number>> = { string: 0, integer: 1, number: 1, boolean: 1, object: 2, array: 3 }
const LEAST_RANK = 4

/** @param sample a record of the collection: an open schema names no fields */
export function columnsOf(schema: SchemaPart, idField: string, sample: JsonObject = {}): readonly RecordColumn[] {
  const names = [...new Set([...keysAt(schema, []).map(({ value }) => `${value}`), ...Object.keys(sample)])]
  const required = requiredAt(schema, [])
  const typeOf = (name: string): string => `${[keywordsAt(schema, [name]).type].flat().find(type => type !== 'null')}`
  const rankOf = (name: string): number => (RANKS[typeOf(name)] ?? LEAST_RANK) - (required.has(name) ? 0.5 : 0)
  const ranked = names
    .filter(name => name !== idField)
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, MOST_COLUMNS - 1)
  // The id may be nested, such as `metadata.name`, and has no column then.
  const chosen = [...names.filter(name => name === idField), ...names.filter(name => ranked.includes(name))]
  return chosen.map(name => {
    const isNumber = /^(?:integer|number)$/.test(typeOf(name))
    if (name === idField) return { name, width: isNumber ? '5rem' : '1.2fr', classes: 'mono' }
    return { name, width: RANKS[typeOf(name)] === 1 ? '0.7fr' : '1.4fr', classes: isNumber ? 'end' : '' }
  })
}

const requiredAt = (root: SchemaPart, path: readonly string[]): ReadonlySet<string> =>
  new Set(partsAt(root, path).flatMap(({ required = [] }) => required))

const MOST_CHARACTERS = 120

/** Returns a value as one line of text for a cell. */
export function cellText(value: Json = ''): string {
  const isWhole = !Array.isArray(value) && !isObject(value)
  if (isWhole) return String(value).slice(0, MOST_CHARACTERS)
  if (Array.isArray(value) && value.some(item => Array.isArray(item) || isObject(item))) return `${value.length} items`
  return Object.values(value)
    .map(item => cellText(item as Json))
    .join(Array.isArray(value) ? ', ' : ' ')
    .slice(0, MOST_CHARACTERS)
}

/** Returns the id of a record: `metadata.name` is a path. */
export function idIn(record: JsonObject, idField: string): string {
  const inside = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)
  return String(record[idField] ?? idField.split('.').reduce(inside, record) ?? '')
}

/** Deeper objects begin empty. */
const DEEPEST = 4

/**
 * Returns a beginning of the value at a path: its default, its first choice, or an object of the required fields. A field that
 * has none of these is null, which is refused unless the schema allows it.
 *
 * @param without a field of the whole that is left out: the id
 */
export function blankAt(root: SchemaPart, path: readonly string[] = [], without = ''): unknown {
  const { default: usual, const: only, enum: choices, type, properties } = keywordsAt(root, path)
  const suggested = usual ?? only ?? choices?.[0]
  if (suggested !== undefined) return suggested
  const [first] = [type].flat()
  if (path.length > 0 && first !== 'object' && properties === undefined) {
    return first === 'string' ? '' : first === 'array' ? [] : first === 'boolean' ? false : null
  }
  if (path.length > DEEPEST) return {}
  const required = requiredAt(root, path)
  const names = keysAt(root, path).map(({ value }) => String(value))
  const wanted = names.filter(name => {
    const { default: usual, readOnly } = keywordsAt(root, [...path, name])
    return name !== without && !readOnly && (required.has(name) || usual !== undefined)
  })
  return Object.fromEntries(wanted.map(name => [name, blankAt(root, [...path, name])]))
}
