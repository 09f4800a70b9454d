// The schema of values that were seen: what all of them fulfil.

import { isObject, type Json, type JsonObject, put } from '../../kernel/json.ts'

const FORMATS: readonly (readonly [format: string, pattern: RegExp])[] = [
  ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['uuid', /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i],
  ['email', /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/],
  ['uri', /^https?:\/\/[^\s"<>\\^`{|}]+$/],
]

/**
 * Returns a schema of OpenAPI 3.1 that every value fulfils: types, members, and formats of texts. A member is required if every
 * object has it. It allows more than was seen: no enum, no bounds.
 */
export function schemaOfValues(values: readonly Json[]): JsonObject {
  const types = new Set(values.map(kindOfJson))
  // Every integer is a number.
  if (types.has('number')) types.delete('integer')
  const schema: Record<string, Json> = {}
  if (types.size > 0) schema.type = types.size === 1 ? ([...types][0] as string) : [...types].sort()
  const texts = values.filter(value => typeof value === 'string')
  const format = FORMATS.find(([, pattern]) => texts.length > 0 && texts.every(text => pattern.test(text)))
  if (format !== undefined) schema.format = format[0]
  const objects = values.filter((value): value is JsonObject => kindOfJson(value) === 'object')
  if (objects.length > 0) Object.assign(schema, membersSchema(objects))
  const lists = values.filter(value => Array.isArray(value)) as readonly (readonly Json[])[]
  if (lists.length > 0) schema.items = schemaOfValues(lists.flat())
  return schema
}

function membersSchema(objects: readonly JsonObject[]): JsonObject {
  const seen = new Map<string, Json[]>()
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const known = seen.get(name)
      if (known === undefined) seen.set(name, [value])
      else known.push(value)
    }
  }
  if (seen.size === 0) return {}
  const required = [...seen].filter(([, values]) => values.length === objects.length).map(([name]) => name)
  const properties: Record<string, Json> = {}
  for (const [name, values] of seen) put(properties, name, schemaOfValues(values))
  return { ...(required.length > 0 ? { required } : {}), properties }
}

function kindOfJson(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isObject(value) && Object.getPrototypeOf(value) === Object.prototype) return 'object'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'bigint') return 'integer'
  // A number with more digits than a number of JavaScript holds.
  return typeof value === 'object' ? 'number' : typeof value
}
