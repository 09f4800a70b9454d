import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS, simulate } from '../simulate.ts'
import { inProcess, loadFiles } from '../support/in-process.ts'

const things = (conditional = '{}') => simulate(`defaults: { conditional: ${conditional} }\noperations: ${OPERATIONS}`)
const patch = (name: string, headers: Record<string, string> = {}) => ({ headers, body: { name } })

test('a record has a strong entity tag that differs after each write and in each world', async () => {
  const { ask, gateway } = things()
  const tag = async () => (await ask('GET /things/1')).headers.etag as string
  const first = await tag()
  assert.match(first, /^"[^"]+"$/)
  assert.equal(await tag(), first)
  const written = await ask('PATCH /things/1', patch('uno'))
  assert.notEqual(written.headers.etag, first)
  assert.equal(await tag(), written.headers.etag)
  assert.equal((await ask('POST /things', patch('three'))).headers.etag, (await ask('GET /things/3')).headers.etag)
  const before = (await ask('GET /things/3')).headers.etag
  gateway.reset()
  await ask('PATCH /things/1', patch('uno'))
  await ask('POST /things', patch('drei'))
  assert.notEqual((await ask('GET /things/3')).headers.etag, before)
})

test('If-None-Match with the current tag gets 304', async () => {
  const { ask } = things()
  const { etag = '' } = (await ask('GET /things/1')).headers
  const cases: [field: string, status: number][] = [
    [etag, 304],
    [`W/${etag}`, 304],
    [`"other", ${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
    ['', 200],
  ]
  for (const [field, status] of cases) {
    const reply = await ask('GET /things/1', { headers: { 'if-none-match': field } })
    assert.equal(reply.status, status, field)
    assert.equal(reply.headers.etag, etag)
    assert.equal(reply.body === undefined, status === 304)
  }
  assert.equal((await ask('GET /things/9', { headers: { 'if-none-match': '*' } })).status, 404)
})

test('a write with an outdated If-Match gets 412', async () => {
  for (const method of ['PATCH', 'DELETE']) {
    const { ask } = things()
    const { etag = '' } = (await ask('GET /things/1')).headers
    const write = (field: string, name: 'if-match' | 'if-none-match' = 'if-match') =>
      ask(`${method} /things/1`, {
        headers: { [name]: field },
        ...(method === 'PATCH' ? { body: { name: 'uno' } } : {}),
      })
    assert.equal((await write('"other"')).status, 412)
    assert.equal((await write(`W/${etag}`)).status, 412, 'a weak tag never matches strongly')
    assert.equal((await write('*', 'if-none-match')).status, 412)
    assert.equal((await ask('GET /things/1')).headers.etag, etag)
    assert.ok((await write(`"other", ${etag}`)).status < 300)
    assert.notEqual((await write(etag)).status, 200)
  }
})

test('a required precondition applies to writes only', async () => {
  const { ask } = things('{ precondition: required }')
  assert.equal((await ask('PATCH /things/1', patch('uno'))).status, 428)
  assert.equal((await ask('DELETE /things/1')).status, 428)
  assert.equal((await ask('DELETE /things/9')).status, 404)
  assert.equal((await ask('POST /things', patch('three'))).status, 201)
  assert.equal((await ask('GET /things/1')).status, 200)
  assert.equal((await ask('PATCH /things/1', patch('uno', { 'if-match': '*' }))).status, 200)
})

test('one of several concurrent conditional writes succeeds', async () => {
  const { ask } = things()
  const { etag = '' } = (await ask('GET /things/1')).headers
  const writes = ['a', 'b', 'c'].map(name => ask('PATCH /things/1', patch(name, { 'if-match': etag })))
  const statuses = (await Promise.all(writes)).map(({ status }) => status)
  assert.deepEqual(statuses.sort(), [200, 412, 412])
})

const CATALOGUE = `
openapi: 3.1.0
info: { title: Catalogue, version: "1" }
components: { schemas: { Item: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } } } }
paths:
  /items:
    get:
      operationId: listItems
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      responses: { 200: { description: Fine, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } } } }
    post:
      operationId: createItem
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { 201: { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } }
  /fixed: { get: { operationId: getFixed, responses: { 200: { description: Fine, content: { text/plain: { schema: { type: string } } } } } } }
  /example: { get: { operationId: getExample, responses: { 200: { description: Fine, content: { application/json: { schema: { type: object }, example: { a: 1 } } } } } } }
  /tagged:
    get:
      operationId: getTagged
      responses: { 200: { description: Fine, headers: { ETag: { schema: { type: string }, example: '"v7"' } }, content: { application/json: { schema: { type: object }, example: {} } } } }
  /generated/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getGenerated, responses: { 200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } }, application/xml: { schema: { $ref: "#/components/schemas/Item" } } } }, 404: { description: None } } }
    put: { operationId: putGenerated, responses: { 200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } } }
  /empty: { get: { operationId: getNothing, responses: { 204: { description: Nothing } } } }
