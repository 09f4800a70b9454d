import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'
import { customers } from './customers.ts'

const NOW = '2026-06-01T00:00:00.000Z'
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

suite('fields that the server sets', () => {
  const { send, clock } = inProcess(
    customers(`
      type: object
      required: [id, object, email, created, createdOn, updated_at, livemode, status, plan, note, tags, order_count, profile]
      properties:
        id: { type: string, examples: [cus_9s6XKzkNRiz8i3] }
        object: { type: string, enum: [customer] }
        email: { type: string }
        created: { type: integer, format: int64 }
        createdOn: { type: string, format: date }
        updated_at: { type: string, format: date-time }
        livemode: { type: boolean }
        status: { type: string, enum: [pending, active] }
        plan: { type: string, default: free }
        note: { type: [string, 'null'] }
        tags: { type: array, items: { type: string } }
        order_count: { type: integer }
        profile: { type: object, required: [link], properties: { link: { type: string, format: uri } } }
        deleted_at: { type: string, format: date-time, readOnly: true }
        etag: { type: string, readOnly: true, example: W/1 }
        nickname: { type: string }
    `),
  )

  test('are set from the schema, the clock or a generated value', async () => {
    const { status, body, headers } = await send('POST /customers', { email: 'a@b.de' })
    assert.equal(status, 201)
    const { id, profile, ...rest } = body as Record<string, unknown>
    assert.match(String(id), /^cus_[A-Za-z\d]{14}$/)
    assert.match((profile as { link: string }).link, /^https:/)
    assert.deepEqual(rest, {
      ...{
        object: 'customer',
        email: 'a@b.de',
        created: Date.parse(NOW) / 1000,
        createdOn: '2026-06-01',
        updated_at: NOW,
      },
      ...{ livemode: false, status: 'pending', plan: 'free', note: null, tags: [], order_count: 0, etag: 'W/1' },
    })
    assert.equal(headers.location, `/customers/${id}`)
    assert.deepEqual((await send(`GET ${headers.location}`)).body, body)
    assert.deepEqual((await send('GET /customers')).body, [body])
  })

  test('survive a replacement, except for the time of the last write', async () => {
    const made = (await send('POST /customers', { email: 'b@b.de' })).body as Record<string, unknown>
    await clock.sleep(60_000)
    const later = '2026-06-01T00:01:00.000Z'
    const put = await send(`PUT /customers/${made.id}`, { email: 'c@b.de' })
    assert.deepEqual(put.body, { ...made, email: 'c@b.de', updated_at: later })
    await clock.sleep(60_000)
    const type = { 'content-type': 'application/merge-patch+json' }
    const patched = await send(`PATCH /customers/${made.id}`, { email: 'd@b.de' }, type)
    assert.deepEqual(patched.body, { ...made, email: 'd@b.de', updated_at: '2026-06-01T00:02:00.000Z' })
  })

  test('are required of the client if the request schema requires them', async () => {
    assert.equal((await send('POST /customers', {})).status, 400)
  })
})

suite('`defaults` and `set` of a resource', () => {
  const files = customers(
    `
      type: object
      required: [id, email]
      properties:
        id: { type: string, format: uuid, readOnly: true }
        email: { type: string }
        seen: { type: integer }
        stamp: { type: string }
        ref: { type: string }
        meta: { type: object, properties: { at: { type: string, format: date }, kind: { type: string } } }
    `,
    `
defaults: { ref: "ref-\${uuid}", meta: { at: "\${now}", kind: plain } }
set: { seen: "\${now}", stamp: "written \${now}" }`,
    '{ $ref: "#/components/schemas/Customer" }',
  )
  const { send, clock } = inProcess(files)

  test('fill missing fields, or override what the client sent', async () => {
    const { status, body } = await send('POST /customers', { email: 'a@b.de', stamp: 'mine', seen: 1 })
    assert.equal(status, 201)
    const { id, ref, ...rest } = body as Record<string, string>
    assert.match(String(id), UUID)
    assert.match(String(ref).slice(4), UUID)
    const seen = clock.now() / 1000
    assert.deepEqual(rest, {
      email: 'a@b.de',
      seen,
      stamp: `written ${NOW}`,
      meta: { at: '2026-06-01', kind: 'plain' },
    })
    await clock.sleep(5000)
    const put = await send(`PUT /customers/${id}`, { email: 'b@b.de', seen: 2 })
    assert.equal((put.body as { seen: number }).seen, seen + 5)
  })

  test('draw the same values for the same requests', async () => {
    const [one, two] = [inProcess(files), inProcess(files)]
    const body = { email: 'a@b.de' }
    assert.deepEqual((await one.send('POST /customers', body)).body, (await two.send('POST /customers', body)).body)
    assert.notDeepEqual((await one.send('POST /customers', body)).body, (await one.send('POST /customers', body)).body)
  })
})

