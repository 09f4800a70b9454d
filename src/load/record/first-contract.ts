// Infers a first contract from recorded exchanges: which parts of paths are ids, the parameters, and the schemas of bodies. Which
// operations are about the same records is left to the inference of state.

import { isJson } from '../../contract/media-types.ts'
import { isObject, type Json, type JsonObject, mapValues, put } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { freeName, singular } from '../../kernel/names.ts'
import type { RecordedExchange } from '../import/har.ts'
import { type ImportedCase, operationIdOf, pascal } from '../import/imported.ts'
import { responsesOf } from '../import/project.ts'
import { collectionOf, recordsShown, schemaOfReplies, schemaOfValues } from '../import/schema-of.ts'
import { decodeSegment, jsonOfMessage, typeOfMessage, valueOfRequest } from './recording.ts'

/** The bodies of an operation from which a schema is made. */
const MOST_BODIES = 500

/** The traffic of one operation. */
interface SeenOperation {
  readonly method: string
  /** The path with `{}` for ids, and one of the paths that were sent. */
  readonly shape: string
  readonly sample: string
  /** By status. */
  readonly cases: Map<number, ImportedCase[]>
  /** The bodies of requests by their media type. */
  readonly sent: Map<string, Json[]>
  readonly query: Map<string, string[][]>
  /** The parameters whose values are texts in the records that were answered. */
  readonly texts: Set<string>
  /** Statuses of requests without and with the header `Authorization`, and its first word. */
  readonly bare: Set<number>
  word: string
  /** The most items of a list in replies to requests without a query. */
  most: number
}

/** @param exchanges is iterated twice */
export async function firstContract(exchanges: AsyncIterable<RecordedExchange>): Promise<JsonObject> {
  const book = createPathBook()
  let title = ''
  for await (const { path, reply, origin } of exchanges) {
    title ||= `Recorded from ${origin}`
    book.learn(path, reply.status, jsonOfMessage(reply))
  }
  const paths = book.read()
  const seen = new Map<string, SeenOperation>()
  for await (const one of exchanges) {
    if (/^(?:GET|PUT|POST|DELETE|PATCH|TRACE)$/.test(one.method)) note(one, paths.shapeOf(one.path), seen)
  }
  return describe([...seen.values()], paths, title)
}

function note(
  { method, path, query, request, reply, place }: RecordedExchange,
  shape: string,
  seen: Map<string, SeenOperation>,
): void {
  const { status } = reply
  const one = getOrMake(seen, `${method} ${shape}`, () => {
    const collected = {
      cases: new Map(),
      sent: new Map(),
      query: new Map(),
      texts: new Set<string>(),
      bare: new Set<number>(),
    }
    return { method, shape, sample: path, ...collected, word: '', most: 0 }
  })
  const { authorization } = request.headers
  if (authorization === undefined) one.bare.add(status)
  else one.word ||= authorization.split(' ', 1)[0] as string
  const body = jsonOfMessage(reply)
  const cases = getOrMake(one.cases, status, () => [])
  if (cases.length < MOST_BODIES) {
    const type = typeOfMessage(reply)
    const shown =
      (reply.body === undefined && !reply.isPartial) || type === '' ? {} : { type, body: isJson(type) ? body : '' }
    cases.push({ name: 'As recorded', place, when: [], status, headers: {}, ...shown })
  }
  const list = [body, ...Object.values(isObject(body) ? body : {})].find((value): value is Json[] =>
    Array.isArray(value),
  )
  if (query === '' && list !== undefined) one.most = Math.max(one.most, list.length)
  if (request.body !== undefined) {
    const bodies = getOrMake(one.sent, typeOfMessage(request) || '*/*', () => [])
    const sent = valueOfRequest(request)
    if (sent !== undefined && status < 400 && bodies.length < MOST_BODIES) bodies.push(sent)
  }
  const given = new URLSearchParams(query)
  for (const name of new Set(given.keys())) {
    getOrMake(one.query, name, () => []).push(given.getAll(name))
    if (list?.some(item => isObject(item) && item[name] === given.get(name))) one.texts.add(name)
  }
}

