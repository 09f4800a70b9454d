import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Gateway } from '../../../src/gateway/gateway.ts'
import { realApiObserver } from '../../../src/wings/real-api/observe.ts'
import {
  type Upstream,
  UpstreamFailure,
  type UpstreamReply,
  type UpstreamRequest,
} from '../../../src/wings/real-api/upstream.ts'
import { gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

const YAML = `
contract:
  openapi: 3.1.0
  info: { title: Books, version: '1' }
  paths:
    /books:
      get: { operationId: listBooks, responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } } } } }
      post:
        operationId: createBook
        requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
        responses: { 201: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }, 400: { description: no } }
    /books/{id}:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      get: { operationId: getBook, responses: { 200: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }, 404: { description: no } } }
  components:
    schemas: { Book: { type: object, required: [title], properties: { id: { type: integer, readOnly: true }, title: { type: string } } } }
upstream: { url: https://staging.example.com, methods: [GET, POST] }
resources: { books: { schema: Book } }
operations:
  listBooks: { respond: { list: books, forward: { else: simulate } } }
  createBook: { respond: { create: books, forward: { else: simulate } }, idempotency: { for: 1h } }
  getBook: { respond: { read: books, forward: { else: simulate } } }
`

let gateway: Gateway
let isDown = true
let seen: UpstreamRequest[] = []
const client: Upstream = {
  async send(request): Promise<UpstreamReply> {
    seen.push(request)
    if (isDown) throw new UpstreamFailure('the real API refuses connections', false)
    async function* body() {
      yield Buffer.from('[]')
    }
    return { status: 200, fields: ['content-type', 'application/json'], body: body(), trailers: () => ({}) }
  },
  close: async () => {},
}

beforeEach(() => {
  gateway = gatewayOf(load(YAML), new FixedClock())
  gateway.observed(realApiObserver).client = client
  isDown = true
  seen = []
})

const json = { 'content-type': 'application/json' }
const post = async (body: object, headers: object = {}) =>
  gateway.handle(requestOf('POST /books', { headers: { ...json, ...headers }, body }))
const get = async (path: string, world = 'default') =>
  gateway.handle(requestOf(`GET ${path}`, { headers: { 'understudy-world': world } }))

test('a stand-in with state answers while the real API is down', async () => {
  const made = await post({ title: 'Dune' })
  assert.deepEqual([made.status, made.headers['understudy-replied']], [201, 'simulation'])
  assert.deepEqual(JSON.parse(`${made.body}`), { id: 1, title: 'Dune' })
  assert.deepEqual(JSON.parse(`${(await get('/books/1')).body}`), { id: 1, title: 'Dune' })
  assert.equal(seen.length, 2)
  isDown = false
  assert.equal((await get('/books')).headers['understudy-replied'], 'upstream')
})

test('a request that the stand-in refuses without the real API changes nothing', async () => {
  const refused = await post({ name: 'Dune' })
  assert.equal(refused.status, 400)
  assert.deepEqual(JSON.parse(`${(await get('/books')).body}`), [])
})

test('the write of another world reaches its records, and not the real API', async () => {
  isDown = false
  const world = { 'understudy-world': 'mine' }
  assert.equal((await post({ title: 'Emma' }, world)).status, 201)
  assert.equal(seen.length, 0)
  isDown = true
  assert.deepEqual(JSON.parse(`${(await get('/books', 'mine')).body}`), [{ id: 1, title: 'Emma' }])
  assert.deepEqual(JSON.parse(`${(await get('/books')).body}`), [])
})

test('every world sends a request that changes nothing', async () => {
  isDown = false
  const world = { 'understudy-world': 'mine' }
  const bare = YAML.replace('create: books, forward: { else: simulate }', 'forward: {}')
  for (const [forward, status, detail] of [
    ['{}', 501, /never writes to the real API; write forward: \{ safe: true \} if this changes nothing, or/],
    ['{ safe: true }', 200, undefined],
  ] as const) {
    gateway = gatewayOf(load(bare.replace('forward: {}', `forward: ${forward}`)), new FixedClock())
    gateway.observed(realApiObserver).client = client
    const reply = await post({ title: 'Emma' }, world)
    assert.equal(reply.status, status)
    if (detail !== undefined) assert.match(`${reply.body}`, detail)
  }
  assert.deepEqual(
    seen.map(({ method }) => method),
    ['POST'],
  )
  gateway = gatewayOf(
    load(bare.replace('forward: {}', 'forward: { safe: true }').replace('[GET, POST]', '[GET]')),
    new FixedClock(),
  )
  gateway.observed(realApiObserver).client = client
  assert.match(`${(await post({ title: 'Emma' }, world)).body}`, /POST is not sent to the real API; add it to/)
})

test('a repeated Idempotency-Key creates one record', async () => {
  const key = { 'idempotency-key': 'a' }
  assert.equal((await post({ title: 'Dune' }, key)).status, 201)
  const again = await post({ title: 'Dune' }, key)
  assert.deepEqual([again.status, again.headers['idempotent-replayed']], [201, 'true'])
  assert.equal(JSON.parse(`${(await get('/books')).body}`).length, 1)
})

test('the journal keeps the body of a forwarded reply once it has arrived', async () => {
  gateway = gatewayOf(load(`${YAML}journal: { bodies: 1kB }\n`), new FixedClock())
  gateway.observed(realApiObserver).client = client
  isDown = false
  const { stream } = await get('/books')
  for await (const _ of stream?.chunks ?? []);
  await stream?.judged
  const [entry] = [...gateway.journal.each()]
  assert.deepEqual(entry?.replyBody, { text: '[]', bytes: 2, cut: false })
})

test('another kind of reply beside a bare forward is a mistake with its remedy', () => {
  const { report } = load(YAML.replace('list: books, forward: { else: simulate }', 'list: books, forward: {}'))
  assert.deepEqual(
    report.list.map(({ code, hint }) => [code, hint]),
    [['ambiguous-responder', 'write forward: { else: simulate }, so that "list" answers in its place']],
  )
})
