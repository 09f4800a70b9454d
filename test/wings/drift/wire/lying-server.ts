// A server that keeps to its contract, and twenty lies that it can tell instead, one an operation.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = { status?: number; headers?: Record<string, string>; body?: string | Buffer }
type Answers = (query: URLSearchParams, path: string) => Answer

interface Lie {
  /** The name of the lie, of its path and of its operation. */
  readonly name: string
  readonly kind: string
  /** The part of the contract below the operation's node; from `#` on, a part elsewhere. */
  readonly part: string
  readonly truth: Answers
  readonly lie: Answers
  /** The responses that the contract documents besides 400. */
  readonly responses: object
  readonly parameters?: readonly object[]
  /** The path below its name. */
  readonly item?: boolean
}

export const json = (value: unknown, headers: Record<string, string> = {}): Answer => ({
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})
const replyWith = (schema: object, more: object = {}) => ({
  200: { description: 'ok', content: { 'application/json': { schema } }, ...more },
})
const book = { id: 1, title: 'Dune', pages: 400, kind: 'novel', due: '2026-01-01T00:00:00Z' }
const BOOK = '#/components/schemas/Book'
const refers = { $ref: BOOK }
const integer = (name: string) => ({ name, in: 'query', schema: { type: 'integer', minimum: 1 } })

/** A lie in one field of a book. */
const inBook = (name: string, kind: string, change: object, part: string): Lie => ({
  name,
  kind,
  part,
  truth: () => json(book),
  lie: () => json({ ...book, ...change }),
  responses: replyWith(refers),
})

const SHELF = ['a', 'b', 'c', 'd'].map((title, i) => ({ ...book, id: i + 1, title }))
const page = (query: URLSearchParams, items = SHELF) =>
  items.slice(Number(query.get('offset') ?? 0), Number(query.get('offset') ?? 0) + Number(query.get('limit') ?? 9))
const listed = { type: 'array', items: refers }
const linked = replyWith(listed, {
  headers: { Link: { schema: { type: 'string' } }, 'X-Total-Count': { required: true, schema: { type: 'integer' } } },
})
const nextLink = (query: URLSearchParams, path: string): Record<string, string> => {
  const [limit, offset] = [Number(query.get('limit') ?? 9), Number(query.get('offset') ?? 0)]
  const next: Record<string, string> =
    offset + limit < SHELF.length ? { link: `<${path}?limit=${limit}&offset=${offset + limit}>; rel="next"` } : {}
  return { 'x-total-count': `${SHELF.length}`, ...next }
}

export const LIES: readonly Lie[] = [
  {
    ...{ name: 'wrongStatus', kind: 'wrong-status', part: '/responses' },
    truth: () => json(book),
    lie: () => json(book),
    responses: replyWith(refers),
    parameters: [integer('edition')],
  },
  {
    ...{ name: 'undocumentedStatus', kind: 'undocumented-status', part: '/responses' },
    truth: () => json(book),
    lie: () => ({ ...json(book), status: 203 }),
    responses: replyWith(refers),
  },
  {
    ...{ name: 'wrongType', kind: 'undocumented-type', part: '/responses/200/content' },
    truth: () => json(book),
    lie: () => ({ headers: { 'content-type': 'text/html' }, body: '<p>Dune' }),
    responses: replyWith(refers),
  },
  {
    ...{ name: 'missingHeader', kind: 'missing-header', part: '/responses/200/headers/X-Version' },
    truth: () => json(book, { 'x-version': '7' }),
    lie: () => json(book),
    responses: replyWith(refers, { headers: { 'X-Version': { required: true, schema: { type: 'integer' } } } }),
  },
  inBook('missingField', 'missing-field', { title: undefined }, `${BOOK}/properties/title`),
  {
    ...{ name: 'extraField', kind: 'forbidden-field' },
    part: '/responses/200/content/application~1json/schema/properties/extra',
    truth: () => json({ id: 1 }),
    lie: () => json({ id: 1, extra: true }),
    responses: replyWith({ type: 'object', additionalProperties: false, properties: { id: { type: 'integer' } } }),
  },
  inBook('undocumentedField', 'undocumented-field', { shelfmark: 'x' }, `${BOOK}/properties/shelfmark`),
  inBook('textForNumber', 'wrong-type', { pages: '400' }, `${BOOK}/properties/pages`),
  inBook('nullTitle', 'unexpected-null', { title: null }, `${BOOK}/properties/title`),
  inBook('brokenDate', 'wrong-format', { due: '01/02/2026' }, `${BOOK}/properties/due`),
  inBook('unknownKind', 'unknown-value', { kind: 'opera' }, `${BOOK}/properties/kind`),
  inBook('tooManyPages', 'out-of-bounds', { pages: 100_000 }, `${BOOK}/properties/pages`),
  {
    ...{ name: 'arrayForObject', kind: 'wrong-type', part: BOOK },
    truth: () => json(book),
    lie: () => json([book]),
    responses: replyWith(refers),
  },
  {
    ...{ name: 'emptyList', kind: 'out-of-bounds', part: '/responses/200/content/application~1json/schema' },
    truth: () => json([book]),
    lie: () => json([]),
    responses: replyWith({ ...listed, minItems: 1 }),
  },
  {
    ...{ name: 'brokenJson', kind: 'unreadable-body', part: '/responses/200/content' },
    truth: () => json(book),
    lie: () => ({ ...json(book), body: '{"id": 1, "title"' }),
    responses: replyWith(refers),
  },
  {
    ...{ name: 'wrongCharset', kind: 'wrong-encoding', part: '/responses/200/content' },
    truth: () => json({ ...book, title: 'Dün' }),
    lie: () => ({ ...json(book), body: Buffer.from(JSON.stringify({ ...book, title: 'Dün' }), 'latin1') }),
    responses: replyWith(refers),
  },
  {
    ...{ name: 'unsorted', kind: 'wrong-order', part: '/responses/200/content/application~1json/schema' },
    truth: () => json(SHELF),
    lie: () => json([...SHELF].reverse()),
    responses: replyWith(listed),
    parameters: [{ name: 'sort', in: 'query', schema: { type: 'string', enum: ['title'] } }],
  },
  {
    ...{ name: 'largePage', kind: 'page-too-large', part: '/responses/200/content/application~1json/schema' },
    truth: query => json(page(query)),
    lie: () => json(SHELF),
    responses: replyWith(listed),
    parameters: [integer('limit')],
  },
  {
    ...{ name: 'loopingLink', kind: 'wrong-next-link', part: '/responses/200/headers/Link' },
    truth: (query, path) => json(page(query), nextLink(query, path)),
    lie: (query, path) => ({
      ...json(page(query), { ...nextLink(query, path), link: `<${path}?${query}>; rel="next"` }),
    }),
    responses: linked,
    parameters: [integer('limit'), { ...integer('offset'), schema: { type: 'integer', minimum: 0 } }],
  },
  {
    ...{ name: 'otherError', kind: 'missing-field', part: '#/components/schemas/Error/properties/message' },
    truth: () => ({ ...json({ message: 'no such book' }), status: 404 }),
    lie: () => ({ ...json({ error: { message: 'no such book' } }), status: 404 }),
    responses: { ...replyWith(refers), 404: { $ref: '#/components/responses/Error' } },
    item: true,
  },
]