function describe(seen: readonly SeenOperation[], book: Paths, title: string): JsonObject {
  const securitySchemes: Record<string, Json> = {}
  const paths: Record<string, Record<string, Json>> = {}
  const ids = new Map<string, true>()
  const routes = seen.map(one => {
    const shown = { parameters: new Map(), bodies: one.sent, security: new Set<string>() }
    return { ...one, ...book.describe(one.sample), shown, cases: [...one.cases.values()].flat() }
  })
  const records = recordsShown(routes)
  for (const one of routes) {
    const { path, integers, bare, word, sent } = one
    const record = records.get(collectionOf(path))?.name
    const id = freeName(nameOperation(one.method, path, record), ids)
    ids.set(id, true)
    const isGuarded = word !== '' && bare.has(401) && [...bare].every(status => status >= 400)
    if (isGuarded) put(securitySchemes, word, { type: 'http', scheme: word.toLowerCase() })
    const parameters = [...seenParameters(one, path, integers)]
    const content = mapValues(Object.fromEntries(sent), all => (all.length > 0 ? { schema: schemaOfValues(all) } : {}))
    const operation = {
      operationId: id,
      ...(isGuarded ? { security: [{ [word]: [] }] } : {}),
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(sent.size > 0 ? { requestBody: { content } } : {}),
      responses: responsesOf(one.cases, own =>
        schemaOfReplies(
          own.filter(({ body }) => body !== undefined),
          record,
        ),
      ),
    }
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation as unknown as Json }
  }
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    paths,
    components: {
      schemas: Object.fromEntries([...records.values()].map(({ name, values }) => [name, schemaOfValues(values)])),
      securitySchemes,
    },
  }
}

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'replace', PATCH: 'update', DELETE: 'delete' }

/** Names an operation, those on records after their schema: `listOrders`, `createOrder`, `getOrder`. */
function nameOperation(method: string, path: string, record: string | undefined): string {
  const isItem = collectionOf(path) !== path
  const verb = isItem ? VERBS[method] : { GET: 'list', POST: 'create' }[method]
  if (record === undefined || verb === undefined) return operationIdOf(method, path)
  return `${verb}${verb === 'list' ? pascal(path.slice(path.lastIndexOf('/') + 1)) : record}`
}

/** Names of the parameter for the length of a page, and lengths that are likely its default. */
const PAGE_SIZE = /^(?:limit|size|per_?page|page_?size|count|take|first)$/i
const USUAL_SIZES: ReadonlySet<number> = new Set([10, 12, 15, 20, 24, 25, 30, 50, 100])

function* seenParameters(
  { query, texts, most }: Pick<SeenOperation, 'query' | 'texts' | 'most'>,
  path: string,
  integers: readonly boolean[],
): Generator<JsonObject> {
  for (const [i, [, name = '']] of [...path.matchAll(/\{([^}]*)\}/g)].entries())
    yield { name, in: 'path', required: true, schema: { type: integers[i] ? 'integer' : 'string' } }
  for (const [name, values] of query) {
    // A value that is not surely of another type is text.
    const typed = values
      .flat()
      .map(
        (text): Json => (!texts.has(name) && /^(?:true|false|0|-?[1-9]\d{0,14})$/.test(text) ? JSON.parse(text) : text),
      )
    const { format: _, ...items } = schemaOfValues(typed)
    const usual: JsonObject = PAGE_SIZE.test(name) && USUAL_SIZES.has(most) ? { default: most } : {}
    const isList = values.some(({ length }) => length > 1)
    yield { name, in: 'query', schema: isList ? { type: 'array', items } : { ...items, ...usual } }
  }
}

// --- paths -----------------------------------------------------------------------------------------------------------

/** Numbers, UUIDs, hashes, prefixed ids, dates, addresses and blanks. */
const ID =
  /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=.*\d)[\da-f]{12,}|(?=.*\d)(?=.*[A-Z])[\w-]{10,}|[a-z]{2,}_(?=.*\d)\w{6,}|\d{4}-\d\d-\d\d|[^@]+@[^@]+|masked-\d+)$/

type Paths = ReturnType<ReturnType<typeof createPathBook>['read']>

