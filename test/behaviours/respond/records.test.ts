import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const NOW = '2026-06-01T00:00:00.000Z'
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

/** A collection of one schema, with every operation on it. */
const customers = (
  schema: string,
  gateway = '',
  request = '{ type: object, required: [email], properties: { email: { type: string } } }',
) => ({
  'gateway.yaml': `
contract: ./openapi.yaml
resources:
  customers:
    schema: Customer
${gateway.replace(/^/gm, '    ')}
operations:
  addCustomer: { respond: { create: customers } }
  listCustomers: { respond: { list: customers } }
  getCustomer: { respond: { read: customers } }
  putCustomer: { respond: { replace: customers } }
  patchCustomer: { respond: { update: customers } }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Customers, version: 1.0.0 }
paths:
  /customers:
    get:
      operationId: listCustomers
      responses: { '200': { description: All., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Customer' } } } } } }
    post:
      operationId: addCustomer
      requestBody: { required: true, content: { application/json: { schema: ${request} } } }
      responses: { '201': { description: Added., content: { application/json: { schema: { $ref: '#/components/schemas/Customer' } } } } }
  /customers/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: getCustomer
      responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Customer' } } } } }
    put:
      operationId: putCustomer
      requestBody: { required: true, content: { application/json: { schema: ${request} } } }
      responses: { '200': { description: Changed. } }
    patch:
      operationId: patchCustomer
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object, properties: { email: { type: string } } } } } }
      responses: { '200': { description: Changed. } }
components:
  schemas:
    Customer: ${schema}
`,
})

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

/** Owners, their tags, and things that refer to both. */
const things = (references: string, seeds = '') => ({
  'gateway.yaml': `
contract: ./openapi.yaml
seed: 7
resources:
  owners: { schema: Owner, seed: [{ id: 1 }, { id: 2 }, { id: 3 }] }
  things:
    schema: Thing
    references: ${references}
    ${seeds || 'seed: [{ id: 1, ownerId: 1, watchers: [1, 2] }, { id: 2, ownerId: 1, parentId: 1 }, { id: 3, ownerId: 2 }]'}
operations:
  removeOwner: { respond: { delete: owners } }
  addThing: { respond: { create: things } }
  listThings: { respond: { list: things } }
  removeThing: { respond: { delete: things } }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /owners/{id}:
    delete:
      operationId: removeOwner
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '204': { description: Gone. }, '409': { description: Needed. } }
  /things:
    get: { operationId: listThings, responses: { '200': { description: All. } } }
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { '201': { description: Added. } }
  /things/{id}:
    delete:
      operationId: removeThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '204': { description: Gone. } }
components:
  schemas:
    Owner: { type: object, required: [id], properties: { id: { type: integer } } }
    Thing:
      type: object
      required: [id]
      properties:
        id: { type: integer, readOnly: true }
        ownerId: { type: [integer, 'null'] }
        parentId: { type: integer }
        watchers: { type: array, items: { type: integer } }
`,
})

