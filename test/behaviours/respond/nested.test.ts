import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const ids = (body: unknown) => (body as { id: number }[]).map(({ id }) => id)

suite('a collection within another', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  owners: { schema: Owner, seed: [{ id: 1 }, { id: 2 }] }
  pens: { schema: Pen, references: { ownerId: owners }, seed: [{ id: 1, ownerId: 1 }, { id: 2, ownerId: 2 }, { id: 3, ownerId: 1 }] }
operations:
  listPens: { respond: { list: pens, within: { parameter: ownerId, resource: owners } } }
  addPen: { respond: { create: pens, within: { parameter: ownerId, resource: owners } } }
  getPen: { respond: { read: pens, within: { parameter: ownerId } } }
  movePen: { respond: { replace: pens } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Pens, version: 1.0.0 }
paths:
  /owners/{ownerId}/pens:
    parameters: [{ name: ownerId, in: path, required: true, schema: { type: integer } }]
    get: { operationId: listPens, responses: { '200': { description: Pens. }, '404': { description: None. } } }
    post:
      operationId: addPen
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
  /owners/{ownerId}/pens/{penId}:
    parameters:
      - { name: ownerId, in: path, required: true, schema: { type: integer } }
      - { name: penId, in: path, required: true, schema: { type: integer } }
    get: { operationId: getPen, responses: { '200': { description: A pen. }, '404': { description: None. } } }
  /pens/{penId}:
    put:
      operationId: movePen
      parameters: [{ name: penId, in: path, required: true, schema: { type: integer } }]
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: Moved. }, '400': { description: Wrong. } }
components:
  schemas:
    Owner: { type: object, properties: { id: { type: integer } } }
    Pen: { type: object, required: [ownerId], properties: { id: { type: integer }, ownerId: { type: integer } } }
`,
  })

  test('lists what belongs to its owner', async () => {
    assert.deepEqual(ids((await send('GET /owners/1/pens')).body), [1, 3])
  })
  test('answers 404 for an unknown owner', async () => {
    assert.equal((await send('GET /owners/9/pens')).status, 404)
    assert.equal((await send('POST /owners/9/pens', {})).status, 404)
  })
  test('sets the owner and the Location of a new record', async () => {
    const { status, headers, body } = await send('POST /owners/2/pens', { ownerId: 1 })
    assert.equal(status, 201)
    assert.deepEqual(body, { id: 4, ownerId: 2 })
    assert.equal(headers.location, '/owners/2/pens/4')
  })
  test('refuses a reference to an unknown record', async () => {
    const { status, body } = await send('PUT /pens/1', { ownerId: 9 })
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /\/ownerId must be the id of a record in owners/)
    assert.equal((await send('PUT /pens/1', { ownerId: 1 })).status, 200)
  })
  test('hides the records of other owners', async () => {
    assert.equal((await send('GET /owners/1/pens/1')).status, 200)
    assert.equal((await send('GET /owners/2/pens/1')).status, 404)
  })
})

suite('an id that the gateway assigns', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  owners: { schema: Thing }
  things: { schema: Thing, references: { id: owners }, seed: [{ id: 1, name: a }] }
operations: { addThing: { respond: { create: things } }, putThing: { respond: { replace: things } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
  /things/{id}:
    put:
      operationId: putThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: Put. } }
components: { schemas: { Thing: { type: object, properties: { id: { type: integer }, name: { type: string } } } } }
`,
  })
  test('is not checked as a reference when a client creates or replaces', async () => {
    assert.equal((await send('POST /things', { name: 'b' })).status, 201)
    assert.deepEqual((await send('PUT /things/1', { name: 'c' })).body, { id: 1, name: 'c' })
  })
})

suite('wrapped records with ids from the client', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { flags: { schema: Flag, id: { field: key, assign: client } } }
operations:
  addFlag: { respond: { create: flags, body: { data: "\${record.value}", self: "/flags/\${record.id}" } } }
  getFlag: { respond: { read: flags, body: { data: "\${record.value}" } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Flags, version: 1.0.0 }
paths:
  /flags:
    post:
      operationId: addFlag
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { '201': { description: Added. } }
  /flags/{key}:
    get:
      operationId: getFlag
      parameters: [{ name: key, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: A flag. }, '404': { description: None. } }
components:
  schemas:
    Flag: { type: object, required: [key], properties: { key: { type: string }, on: { type: boolean } } }
`,
  })

  test('are stored under that id', async () => {
    const { status, headers, body } = await send('POST /flags', { key: 'dark mode', on: true })
    assert.equal(status, 201)
    assert.equal(headers.location, '/flags/dark%20mode')
    assert.deepEqual(body, { data: { key: 'dark mode', on: true }, self: '/flags/dark mode' })
    assert.deepEqual((await send('GET /flags/dark%20mode')).body, { data: { key: 'dark mode', on: true } })
  })
  test('cannot be created twice, or without an id', async () => {
    await send('POST /flags', { key: 'beta' })
    assert.equal((await send('POST /flags', { key: 'beta' })).status, 409)
    assert.equal((await send('POST /flags', {})).status, 400)
  })
})

suite('records behind an untyped path parameter', () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { books: { schema: Book, seed: [{ id: 7 }] } }
operations: { getBook: { respond: { read: books } }, getOther: { respond: { read: books } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Books, version: 1.0.0 }
paths:
  /undeclared/{id}: { get: { operationId: getBook, responses: { '200': { description: A book. } } } }
  /text/{id}:
    get:
      operationId: getOther
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: A book. } }
components: { schemas: { Book: { type: object, properties: { id: { type: integer } } } } }
`,
  })

  for (const path of ['undeclared', 'text']) {
    test(`are found by number: ${path}`, async () => {
      assert.deepEqual((await send(`GET /${path}/7`)).body, { id: 7 })
      assert.equal((await send(`GET /${path}/8`)).status, 404)
      assert.equal((await send(`GET /${path}/seven`)).status, 404)
    })
  }
})
