// The columns of a table of records: the id, then the fields that say most in a cell.

import { ExactNumber, isRecord, type Json, type JsonRecord } from './exact-json.ts'
import { type FormField, fieldsOf, type RecordSchema, resolveSchema } from './record-form.ts'

export interface RecordColumn {
  readonly id: string
  readonly title: string
  readonly width: string
  readonly number: boolean
  readonly sorts: boolean
  /** Left out of narrow windows. */
  readonly wide: boolean
}

const MOST = 8
const MOST_NARROW = 4
/** The order of kinds: a word says more in a cell than a list. */
const RANK: Readonly<Record<string, number>> = {
  text: 0,
  choice: 0,
  number: 1,
  boolean: 1,
  group: 2,
  'long-text': 3,
  list: 3,
  json: 4,
}

/** @param sample records of the collection: an open schema names no fields */
export function columnsOf(
  schema: RecordSchema,
  idField: string,
  sample: readonly JsonRecord[],
): readonly RecordColumn[] {
  const found = fieldsOf(resolveSchema(schema, schema), schema, sample[0])
  // A nested id such as `metadata.name` is not a member.
  const id = found.find(({ name }) => name === idField)
  const ranked = found
    .filter(field => field !== id)
    .map((field, place) => ({ field, rank: (RANK[field.kind] ?? 4) * 100 - (field.required ? 50 : 0) + place }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST - 1)
    .map(({ field }) => field)
  const chosen = [...(id === undefined ? [] : [id]), ...found.filter(field => ranked.includes(field))]
  return chosen.map((field, place) => ({
    id: field.name,
    title: field.name,
    width: widthOf(field, field === id),
    number: field.kind === 'number',
    sorts: true,
    wide: field !== id && !ranked.slice(0, MOST_NARROW - 1).includes(field) && place > 0,
  }))
}

function widthOf({ kind, schema }: FormField, isId: boolean): string {
  if (isId) return kind === 'number' ? '5rem' : 'minmax(6rem, 1.2fr)'
  if (kind === 'number' || kind === 'boolean') return 'minmax(4rem, 0.7fr)'
  if (kind === 'choice' || schema.format === 'date') return 'minmax(5rem, 0.8fr)'
  return 'minmax(6rem, 1.4fr)'
}

const MOST_CHARACTERS = 120

/** A value as one line of text in a cell. */
export function cellOf(value: Json | undefined): string {
  if (value === undefined) return ''
  if (value === null) return 'null'
  if (typeof value !== 'object' || value instanceof ExactNumber) return String(value).slice(0, MOST_CHARACTERS)
  if (isRecord(value)) {
    const text = Object.values(value).map(cellOf).join(' ')
    return text.slice(0, MOST_CHARACTERS)
  }
  const items = value as readonly Json[]
  const simple = items.every(item => typeof item !== 'object' || item === null)
  return simple ? items.map(cellOf).join(', ').slice(0, MOST_CHARACTERS) : `${items.length} items`
}

/** The value at the field of the id: `metadata.name` is a path. */
export function idOf(record: JsonRecord, idField: string): string {
  if (record[idField] !== undefined) return String(record[idField])
  let value: Json | undefined = record
  for (const name of idField.split('.')) value = isRecord(value) ? value[name] : undefined
  return value === undefined ? '' : String(value)
}