for (const [name, id, pattern] of [
  ['a UUID where nothing else is said', '{ type: string, readOnly: true }', UUID],
  ['its pattern', '{ type: string, readOnly: true, pattern: "^[A-Z]{3}-[0-9]{4}$" }', /^[A-Z]{3}-\d{4}$/],
  ['its length', '{ type: string, readOnly: true, maxLength: 20 }', /^.{1,20}$/],
  ['the form of its example', '{ type: string, readOnly: true, example: 5f43a1b0c9e77c0004a1b2c3 }', /^[\da-f]{24}$/],
  ['a number of digits', '{ type: string, readOnly: true, example: "8017623145" }', /^[1-9]\d{9}$/],
] as const) {
  test(`a text id that the server gives has ${name}`, async () => {
    const schema = `{ type: object, required: [email], properties: { id: ${id}, email: { type: string } } }`
    for (const assign of ['', 'id: { assign: client }', 'id: { assign: generate }']) {
      const { send } = inProcess(customers(schema, assign, '{ $ref: "#/components/schemas/Customer" }'))
      const ids = []
      for (let i = 0; i < 20; i++) {
        const { status, body, headers } = await send('POST /customers', { email: 'a@b.de' })
        assert.equal(status, 201)
        assert.match((body as { id: string }).id, pattern)
        assert.equal((await send(`GET ${headers.location}`)).status, 200)
        ids.push((body as { id: string }).id)
      }
      assert.equal(new Set(ids).size, 20)
    }
  })
}

test('a default of the schema is the value of a field that a create or a replacement leaves out', async () => {
  const schema = `
      type: object
      required: [email]
      properties:
        id: { type: string, readOnly: true }
        email: { type: string }
        plan: { type: string, enum: [free, paid], default: free }
        limit: { type: integer, default: 10 }
        note: { type: [string, 'null'], default: null }
        wrong: { type: integer, default: many }`
  const { send } = inProcess(customers(schema, '', '{ $ref: "#/components/schemas/Customer" }'))
  const made = await send('POST /customers', { email: 'a@b.de', limit: 0 })
  const { id, ...rest } = made.body as { id: string }
  assert.deepEqual(rest, { email: 'a@b.de', plan: 'free', limit: 0 })
  const patched = await send(
    `PATCH /customers/${id}`,
    { email: 'c@b.de' },
    { 'content-type': 'application/merge-patch+json' },
  )
  assert.deepEqual(patched.body, { id, email: 'c@b.de', plan: 'free', limit: 0 })
  const put = await send(`PUT /customers/${id}`, { email: 'b@b.de', plan: 'paid' })
  assert.deepEqual(put.body, { id, email: 'b@b.de', plan: 'paid', limit: 10 })
})

test('values of a form are stored with the types of the record', async () => {
  const { send } = inProcess(
    customers(
      `
      type: object
      required: [id, email, owner, lines]
      properties:
        id: { type: integer }
        email: { type: string }
        owner: { type: object, required: [id, url], properties: { id: { type: string }, url: { type: string } } }
        lines:
          type: array
          items: { type: object, required: [sku, total], properties: { sku: { type: string }, total: { type: integer } } }
      `,
      '',
      '{ type: object, properties: { owner: { type: string }, email: { type: string }, lines: { type: array, items: { type: object, properties: { sku: { type: string } } } } } }',
    ),
  )
  const asked = { email: 'a', owner: 'u7', lines: [{ sku: 'x' }, { sku: 'y' }] }
  const { status, body } = await send('POST /customers', asked)
  assert.equal(status, 201)
  const { owner, lines } = body as { owner: { id: string; url: string }; lines: { sku: string; total: number }[] }
  assert.equal(owner.id, 'u7')
  assert.equal(typeof owner.url, 'string')
  assert.deepEqual(
    lines.map(line => [line.sku, typeof line.total]),
    [
      ['x', 'number'],
      ['y', 'number'],
    ],
  )
})

test('a write on a path without an id concerns the record whose id is in its body', async () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { shops: { schema: Shop, id: { assign: client }, seed: [{ id: 1, name: one, town: Ulm }] } }
operations: { putShop: { respond: { replace: shops } }, addShop: { respond: { create: shops } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Shops, version: 1.0.0 }
paths:
  /shop:
    post:
      operationId: addShop
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Shop' } } } }
      responses: { '200': { description: Added. } }
    put:
      operationId: putShop
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Shop' } } } }
      responses: { '200': { description: Put. }, '404': { description: None. } }
components:
  schemas: { Shop: { type: object, required: [name], properties: { id: { type: integer }, name: { type: string }, town: { type: string } } } }
`,
  })
  assert.deepEqual((await send('PUT /shop', { id: 1, name: 'uno' })).body, { id: 1, name: 'uno' })
  assert.equal((await send('PUT /shop', { id: 2, name: 'due' })).status, 404)
  assert.equal((await send('PUT /shop', { name: 'due' })).status, 400)
  // The client may choose the id; otherwise it is the next number.
  assert.deepEqual((await send('POST /shop', { id: 7, name: 'x' })).body, { id: 7, name: 'x' })
  assert.deepEqual((await send('POST /shop', { name: 'y' })).body, { id: 8, name: 'y' })
})