/** The contract, as a document. */
export const lyingContract = {
  openapi: '3.1.0',
  info: { title: 'Books', version: '1' },
  paths: Object.fromEntries(
    LIES.flatMap(({ name, responses, parameters = [], item }) => {
      const operation = (id: string, all: object, given: readonly object[]) => ({
        get: {
          operationId: id,
          parameters: given,
          responses: { ...all, 400: { $ref: '#/components/responses/Error' } },
        },
      })
      const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
      if (!item) return [[`/${name}`, operation(name, responses, parameters)]]
      return [
        [`/${name}`, operation(`${name}s`, replyWith(listed), [])],
        [`/${name}/{id}`, operation(name, responses, [id])],
      ]
    }),
  ),
  components: {
    responses: {
      Error: { description: 'no', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
    },
    schemas: {
      Error: {
        type: 'object',
        additionalProperties: true,
        required: ['message'],
        properties: { message: { type: 'string' } },
      },
      Book: {
        type: 'object',
        required: ['id', 'title'],
        properties: {
          id: { type: 'integer' },
          title: { type: 'string' },
          pages: { type: 'integer', maximum: 5000 },
          kind: { type: 'string', enum: ['novel', 'play'] },
          due: { type: 'string', format: 'date-time' },
        },
      },
    },
  },
}

/** The parts that the lies are about, as a report names them: `operation kind #/pointer`. */
export const plantedParts = LIES.map(({ name, kind, part, item }) => {
  const path = `#/paths/~1${name}${item ? '~1{id}' : ''}/get`
  return `${name} ${kind} ${part.startsWith('#') ? part : path + part}`
}).sort()

export interface SeenExchange {
  readonly request: IncomingMessage
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Buffer
}

/** Starts the server. It lies where `lies` says so. */
export async function startLyingServer(lies: boolean) {
  const seen: SeenExchange[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const [, name, id] = pathname.split('/')
    const one = LIES.find(lie => lie.name === name)
    const answer = answerTo(one, searchParams, pathname, id)
    const { status = 200, headers = {}, body = '' } = answer
    seen.push({ request, status, headers, body })
    response.writeHead(status, headers).end(body)
  })
  const answerTo = (one: Lie | undefined, query: URLSearchParams, path: string, id?: string): Answer => {
    if (one === undefined) return { ...json({ message: 'no such path' }), status: 404 }
    const isNonsense = [...query.values()].includes('nonsense')
    if (isNonsense && !(lies && one.name === 'wrongStatus')) return { ...json({ message: 'nonsense' }), status: 400 }
    if (one.item && (id === undefined || id === '1')) return json(id === undefined ? SHELF : book)
    return (lies ? one.lie : one.truth)(query, path)
  }
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise(resolve => void server.close(resolve))
  }
  return { url, seen, close }
}
