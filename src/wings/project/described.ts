// The contract that an import writes: its operations with their parameters, bodies and responses.

import { expressionsOf } from '../../contract/paths.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  mapValues,
  memberAt,
  parseJson,
  put,
  stringifyJson,
} from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'
import { freeName, singular } from '../../kernel/names.ts'
import { roleOf } from '../infer/list.ts'
import {
  type Imported,
  type ImportedCase,
  ImportedFile,
  type ImportedRoute,
  isUsual,
  operationIdOf,
  pascal,
  type ShownRequests,
} from './imported.ts'
import {
  collectionOf,
  recordsShown,
  schemaOfReplies,
  schemaOfValues,
  unsavedReply,
  withoutRequired,
} from './schema-of.ts'

/** A body that is no JSON is refused; for a record that is not there, other tools send an empty object. */
export const INVALID = { description: 'The request is not valid' }
export const MISSING = { description: 'No such record', content: { 'application/json': { example: {} } } }

export const BODY_METHODS = new Set(['POST', 'PUT', 'PATCH'])

/** The names of a contract that was made of the same API before. */
interface EarlierNames {
  readonly ids: ReadonlySet<string>
  /** Returns the id of an operation. @param path with the path of the server */
  idOf(method: string, path: string): string | undefined
}

/** Begins a contract of requests and replies that were seen. */
export function createContract() {
  const paths: Record<string, Record<string, Json>> = {}
  const ids = new Map<string, true>()
  const schemas: Record<string, Json> = {}
  let base = ''
  /** Adds an operation. Returns its id: the name, unless another one has it. */
  const add = (method: string, path: string, operation: object, name: string): string => {
    const id = freeName(name, ids)
    ids.set(id, true)
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId: id, ...operation } as Json }
    return id
  }
  return {
    add,
    schemas,
    /**
     * Adds routes whose cases are examples.
     *
     * @param recorded set if they show all traffic, so that no example is written: the names of an earlier recording
     */
    addExamples(routes: readonly ImportedRoute[], recorded?: EarlierNames): void {
      const isRecorded = recorded !== undefined
      const records = recordsShown(routes)
      const names = namesOf(routes, records, ids.keys(), recorded)
      for (const { name, values } of records.values()) put(schemas, name, schemaOfValues(values))
      base = basePathOf(routes.map(({ path }) => path))
      for (const route of routes) {
        const record = records.get(collectionOf(route.path))?.name
        const own = { ...route, path: route.path.slice(base.length) }
        add(route.method, own.path, operationFor(own, { record, isRecorded }), names.get(route) as string)
      }
    },
    write: ({ title, schemes = {} }: Pick<Imported, 'title' | 'schemes'>): JsonObject => ({
      openapi: '3.1.0',
      info: { title, version: '1' },
      ...(base === '' ? {} : { servers: [{ url: base }] }),
      paths,
      ...withoutEmpty({ components: withoutEmpty({ schemas, securitySchemes: schemes }) }),
    }),
  }
}

/** An object without the objects in it that are empty. */
export const withoutEmpty = <Value>(all: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).filter(([, one]) => !isObject(one) || Object.keys(one).length > 0))

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'replace', PATCH: 'update', DELETE: 'delete' }

/**
 * Names operations. A list below an owner leaves the short name to the list of all: `listOrders` and `listCustomerOrders`.
 *
 * @param used names that other operations have
 */
function namesOf(
  routes: readonly ImportedRoute[],
  records: ReadonlyMap<string, { readonly name: string }>,
  used: Iterable<string>,
  recorded: EarlierNames | undefined,
): ReadonlyMap<ImportedRoute, string> {
  const names = new Map<ImportedRoute, string>()
  const given = new Set(used)
  const taken = { has: (id: string) => given.has(id) || recorded?.ids.has(id) === true }
  const base = basePathOf(routes.map(({ path }) => path))
  const depthOf = ({ path }: ImportedRoute) => path.split('/').length
  for (const route of routes.toSorted((a, b) => depthOf(a) - depthOf(b))) {
    const own = { ...route, path: route.path.slice(base.length) }
    const record = records.get(collectionOf(route.path))?.name
    const earlier = recorded?.idOf(route.method, route.path)
    const isEarlier = earlier !== undefined && !given.has(earlier)
    const short = nameOperation(own, record)
    const owner = /^.*\/([^/{}]+)\/\{[^}]*\}\/[^/{}]+$/.exec(own.path)?.[1]
    const long = owner === undefined ? short : short.replace(/^list(?=[A-Z])/, `list${pascal(singular(owner))}`)
    const id = isEarlier ? earlier : freeName(taken.has(short) ? long : short, taken)
    given.add(id)
    names.set(route, id)
  }
  return names
}

