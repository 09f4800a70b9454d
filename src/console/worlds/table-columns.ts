// The columns of a table of records: the id, then the fields that say most in a cell. And the beginning of a new record.

import { Decimal, isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { keysAt, keywordsAt, partsAt, type SchemaPart } from '../editor/schema-path.ts'

export interface RecordColumn {
  readonly id: string
  readonly title: string
  readonly width: string
  readonly isNumber: boolean
  /** Left out of narrow windows. */
  readonly wide: boolean
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
  const ranked = names
    .filter(name => name !== idField)
    .map((name, place) => {
      const rank = RANKS[String(typeAt(schema, name))] ?? LEAST_RANK
      return { name, rank: rank * 100 - (required.has(name) ? 50 : 0) + place }
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST_COLUMNS - 1)
    .map(({ name }) => name)
  // The id may be nested, such as `metadata.name`, and has no column then.
  const chosen = [...names.filter(name => name === idField), ...names.filter(name => ranked.includes(name))]
  return chosen.map((name, place) => {
    const type = typeAt(schema, name)
    const isId = name === idField
    return {
      id: name,
      title: name,
      width: widthOf(type, isId),
      isNumber: type === 'integer' || type === 'number',
      wide: !isId && place > 0 && !ranked.slice(0, MOST_NARROW - 1).includes(name),
    }
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
