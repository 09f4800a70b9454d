// Reads and writes a field of a record by its name, which may be a path: `metadata.name`.

import { isObject, type Json, type JsonObject } from '../kernel/json.ts'

/** Whether a name is a path into a record. A name in braces, `{repo}`, is not. */
const isPath = (field: string): boolean => field.includes('.') && !field.startsWith('{')

/** The value of a field at the top of a record or, for a name such as `metadata.name`, within. */
export function fieldIn(field: string, record: JsonObject): Json | undefined {
  const own = record[field]
  if (own !== undefined || !isPath(field)) return own
  return field.split('.').reduce<Json | undefined>((at, key) => (isObject(at) ? (at[key] as Json) : undefined), record)
}

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
  const own = fieldIn(field, record)
  if (own !== undefined) return Array.isArray(own) ? own : [own]
  if (!isPath(field)) return []
  const inside = (one: Json, key: string): Json => {
    if (typeof one === 'string') return one
    return isObject(one) && Object.hasOwn(one, key) ? (one[key] as Json) : []
  }
  return field
    .split('.')
    .reduce<Json[]>((all, key) => all.flatMap(one => inside(one, key)), [record])
    .flat() as Json[]
}
