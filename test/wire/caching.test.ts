// Cache headers: replies must not be cached unless the contract or the configuration allows it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { type Asked, ask } from './ask.ts'

const json = (schema: object) => ({ description: 'ok', content: { 'application/json': { schema } } })
const NOTE = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, text: { type: 'string' } } }
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } }
const CONTRACT = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  components: { schemas: { Note: NOTE } },
  paths: {
    '/notes': { get: { operationId: 'listNotes', responses: { 200: json({ type: 'array', items: NOTE }) } } },
    '/notes/{id}': {
      parameters: [ID],
      get: { operationId: 'getNote', responses: { 200: json(NOTE), 410: { description: 'gone' } } },
    },
    '/logo': {
      get: {
        operationId: 'getLogo',
        responses: {
          200: {
            ...json(NOTE),
            headers: { 'Cache-Control': { schema: { type: 'string' }, example: 'public, max-age=60' } },
          },
        },
      },
    },
    '/about': { get: { operationId: 'getAbout', responses: { 200: json(NOTE) } } },
    '/old': { get: { operationId: 'getOld', responses: { 200: json(NOTE) } } },
  },
}
const CONFIG = {
  contract: CONTRACT,
  resources: { notes: { schema: 'Note', seed: [{ id: 1, text: 'first' }] } },
  operations: {
    listNotes: { respond: { list: 'notes' } },
    getNote: { respond: { read: 'notes' }, conditional: {} },
    getAbout: {
      respond: { status: 200, headers: { 'Cache-Control': 'max-age=5', Vary: 'X-Plan, origin' }, body: { id: 1 } },
    },
    getOld: { deprecation: { since: '2020-01-01', sunset: '2021-01-01' } },
  },
}

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: CONFIG })
})
after(() => gateway.close())

const get = (path: string, headers: Record<string, string> = {}): Promise<Asked> => ask(gateway.url + path, { headers })

for (const [path, status, caching] of [
  ['/notes', 200, 'no-store'],
  ['/notes/1', 200, 'no-cache'],
  ['/notes/2', 404, 'no-store'],
  ['/notes/x', 400, 'no-store'],
  ['/old', 410, 'no-store'],
  ['/nowhere', 404, 'no-store'],
  ['/logo', 200, 'public, max-age=60'],
  ['/about', 200, 'max-age=5'],
  ['/healthz', 200, 'no-store'],
] as const) {
  test(`the ${status} of ${path} has Cache-Control ${caching}`, async () => {
    const { status: got, headers } = await get(path)
    assert.deepEqual([got, headers['cache-control']], [status, caching])
  })
  test(`for a page of another origin the ${status} of ${path} has Cache-Control ${caching}`, async () => {
    const { headers } = await get(path, { origin: 'http://localhost:5173' })
    assert.equal(headers['cache-control'], caching)
  })
}

test('a 304 for an unchanged record has the Cache-Control of the record', async () => {
  const { headers } = await get('/notes/1')
  const again = await get('/notes/1', { 'if-none-match': String(headers.etag) })
  assert.deepEqual([again.status, again.headers['cache-control']], [304, 'no-cache'])
})

test('a preflight and a request that cannot be read are not stored', async () => {
  const wants = { origin: 'http://localhost:5173', 'access-control-request-method': 'GET' }
  const { headers } = await ask(`${gateway.url}/notes`, { method: 'OPTIONS', headers: wants })
  assert.equal(headers['cache-control'], 'no-store')
})

test('Vary names the headers that change a reply, and configured ones', async () => {
  const steering = 'Accept, Origin, Prefer, Understudy-World, Understudy-Time, Understudy-Weather'
  assert.ok(String((await get('/notes')).headers.vary).startsWith(steering))
  assert.ok(String((await get('/nowhere')).headers.vary).startsWith(steering))
  const own = String((await get('/about')).headers.vary)
  assert.match(own, /^X-Plan, Origin, Accept, Prefer, Understudy-World/)
})

test('Vary leaves out disabled headers', async () => {
  const config = { contract: CONTRACT, listen: { clientControls: false, cors: 'off' }, defaults: { prefer: false } }
  const deaf = await startGateway({ config })
  try {
    assert.equal((await ask(`${deaf.url}/notes`)).headers.vary, 'Accept')
  } finally {
    await deaf.close()
  }
})