suite('deleting a referenced record', () => {
  const all = (references: string) => {
    const { send } = inProcess(things(references))
    return { send, things: async () => (await send('GET /things')).body }
  }

  test('is refused with the name of a referencing record', async () => {
    const { send } = all('{ ownerId: owners }')
    const { status, body } = await send('DELETE /owners/1')
    assert.equal(status, 409)
    const detail = 'the record 1 is still referenced by /ownerId of the record 1 in things, and 1 more'
    assert.equal((body as { detail: string }).detail, detail)
    assert.equal((await send('DELETE /owners/3')).status, 204)
  })

  test('cascades to referencing records and their referencing records', async () => {
    const { send, things } = all(
      '{ ownerId: { to: owners, onDelete: cascade }, parentId: { to: things, onDelete: cascade } }',
    )
    assert.equal((await send('DELETE /owners/1')).status, 204)
    assert.deepEqual(await things(), [{ id: 3, ownerId: 2 }])
  })

  test('sets the field of referencing records to null', async () => {
    const { send, things } = all(
      '{ ownerId: { to: owners, onDelete: null }, watchers: { to: owners, onDelete: null }, parentId: { to: things, onDelete: null } }',
    )
    assert.equal((await send('DELETE /owners/1')).status, 204)
    assert.equal((await send('DELETE /things/1')).status, 204)
    assert.deepEqual(await things(), [
      { id: 2, ownerId: null },
      { id: 3, ownerId: 2 },
    ])
  })

  test('deletes nothing if a later record of the cascade forbids it', async () => {
    const { send, things } = all('{ ownerId: { to: owners, onDelete: cascade }, parentId: things }')
    const before = await things()
    assert.equal((await send('DELETE /things/1')).status, 409)
    assert.deepEqual(await things(), before)
    // Both are deleted, so that no reference remains.
    assert.equal((await send('DELETE /owners/1')).status, 204)
  })

  test('looks into lists of ids', async () => {
    const { send } = all('{ watchers: owners }')
    assert.equal((await send('DELETE /owners/2')).status, 409)
    assert.equal((await send('POST /things', { watchers: [1, 9] })).status, 400)
    assert.equal((await send('POST /things', { watchers: [1, 3] })).status, 201)
  })
})

suite('generated seeds', () => {
  const files = things('{ ownerId: owners, parentId: things, watchers: owners }', 'seed: { generate: 500 }')
  type Thing = { id: number; ownerId: number; parentId?: number; watchers: number[] }

  test('refer to existing records, and are the same each time', async () => {
    const { send } = inProcess(files)
    const { body } = await send('GET /things')
    const list = body as Thing[]
    assert.equal(list.length, 500)
    assert.deepEqual(
      list.map(({ id }) => id),
      Array.from({ length: 500 }, (_, i) => i + 1),
    )
    for (const { id, ownerId, parentId, watchers } of list) {
      assert.ok([1, 2, 3].includes(ownerId))
      assert.ok(parentId === undefined ? id === 1 : parentId < id)
      assert.ok(watchers.every(one => [1, 2, 3].includes(one)))
    }
    assert.deepEqual((await inProcess(files).send('GET /things')).body, body)
    assert.equal(((await send('POST /things', {})).body as Thing).id, 501)
  })
})

test('a password is not sent back, a required reference names a record, and an address is complete or absent', async () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  plans: { schema: Plan, seed: [{ id: 4 }] }
  users: { schema: User, references: { planId: plans } }
operations:
  addUser: { respond: { create: users } }
  addTeamUser: { respond: { create: users } }
  getTeamUser: { respond: { read: users } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Users, version: 1.0.0 }
paths:
  /users:
    post:
      operationId: addUser
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/NewUser' } } } }
      responses: { '201': { description: Added. } }
  /teams/{team}/users:
    post:
      operationId: addTeamUser
      parameters: [{ name: team, in: path, required: true, schema: { type: string } }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/NewUser' } } } }
      responses: { '201': { description: Added. } }
  /teams/{team}/users/{id}:
    get:
      operationId: getTeamUser
      parameters: [{ name: team, in: path, required: true, schema: { type: string } }, { name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: One. } }
components:
  schemas:
    Plan: { type: object, properties: { id: { type: integer } } }
    NewUser: { type: object, required: [password], properties: { password: { type: string } } }
    User:
      type: object
      required: [id, planId, password]
      properties: { id: { type: integer }, planId: { type: integer }, password: { type: string, writeOnly: true } }
`,
  })
  const first = await send('POST /users', { password: 'secret' })
  assert.deepEqual(first.body, { id: 1, planId: 4 })
  assert.equal(first.headers.location, undefined)
  const second = await send('POST /teams/red/users', { password: 'secret' })
  assert.equal(second.headers.location, '/teams/red/users/2')
  assert.deepEqual((await send('GET /teams/red/users/2')).body, { id: 2, planId: 4 })
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