/** Names an operation as its request is called, if that is some words; one on records after their schema: `listOrders`, `getOrder`. */
export function nameOperation({ summary = '', method, path }: ImportedRoute, record?: string): string {
  const [first = '', ...others] = summary.split(/[^A-Za-z0-9]+/).filter(Boolean)
  if (others.length > 0 && others.length < 5 && /^[a-z]+$/i.test(first)) return operationIdOf(first, others.join(' '))
  const isItem = collectionOf(path) !== path
  const verb = isItem ? VERBS[method] : { GET: 'list', POST: 'create' }[method]
  const [, owner = '', action = ''] = /\/([^/{}]+)\/\{[^}]*\}\/([a-z]+)$/.exec(path) ?? []
  // `POST /orders/{orderId}/pay`, but not `/orders/{orderId}/notes`.
  if (record === undefined && method === 'POST' && /[^s]$/.test(action)) return `${action}${pascal(singular(owner))}`
  if (record === undefined || verb === undefined) return operationIdOf(method, path)
  return `${verb}${verb === 'list' ? pascal(path.slice(path.lastIndexOf('/') + 1)) : record}`
}

/** The beginning that all paths have and that names no records: `/api/v2`, `/shop/api`. */
function basePathOf(paths: readonly string[]): string {
  let base = /^(?:\/[\w.-]+)?(?:\/(?:api|rest|v\d[\w.]*))+(?=\/)/i.exec(paths[0] ?? '')?.[0] ?? ''
  while (!paths.every(path => path.startsWith(`${base}/`))) base = base.slice(0, base.lastIndexOf('/'))
  return base
}

/** The parameters of a path and a query. @param shows whether an example is given */
export function parametersIn(
  path: string,
  used: readonly string[] = [],
  { parameters, most = 0 }: Partial<ShownRequests> = {},
  shows = true,
) {
  const names = expressionsOf(path).map(name => `path ${name}`)
  const keys = [...new Set([...names, ...used, ...(parameters?.keys() ?? [])])]
  const all = keys.map((key): JsonObject => {
    const [place = '', name = ''] = key.split(/ (.*)/s)
    const requests = parameters?.get(key) ?? []
    // A value that is not surely of another type is text.
    const given = requests
      .flat()
      .filter(value => value !== '')
      .map((text): Json => (/^(?:true|false|0|-?[1-9]\d{0,14})$/.test(text) ? JSON.parse(text) : text))
    const { type = 'string' } = schemaOfValues(given)
    const own: JsonObject = { type: Array.isArray(type) || (place === 'path' && type === 'boolean') ? 'string' : type }
    // A round number of items is likely the length of a page.
    const usual: JsonObject = roleOf(name) === 'limit' && most > 9 && most % 5 === 0 ? { default: most } : {}
    const isList = requests.some(({ length }) => length > 1)
    return {
      name,
      in: place,
      ...(place === 'path' ? { required: true } : {}),
      schema: isList ? { type: 'array', items: own } : { ...own, ...usual },
      ...(given.length > 0 && shows && !isList
        ? { example: own.type === 'string' ? String(given[0]) : (given[0] as Json) }
        : {}),
    }
  })
  return all.length > 0 ? { parameters: all } : {}
}

