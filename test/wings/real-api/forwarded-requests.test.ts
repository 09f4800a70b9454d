import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextLink } from '../../../src/behaviours/respond/pages.ts'
import { hasDotSegment } from '../../../src/wings/real-api/forward.ts'
import { realApiObserver } from '../../../src/wings/real-api/observe.ts'
import type { Upstream, UpstreamRequest } from '../../../src/wings/real-api/upstream.ts'
import { gatewayOf, load, sendTo } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Books, version: '1' }
  servers: [{ url: /v1 }]
  security: [{ key: [] }]
  paths:
    /books: { get: { operationId: listBooks, responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } } } } } }
    /books/{id}: { get: { operationId: getBook, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { 200: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } } } } }
    /deep/{a}/{b}/{c}: { get: { operationId: getDeep, responses: { 200: { description: ok } } } }
  components:
    schemas: { Book: { type: object, required: [id], properties: { id: { type: integer } } } }
    securitySchemes:
      key: { type: apiKey, in: query, name: api_key }
      session: { type: apiKey, in: cookie, name: session }
consumers: { ann: { key: secret-of-ann } }
errors: { body: { why: "\${problem.detail}" } }
`

/** A gateway before a real API that sends these fields, and the requests that reached it. */
function forwarding(settings: string, fields: readonly string[] = []) {
  const upstream = `upstream: { url: https://staging.example.com/api, ${settings} }`
  return answering(`${CONTRACT}${upstream}\ndefaults: { respond: { forward: {} } }\n`, fields)
}

function answering(yaml: string, fields: readonly string[], body = '') {
  const gateway = gatewayOf(load(yaml), new FixedClock())
  const seen: UpstreamRequest[] = []
  const client: Upstream = {
    async send(request) {
      seen.push(request)
      async function* chunks() {
        yield Buffer.from(body)
      }
      return { status: 200, fields, body: chunks(), trailers: () => ({}) }
    },
    close: async () => {},
  }
  gateway.observed(realApiObserver).client = client
  return { send: sendTo(gateway), seen }
}

const KEY = 'api_key=secret-of-ann'

test('a segment that a server may take for "." or ".." is found', () => {
  const found = [
    '/..',
    '/a/../b',
    '/a/./b',
    '/a/%2e%2E/b',
    '/a/.%2e',
    '/a/..%2fb',
    '/a%2F..%2Fb',
    '/a/..\\b',
    '/a/%5c..%5cb',
    '/a/..;x=1/b',
    '/a/..%3bx',
    '/a/..#b',
  ]
  assert.deepEqual(
    found.filter(path => !hasDotSegment(path)),
    [],
  )
  const others = [
    '/',
    '/a',
    '/...',
    '/a..b',
    '/.well-known/x',
    '/a/..b',
    '/a/b..',
    '/1.2.3',
    '/%2e%2e%2e',
    '/a/%252e%252e',
  ]
  assert.deepEqual(others.filter(hasDotSegment), [])
})

test('a request whose path has dot segments is refused, and never sent', async () => {
  const { send, seen } = forwarding('methods: [GET]')
  for (const path of ['/deep/../../admin', '/deep/%2e%2e/%2e%2e/admin', '/books/..', '/books/..%2f..%2fadmin']) {
    const { status, body } = await send(`GET /v1${path}?${KEY}`)
    const why = 'the path has a "." or ".." segment, which is not sent to the real API'
    assert.deepEqual([path, status, body], [path, 400, { why }])
  }
  assert.deepEqual(seen, [])
})

const SENT: readonly (readonly [send: string, query: string, sent: string])[] = [
  ['[accept]', `${KEY}`, ''],
  ['[accept]', `a=1&${KEY}&b=%20`, '?a=1&b=%20'],
  ['[accept]', `a=1&api%5Fkey=secret-of-ann`, '?a=1'],
  ['[accept, api_key]', `a=1&${KEY}`, `?a=1&${KEY}`],
  ['["*"]', `${KEY}`, `?${KEY}`],
]
for (const [names, query, sent] of SENT) {
  test(`upstream.send: ${names} sends ?${query} on as ${sent || 'no query'}`, async () => {
    const { send, seen } = forwarding(`send: ${names}`)
    assert.equal((await send(`GET /v1/books/1?${query}`)).status, 200)
    assert.deepEqual(
      seen.map(({ path }) => path),
      [`/books/1${sent}`],
    )
  })
}

test('a key in the query is not sent with the list of a sandbox over the real API', async () => {
  const yaml = `${CONTRACT}upstream: { url: https://staging.example.com }
resources: { books: { schema: Book, base: upstream } }
operations: { listBooks: { respond: { list: books } }, getBook: { respond: { read: books } } }
`
  const { send, seen } = answering(yaml, [], '[]')
  assert.deepEqual((await send(`GET /v1/books?${KEY}`)).body, [])
  assert.deepEqual(
    seen.map(({ path }) => path),
    ['/books'],
  )
})

test('a key in a cookie is sent on only with the whole field', async () => {
  for (const [names, cookie] of [
    ['[accept]', undefined],
    ['[cookie]', 'session=1; a=b'],
  ] as const) {
    const { send, seen } = forwarding(`send: ${names}`)
    await send(`GET /v1/books/1?${KEY}`, undefined, { cookie: 'session=1; a=b' })
    assert.equal(seen[0]?.headers.cookie, cookie)
  }
})

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const TRACES: readonly (readonly [sent: Record<string, string>, forwarded: Record<string, string>])[] = [
  [{ traceparent: TRACEPARENT }, { traceparent: TRACEPARENT }],
  [
    { traceparent: TRACEPARENT, tracestate: 'a=1' },
    { traceparent: TRACEPARENT, tracestate: 'a=1' },
  ],
  [{ traceparent: TRACEPARENT, connection: 'traceparent' }, {}],
  [{ tracestate: 'a=1' }, {}],
  [{ traceparent: 'secret', tracestate: 'a=1' }, {}],
]
for (const [sent, forwarded] of TRACES) {
  test(`the fields ${JSON.stringify(sent)} reach the real API as ${JSON.stringify(forwarded)}`, async () => {
    const { send, seen } = forwarding('send: [accept]')
    await send(`GET /v1/books/1?${KEY}`, undefined, sent)
    const { via, ...others } = seen[0]?.headers ?? {}
    assert.deepEqual(others, forwarded)
  })
}

/** Returns the processor time of a piece of work in microseconds, the least of three. */
async function timeOf(work: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) {
    const { user } = process.cpuUsage()
    await work()
    times.push(process.cpuUsage().user - user)
  }
  // The clock of the processor may not have moved.
  return Math.max(1000, Math.min(...times))
}

test('the addresses of a `Link` are read in a time that grows as its length', async () => {
  const forward = async (link: string) => {
    const { send } = forwarding('methods: [GET]', ['link', link])
    assert.equal((await send(`GET /v1/books/1?${KEY}`)).headers.link?.length, link.length)
  }
  const readNext = async (link: string) => assert.equal(nextLink(link), undefined)
  for (const read of [forward, readNext]) {
    const ordinary = await timeOf(() => read('<a>;b,'.repeat(10_000)))
    for (const odd of ['<', '<a>;']) {
      const time = await timeOf(() => read(odd.repeat(60_000 / odd.length)))
      assert.ok(time < 50 * ordinary, `${time} µs for ${odd}, and ${ordinary} µs for links`)
    }
  }
})
