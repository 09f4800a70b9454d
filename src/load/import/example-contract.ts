// The description of the operations of a collection: what its requests send, and its saved replies as examples.

import { isObject, type Json, type JsonObject, mapValues } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { freeName, singular } from '../../kernel/names.ts'
import { type ImportedCase, type ImportedRoute, pascal } from './imported.ts'
import { schemaOfValues } from './schema-of.ts'

/** The records of a collection: the name of their schema, and what is known of them. */
export interface ShownRecords {
  readonly name: string
  readonly values: JsonObject[]
}

/** The path of the collection at a path, or that a record at a path is in. */
export const collectionOf = (path: string): string => path.replace(/\/\{[^}]*\}$/, '')

type Shown = Pick<ImportedRoute, 'method' | 'path' | 'cases' | 'shown'>

/** The records that replies show, by the path of their collection; where no reply was saved, those that requests create. */
export function recordsShown(routes: readonly Shown[]): ReadonlyMap<string, ShownRecords> {
  const found = new Map<string, JsonObject[]>()
  const add = (path: string, ...values: JsonObject[]) =>
    getOrMake(found, collectionOf(path), (): JsonObject[] => []).push(...values)
  for (const { path, cases } of routes) {
    const hasItems = routes.some(
      one => one.path !== collectionOf(path) && collectionOf(one.path) === collectionOf(path),
    )
    for (const { status, body } of cases) {
      const { keys = [], records = [] } = (status < 300 ? shownIn(body as Json) : undefined) ?? {}
      if (records.length > 0 && (hasItems || keys.includes('*'))) add(path, ...records)
    }
  }
  for (const { method, path, shown } of routes) {
    const item = routes.find(one => one.method === 'GET' && one.path !== path && collectionOf(one.path) === path)
    const [body] = shown.bodies.get('application/json') ?? []
    if (method !== 'POST' || found.has(path) || item === undefined || !isObject(body)) continue
    const [id = ''] = item.shown.parameters.get(item.path.replace(/.*\{(.*)\}$/, 'path $1')) ?? []
    add(path, { id: /^\d*$/.test(id) ? 1 : id, ...(body as JsonObject) })
  }
  const names = new Map<string, true>()
  return new Map(
    [...found].map(([path, values]) => {
      const word = singular(path.split('/').findLast(segment => /^\w/.test(segment)) ?? 'record')
      const name = freeName(pascal(word), names)
      names.set(name, true)
      return [path, { name, values }]
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

export function describeImported(route: ImportedRoute, records: ReadonlyMap<string, ShownRecords>): JsonObject {
  const { summary, description, tag, cases, shown } = route
  const { name: record } = records.get(collectionOf(route.path)) ?? {}
  const parameters = [...shown.parameters].map(([key, values]) => {
    const [place, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
    const given = values.filter(value => value !== '')
    const isInteger = given.length > 0 && given.every(value => /^(?:0|[1-9]\d{0,14})$/.test(value))
    const example = isInteger ? Number(given[0]) : given[0]
    const schema = { type: isInteger ? 'integer' : 'string' }
    return {
      ...{ name, in: place, ...(place === 'path' ? { required: true } : {}), schema },
      ...(example === undefined ? {} : { example }),
    }
  })
  const content = mapValues(Object.fromEntries(shown.bodies), bodies => {
    // One request shows fields that others may leave out.
    const { required, ...schema } = schemaOfValues(bodies)
    return bodies.length === 0 ? {} : { schema, example: bodies[0] as Json }
  })
  const statuses = Object.fromEntries(cases.map(({ status }) => [status, cases.filter(one => one.status === status)]))
  return {
    ...(summary ? { summary } : {}),
    ...(description ? { description } : {}),
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(shown.security.size > 0 ? { security: [...shown.security].map(name => ({ [name]: [] })) } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(shown.bodies.size > 0 ? { requestBody: { content } } : {}),
    responses:
      cases.length === 0 ? unsavedReply(route, record) : mapValues(statuses, own => describeReplies(own, record)),
  } as JsonObject
}

/** The reply of an operation without a saved one: the record, if some request creates it. */
function unsavedReply({ method, path }: ImportedRoute, record: string | undefined): JsonObject {
  const description = 'No reply was saved'
  if (record === undefined || method === 'DELETE') return { [method === 'DELETE' ? 204 : 200]: { description } }
  const one = { $ref: `#/components/schemas/${record}` }
  const isList = method === 'GET' && collectionOf(path) === path
  const content = { 'application/json': { schema: isList ? { type: 'array', items: one } : one } }
  return { [method === 'POST' ? 201 : 200]: { description, content } }
}

function describeReplies(cases: readonly ImportedCase[], record: string | undefined): JsonObject {
  const types = [...new Set(cases.flatMap(({ type }) => type ?? []))]
  const content = types.map(type => {
    const own = cases.filter(one => one.type === type)
    const examples = Object.fromEntries(own.map(({ name, body }) => [name, { value: body as Json }]))
    return [type, { schema: schemaOfReplies(own, record), examples }] as const
  })
  const description = (cases[0]?.name ?? '').replaceAll('-', ' ')
  return { description, ...(content.length > 0 ? { content: Object.fromEntries(content) } : {}) } as JsonObject
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