/** The parts of requests that the expressions of a route use: `query limit`, `cookie session`, `body`. */
function usedBy({ cases }: ImportedRoute): string[] {
  const texts = cases.flatMap(({ when, headers, body }) => [
    ...when,
    ...Object.values(headers),
    body === undefined || body instanceof ImportedFile ? '' : stringifyJson(body).replaceAll('\\"', '"'),
  ])
  const parts = texts.flatMap(text => [
    ...text.matchAll(/request\.(?:(query|cookie)s?(?:\.(\w+)|\[("(?:[^"\\]|\\.)*")\])|(body|text)\b)/g),
  ])
  const unquoted = (text = '') => attempted(() => JSON.parse(text) as string) ?? text.slice(1, -1)
  return parts.map(([, place, word, quoted, body]) => (body ? 'body' : `${place} ${word ?? unquoted(quoted)}`))
}

interface Examples {
  /** The name of the schema of the records that they show. */
  readonly record: string | undefined
  /** Whether they are traffic that was recorded. */
  readonly isRecorded: boolean
}

/** The responses of an operation by their status. */
function responsesOf(cases: readonly ImportedCase[], examples: Examples | undefined): Record<string, JsonObject> {
  const responses: Record<string, JsonObject> = {}
  const statuses = [...new Set(cases.map(({ status }) => status))].sort()
  for (const status of statuses) {
    const own = cases.filter(one => one.status === status)
    const types = new Set(own.flatMap(({ type }) => (type === undefined ? [] : [type])))
    const content = [...types].map(type => {
      const all = own.filter(one => one.type === type && one.body !== undefined)
      return [type, { schema: examples ? schemaOfReplies(all, examples.record) : bodySchema(all) }] as const
    })
    responses[status] = {
      description: own.find(({ name }) => name !== '')?.name ?? 'As it was seen',
      ...withoutEmpty({ content: Object.fromEntries(content) }),
    }
  }
  return responses
}

/** @param examples unset if the cases are rules */
export function operationFor(route: ImportedRoute, examples?: Examples): JsonObject {
  const { method, path, tag, summary, description, cases, shown } = route
  const { record, isRecorded = false } = examples ?? {}
  const used = usedBy(route)
  const responses = cases.length === 0 ? unsavedReply(route, record) : responsesOf(cases, examples)
  const bodies = new Map(shown.bodies)
  if (examples === undefined) {
    if (!cases.some(isUsual)) responses[404] ??= { description: 'No case fits the request' }
    if (BODY_METHODS.has(method) || used.includes('body')) {
      responses[400] ??= INVALID
      bodies.set('application/json', []).set('*/*', [])
    }
  }
  for (const { name, status, type = '', body } of examples && !isRecorded ? cases : []) {
    const media = memberAt(responses, [`${status}`, 'content', type]) as { examples?: JsonObject } | undefined
    if (media !== undefined) media.examples = { ...media.examples, [name]: { value: body as Json } }
  }
  const refused = cases.flatMap(({ status, trial }) => {
    const parsed = status === 400 || status === 422 ? parseJson(trial?.body ?? '') : {}
    return 'value' in parsed && isObject(parsed.value) ? [parsed.value] : []
  })
  const content = mapValues(Object.fromEntries(bodies), all => {
    if (all.length === 0) return {}
    const { required = [], ...seen } = schemaOfValues(all)
    const schema = withoutRequired(seen)
    // A single request shows fields that others may leave out, unless one without them is refused; so does each partial update.
    const isCertain = method !== 'PATCH' && new Set(all.map(body => stringifyJson(body))).size > 1
    const needed = (required as readonly string[]).filter(name => isCertain || refused.some(one => !(name in one)))
    return {
      schema: needed.length > 0 ? { ...schema, required: needed } : schema,
      ...(isRecorded ? {} : { example: all[0] as Json }),
    }
  })
  return {
    ...(summary && { summary }),
    ...(description && { description }),
    ...(tag !== undefined && { tags: [tag] }),
    ...([...shown.security].some(Boolean)
      ? { security: [...shown.security].map(name => (name === '' ? {} : { [name]: [] })) }
      : {}),
    ...parametersIn(
      path,
      used.filter(one => one !== 'body'),
      shown,
      !isRecorded,
    ),
    ...(bodies.size > 0 ? { requestBody: { content } } : {}),
    responses,
  } as JsonObject
}

/** The schema of bodies: none where one has templates, whose values are not known. */
function bodySchema(cases: readonly ImportedCase[]): JsonObject {
  const bodies = cases.flatMap(({ body }) => (body instanceof ImportedFile ? [] : [body as Json]))
  if (bodies.length === 0 || bodies.some(body => stringifyJson(body).includes('${'))) return {}
  return schemaOfValues(bodies)
}