/** Finds the ids in paths: by their form, and because a reply to the path has a field with that value. Learn all before `read`. */
function createPathBook() {
  /** The paths, and whether a reply to one shows something. */
  const paths = new Map<string, boolean>()
  /** By the part of a path that ends with an id, the fields of replies with it. */
  const own = new Map<string, Set<string>>()
  /** By the shape that ends with an id: how often a field has it, and whether all ids are integers. */
  const places = new Map<string, { readonly fields: Map<string, number>; isInteger: boolean }>()
  /** The shapes that end with a word. */
  const words = new Set<string>()

  const learn = (path: string, status: number, body: Json | undefined): void => {
    const isShown = status < 400 && body !== undefined
    paths.set(path, paths.get(path) === true || isShown)
    const segments = path.split('/').map(decodeSegment)
    for (const [field, value] of isShown ? scalarsIn(body) : []) {
      const at = segments.lastIndexOf(String(value))
      const name = typeof value === 'string' ? `"${field}` : `#${field}`
      if (at > 1) getOrMake(own, path.split('/', at + 1).join('/'), () => new Set<string>()).add(name)
    }
  }

  const partsOf = (path: string): string[] => {
    const parts: string[] = []
    const segments = path.split('/')
    for (const [i, segment] of segments.entries()) {
      const isShown = ID.test(decodeSegment(segment)) || own.has(segments.slice(0, i + 1).join('/'))
      // One that shows nothing is an id where others are.
      const isOdd = places.has([...parts, '{}'].join('/')) && !words.has([...parts, segment].join('/'))
      parts.push(i > 0 && (isShown || isOdd) ? '{}' : segment)
    }
    return parts
  }

  const read = () => {
    // Those that show something come first. Before the words among them are known, none of them is odd.
    const shown = [...paths]
      .sort(([, a], [, b]) => Number(b) - Number(a))
      .map(([path, isShown]) => ({ path, isShown, parts: partsOf(path) }))
    for (const { isShown, parts } of shown) {
      for (const i of parts.keys()) if (isShown && parts[i] !== '{}') words.add(parts.slice(0, i + 1).join('/'))
    }
    for (const { path } of shown) {
      const segments = path.split('/')
      const parts = partsOf(path)
      for (const [i, segment] of segments.entries()) {
        if (parts[i] !== '{}') continue
        const place = getOrMake(places, parts.slice(0, i + 1).join('/'), () => ({
          fields: new Map<string, number>(),
          isInteger: true,
        }))
        const fields = [...(own.get(segments.slice(0, i + 1).join('/')) ?? [])]
        for (const field of fields) place.fields.set(field.slice(1), (place.fields.get(field.slice(1)) ?? 0) + 1)
        place.isInteger &&= /^(?:0|[1-9]\d{0,14})$/.test(segment) && fields.every(field => field[0] === '#')
      }
    }
    return {
      shapeOf: (path: string): string => partsOf(path).join('/'),
      /** The path with a name for each id, and whether each is an integer. */
      describe(path: string) {
        const parts = partsOf(path)
        const integers: boolean[] = []
        const names = new Map<string, true>()
        const template = parts.map((part, i) => {
          if (part !== '{}') return part
          const { isInteger = false, fields = [] } = places.get(parts.slice(0, i + 1).join('/')) ?? {}
          integers.push(isInteger)
          const [[field] = ['id']] = [...fields].sort(
            ([a, x], [b, y]) => Number(b === 'id') - Number(a === 'id') || y - x,
          )
          const word = singular(decodeSegment(parts.slice(0, i).findLast(one => one !== '{}') ?? ''))
          const camel = word.replace(/[^A-Za-z0-9]+(.?)/g, (_, next: string) => next.toUpperCase())
          const name = freeName(field !== 'id' || camel === '' ? field : `${camel}Id`, names)
          names.set(name, true)
          return `{${name}}`
        })
        return { path: template.join('/'), integers }
      },
    }
  }
  return { learn, read }
}

/** The names and values of texts and numbers in a body. */
function* scalarsIn(value: Json, depth = 0): Generator<readonly [field: string, value: string | number]> {
  if (typeof value !== 'object' || value === null || depth > 4) return
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'string' || typeof one === 'number') yield [name, one]
    else yield* scalarsIn(one as Json, depth + 1)
  }
}
