// The schema of values that were seen, which all of them fulfil; and the records that replies of an API show.

import { isObject, type Json, type JsonObject, mapValues, put, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { freeName, singular } from '../../kernel/names.ts'
import { describeType } from './differences.ts'
import { type ImportedCase, type ImportedRoute, pascal } from './imported.ts'

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
    for (const [name, value] of Object.entries(object)) getOrMake(seen, name, (): Json[] => []).push(value)
  }
  if (seen.size === 0) return {}
  const required = [...seen].filter(([, values]) => values.length === objects.length).map(([name]) => name)
  const properties: Record<string, Json> = {}
  for (const [name, values] of seen) put(properties, name, schemaOfValues(values))
  return { ...(required.length > 0 ? { required } : {}), properties }
}

/** Returns a schema that requires no member at any depth. @param adapt changes the schema of a member */
export function withoutRequired(
  { required: _, ...schema }: JsonObject,
  adapt: (member: JsonObject) => JsonObject = member => member,
): JsonObject {
  const { properties, items } = schema as { properties?: Record<string, JsonObject>; items?: JsonObject }
  const below = (member: JsonObject) => withoutRequired(member, adapt)
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, member => adapt(below(member))) }),
    ...(items && { items: below(items) }),
  }
}

/** Returns the schema of an update: no member is required, and `null` removes one. */
export const partialOf = (schema: JsonObject): JsonObject =>
  withoutRequired(schema, ({ type, ...member }) => {
    const types = [type].flat().filter(name => name !== undefined && name !== 'null') as string[]
    return types.length === 0 ? member : { type: [...types, 'null'], ...member }
  })

const kindOfJson = (value: Json): string =>
  typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : describeType(value)

/** A value with one of the right type in place of each template. */
export function withoutTemplates(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutTemplates)
  if (isObject(value)) return mapValues(value as JsonObject, withoutTemplates)
  if (typeof value !== 'string' || !value.includes('${')) return value
  if (value.startsWith('${int(')) return 1
  if (value.includes('< 0.5}')) return true
  return value === '${uuid()}' ? '5f0c2a34-7d0b-4a52-8a5e-0d8f5e6b7c91' : value.replace(/\$\{[^}]*\}/g, 'text')
}

/** The records of a collection: the name of their schema, and what is known of them. */
export interface ShownRecords {
  readonly name: string
  readonly values: JsonObject[]
}

/** The path of the collection at a path, or that a record at a path is in. */
export const collectionOf = (path: string): string => path.replace(/\/\{[^}]*\}$/, '')

/** The records that replies show, by the path of their collection; where no reply was saved, those that requests create. */
export function recordsShown(routes: readonly ImportedRoute[]): ReadonlyMap<string, ShownRecords> {
  const found = new Map<string, JsonObject[]>()
  const add = (path: string, ...values: JsonObject[]) =>
    getOrMake(found, collectionOf(path), (): JsonObject[] => []).push(...values)
  const items = new Map<string, ImportedRoute>()
  for (const one of routes) {
    const at = collectionOf(one.path)
    if (at !== one.path && (one.method === 'GET' || !items.has(at))) items.set(at, one)
  }
  for (const { path, cases } of routes) {
    for (const { status, body } of cases) {
      const { keys = [], records = [] } = (status < 300 ? shownIn(body as Json) : undefined) ?? {}
      if (records.length > 0 && (items.has(collectionOf(path)) || keys.includes('*'))) add(path, ...records)
    }
  }
  for (const { method, path, shown } of routes) {
    const item = items.get(path)
    const [body] = shown.bodies.get('application/json') ?? []
    if (method !== 'POST' || found.has(path) || item?.method !== 'GET' || !isObject(body)) continue
    const [[id = ''] = []] = item.shown.parameters.get(item.path.replace(/.*\{(.*)\}$/, 'path $1')) ?? []
    add(path, { id: /^\d*$/.test(id) ? 1 : id, ...(body as JsonObject) })
  }
  const names = new Map<string, ShownRecords>()
  return new Map(
    [...found].map(([path, values]) => {
      const word = pascal(singular(path.split('/').findLast(segment => /^\w/.test(segment)) ?? 'record'))
      // `/posts/{postId}/comments` shows comments of `/comments`.
      const texts = new Set(names.get(word)?.values.map(stringifyJson))
      const isSame = values.some(one => texts.has(stringifyJson(one)))
      const records = (isSame && names.get(word)) || { name: freeName(word, names), values: [] }
      records.values.push(...values)
      names.set(records.name, records)
      return [path, records]
    }),
  )
}

interface FoundRecords {
  readonly keys: readonly string[]
  readonly records: readonly JsonObject[]
}

/** The records in a reply, and the keys that lead to them: those of a list, or the one that the reply is. */
function shownIn(body: Json | undefined, depth = 0): FoundRecords | undefined {
  const isRecord = (value: unknown): value is JsonObject => isObject(value) && ('id' in value || '_id' in value)
  if (Array.isArray(body)) return body.length > 0 && body.every(isRecord) ? { keys: ['*'], records: body } : undefined
  if (isRecord(body)) return { keys: [], records: [body] }
  for (const [key, inner] of isObject(body) && depth < 2 ? Object.entries(body as JsonObject) : []) {
    const below = shownIn(inner, depth + 1)
    if (below !== undefined) return { ...below, keys: [key, ...below.keys] }
  }
  return undefined
}

/** Puts a reference in place of the part of a schema that the keys lead to. */
function refersTo(schema: Json, [key, ...rest]: readonly string[], $ref: string): Json {
  if (key === undefined) return { $ref }
  const { items = {}, properties = {}, ...others } = schema as JsonObject
  if (key === '*') return { ...others, items: refersTo(items, rest, $ref) }
  const own = properties as JsonObject
  return { ...others, properties: { ...own, [key]: refersTo(own[key] ?? {}, rest, $ref) } }
}

/** The reply of an operation without a saved one: the record, if some request creates it. */
export function unsavedReply({ method, path }: ImportedRoute, record: string | undefined): Record<string, JsonObject> {
  const description = 'No reply was saved'
  if (record === undefined || method === 'DELETE') return { [method === 'DELETE' ? 204 : 200]: { description } }
  const one = { $ref: `#/components/schemas/${record}` }
  const isList = method === 'GET' && collectionOf(path) === path
  const content = { 'application/json': { schema: isList ? { type: 'array', items: one } : one } }
  return { [method === 'POST' ? 201 : 200]: { description, content } }
}

/** The schema of what replies to an operation show. @param record the name of the schema of the records in them */
export function schemaOfReplies(cases: readonly ImportedCase[], record: string | undefined): JsonObject {
  const schema = schemaOfValues(cases.map(({ body }) => body as Json))
  // An empty list shows none, wherever the others have them.
  const found = cases.flatMap(({ status, body }) => (status < 300 ? [shownIn(body as Json)?.keys] : []))
  const keys = found.find(Boolean)
  const isOne = found.every(one => one === undefined || one.join() === keys?.join())
  return keys && record && isOne ? (refersTo(schema, keys, `#/components/schemas/${record}`) as JsonObject) : schema
}
