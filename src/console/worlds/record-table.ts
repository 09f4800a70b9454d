// A table of records without the page: its rows, which are loaded by page when they become visible, its columns, and the
// beginning of a new record.

import { Decimal, isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { keysAt, keywordsAt, partsAt, type SchemaPart } from '../editor/schema-path.ts'

/** Records in a page. */
export const PAGE = 100
/** Pages farther from the last one are forgotten. */
const FARTHEST = 20

type LoadPage<Row> = (
  offset: number,
  limit: number,
  signal: AbortSignal,
) => Promise<{ readonly rows: readonly Row[]; readonly total: number }>

export class RecordPages<Row> {
  readonly #load: LoadPage<Row>
  readonly #changed: () => void
  readonly #pages = new Map<number, readonly Row[]>()
  /** The pages that need not be loaded again. */
  readonly #fresh = new Set<number>()
  readonly #loading = new Map<number, AbortController>()
  #from = 0
  #to = 0
  /** How many records there are; undefined until the first page is there. */
  total: number | undefined
  /** The failure of the last page. */
  error: Error | undefined

  /** @param changed is called after each page that arrived or failed */
  constructor(load: LoadPage<Row>, changed: () => void) {
    this.#load = load
    this.#changed = changed
  }

  at(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE]
  }

  /** Loads missing visible rows, and aborts requests for rows that are no longer visible. */
  show(from: number, to: number): void {
    this.#from = from
    this.#to = to
    const first = Math.floor(from / PAGE)
    const last = Math.floor(Math.max(from, to - 1) / PAGE)
    this.stop(page => page < first || page > last)
    for (let page = first; page <= last; page++) {
      if (!this.#fresh.has(page) && !this.#loading.has(page)) void this.#fetch(page)
    }
  }

  /** Loads the visible rows again; the old ones are shown until then. */
  refresh(): void {
    this.#fresh.clear()
    this.error = undefined
    this.stop()
    this.show(this.#from, this.#to)
  }

  /** Aborts running requests: those for some pages, or all. */
  stop(isOf: (page: number) => boolean = () => true): void {
    for (const [page, abort] of this.#loading) {
      if (!isOf(page)) continue
      abort.abort()
      this.#loading.delete(page)
    }
  }

  async #fetch(page: number): Promise<void> {
    const abort = new AbortController()
    this.#loading.set(page, abort)
    try {
      const { rows, total } = await this.#load(page * PAGE, PAGE, abort.signal)
      if (abort.signal.aborted) return
      this.#pages.set(page, rows)
      this.#fresh.add(page)
      this.total = total
      this.error = undefined
      for (const other of this.#pages.keys()) if (Math.abs(other - page) > FARTHEST) this.#forget(other)
    } catch (error) {
      if (abort.signal.aborted) return
      this.error = error as Error
    }
    this.#loading.delete(page)
    this.#changed()
  }

  #forget(page: number): void {
    this.#pages.delete(page)
    this.#fresh.delete(page)
  }
}

interface RecordColumn {
  readonly name: string
  readonly width: string
  /** `wide`: left out of narrow windows; `end`: a number. */
  readonly classes: string
}

const MOST_COLUMNS = 8
const MOST_NARROW = 4

/** How much a field says in a cell: a word more than a number, and that more than an object or a list. */
const RANKS: Readonly<Record<string, number>> = { string: 0, integer: 1, number: 1, boolean: 1, object: 2, array: 3 }
const LEAST_RANK = 4

/** @param sample a record of the collection: an open schema names no fields */
export function columnsOf(schema: SchemaPart, idField: string, sample: JsonObject = {}): readonly RecordColumn[] {
  const names = [...new Set([...keysAt(schema, []).map(({ value }) => String(value)), ...Object.keys(sample)])]
  const required = requiredAt(schema, [])
  const rankOf = (name: string): number =>
    (RANKS[String(typeAt(schema, name))] ?? LEAST_RANK) - (required.has(name) ? 0.5 : 0)
  const ranked = names
    .filter(name => name !== idField)
    .sort((a, b) => rankOf(a) - rankOf(b))
    .slice(0, MOST_COLUMNS - 1)
  // The id may be nested, such as `metadata.name`, and has no column then.
  const chosen = [...names.filter(name => name === idField), ...names.filter(name => ranked.includes(name))]
  return chosen.map((name, place) => {
    const type = typeAt(schema, name)
    const isId = name === idField
    const isNumber = type === 'integer' || type === 'number'
    const isWide = !isId && place > 0 && !ranked.slice(0, MOST_NARROW - 1).includes(name)
    const classes = `${isWide ? 'wide' : ''} ${isId ? 'mono' : isNumber ? 'end' : ''}`
    return { name, width: widthOf(type, isId), classes }
  })
}

const typeAt = (schema: SchemaPart, name: string): string | undefined =>
  [keywordsAt(schema, [name]).type].flat().find(type => type !== 'null')

function widthOf(type: string | undefined, isId: boolean): string {
  if (isId) return type === 'integer' ? '5rem' : 'minmax(6rem, 1.2fr)'
  return type === 'integer' || type === 'number' || type === 'boolean' ? 'minmax(4rem, 0.7fr)' : 'minmax(6rem, 1.4fr)'
}

const requiredAt = (root: SchemaPart, path: readonly string[]): ReadonlySet<string> =>
  new Set(partsAt(root, path).flatMap(({ required = [] }) => required))

const MOST_CHARACTERS = 120

/** Returns a value as one line of text for a cell. */
export function cellText(value: Json | undefined): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) {
    const isSimple = value.every(item => item === null || typeof item !== 'object' || item instanceof Decimal)
    return isSimple ? value.map(cellText).join(', ').slice(0, MOST_CHARACTERS) : `${value.length} items`
  }
  const text = isObject(value)
    ? Object.values(value as JsonObject)
        .map(cellText)
        .join(' ')
    : String(value)
  return text.slice(0, MOST_CHARACTERS)
}

/** Returns the id of a record: `metadata.name` is a path. */
export function idIn(record: JsonObject, idField: string): string {
  let value: Json | undefined = record[idField]
  if (value === undefined) {
    value = record
    for (const name of idField.split('.')) value = isObject(value) ? (value as JsonObject)[name] : undefined
  }
  return value === undefined ? '' : String(value)
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
  const given = usual ?? only ?? choices?.[0]
  if (given !== undefined) return given
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