`
const catalogue = (conditional = 'defaults: { conditional: {} }', operations = '') =>
  inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
${conditional}
resources: { items: { schema: Item, seed: [{ id: 1, name: one }] } }
operations:
  listItems: { respond: { list: items, limit: limit, headers: { X-Total: "\${page.total}", Cache-Control: max-age=5 } } }
  createItem: { respond: { create: items } }
  getFixed: { respond: { status: 200, body: fixed } }
  ${operations}
`,
    'openapi.yaml': CATALOGUE,
  })

for (const path of ['/items', '/fixed', '/example', '/tagged', '/generated/1']) {
  test(`GET ${path} has a tag and answers 304 to it`, async () => {
    const { send } = catalogue()
    const get = (headers: Record<string, string> = {}) => send(`GET ${path}`, undefined, headers)
    const first = await get()
    const { etag = '' } = first.headers
    assert.match(etag, /^"[\x21\x23-\x7e]+"$/)
    if (path === '/tagged') assert.equal(etag, '"v7"')
    assert.equal((await get()).headers.etag, etag)
    for (const [name, field, status] of [
      ['if-none-match', etag, 304],
      ['if-none-match', `"other", W/${etag}`, 304],
      ['if-none-match', '*', 304],
      ['if-none-match', '"other"', 200],
      ['if-match', etag, 200],
      ['if-match', '*', 200],
      ['if-match', `W/${etag}`, 412],
      ['if-match', '"other"', 412],
    ] as const) {
      const reply = await get({ [name]: field })
      assert.equal(reply.status, status, `${name}: ${field}`)
      if (status !== 412) assert.equal(reply.headers.etag, etag)
      if (status === 304) assert.deepEqual([reply.body, reply.headers['content-type']], ['', undefined])
    }
    assert.deepEqual((await send(`HEAD ${path}`)).headers.etag, etag)
  })
}

test('the tag of a list changes with the content of the page, and a 304 has Cache-Control', async () => {
  const { send } = catalogue()
  const tag = async (line: string) => (await send(line)).headers.etag ?? ''
  const [all, one] = [await tag('GET /items'), await tag('GET /items?limit=1')]
  assert.equal(all, one, 'the same bytes')
  await send('POST /items', { name: 'two' })
  assert.notEqual(await tag('GET /items'), all)
  assert.equal(await tag('GET /items?limit=1'), one)
  const { headers } = await send('GET /items?limit=1', undefined, { 'if-none-match': one })
  assert.deepEqual(headers, { 'cache-control': 'max-age=5', etag: one })
})

test('each representation has a different tag', async () => {
  const { send } = catalogue()
  const as = async (accept: string) => (await send('GET /generated/1', undefined, { accept })).headers.etag
  assert.notEqual(await as('application/json'), await as('application/xml'))
  assert.equal(await as('application/json'), await as('application/json'))
})

test('a reply without a body, a refusal, and a write that changes no record have no tag', async () => {
  const { send } = catalogue()
  for (const [line, status] of [
    ['GET /empty', 204],
    ['GET /generated/1?__code=404', 404],
    ['PUT /generated/1', 200],
  ] as const) {
    const reply = await send(line, undefined, { 'if-none-match': '*' })
    assert.deepEqual([reply.status, reply.headers.etag], [status, undefined], line)
  }
  assert.ok((await send('POST /items', { name: 'two' })).headers.etag)
})

test('a reply that the client chooses is conditional as well', async () => {
  const { send } = catalogue()
  const { etag = '' } = (await send('GET /generated/1?__seed=7')).headers
  assert.equal((await send('GET /generated/1?__seed=7', undefined, { 'if-none-match': etag })).status, 304)
  assert.equal((await send('GET /generated/1?__seed=8', undefined, { 'if-none-match': etag })).status, 200)
})

test('`conditional` on an operation that it cannot affect is reported', () => {
  const { plan, report } = loadFiles({
    'gateway.yaml':
      'contract: ./openapi.yaml\noperations: { putGenerated: { conditional: {} }, getFixed: { conditional: { precondition: required } } }\n',
    'openapi.yaml': CATALOGUE,
  })
  assert.equal(plan, undefined)
  assert.deepEqual(
    report.list.map(({ code, message, place }) => [code, message, place.column]),
    [
      ['idle-key', '"conditional" has no effect on putGenerated: this PUT does not change a record', 31],
      ['idle-key', '"precondition" has no effect on getFixed: it does not apply to GET', 77],
    ],
  )
})
