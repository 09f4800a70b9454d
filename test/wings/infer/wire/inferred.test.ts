// Inferred state used over HTTP: create, read, list, update, delete.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveInferred } from './serve-inferred.ts'

const DOCUMENT = `
openapi: 3.0.3
info: { title: Harbour, version: '1' }
paths:
  /berths/:
    get: { operationId: listBerths, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Berths' } } } } } }
    post:
      operationId: createBerth
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [berth], properties: { berth: { $ref: '#/components/schemas/NewBerth' } } } } } }
      responses: { '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/OneBerth' } } } } }
  /berths/{id}/:
    parameters: [{ in: path, name: id, required: true, schema: { type: string } }]
    get: { operationId: readBerth, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/OneBerth' } } } }, '404': { description: no } } }
    patch:
      operationId: updateBerth
      requestBody: { required: true, content: { application/json: { schema: { type: object, properties: { berth: { $ref: '#/components/schemas/NewBerth' } } } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/OneBerth' } } } } }
    delete: { operationId: deleteBerth, responses: { '200': { description: ok, content: { application/json: { schema: { type: object, required: [id, deleted], properties: { id: { type: string }, deleted: { type: boolean, enum: [true] } } } } } } } }
  /berths/{id}/close:
    parameters: [{ in: path, name: id, required: true, schema: { type: string } }]
    post: { operationId: closeBerth, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/OneBerth' } } } } } }
  /buoys:
    post:
      operationId: createBuoy
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Buoy' } } } }
      responses: { '201': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Buoy' } } } } }
    put:
      operationId: replaceBuoy
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Buoy' } } } }
      responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Buoy' } } } } }
  /buoys/{name}:
    parameters: [{ in: path, name: name, required: true, schema: { type: string } }]
    get: { operationId: readBuoy, responses: { '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Buoy' } } } }, '404': { description: no } } }
components:
  schemas:
    NewBerth: { type: object, required: [length], properties: { length: { type: integer, minimum: 1 } } }
    Berth:
      allOf:
        - { $ref: '#/components/schemas/NewBerth' }
        - type: object
          required: [id, object, state, created_at, updated_at]
          properties:
            id: { type: string, example: brt_9s6XKzkN }
            object: { type: string, enum: [berth] }
            state: { type: string, enum: [open, closed] }
            created_at: { type: string, format: date-time }
            updated_at: { type: string, format: date-time }
    OneBerth:
      type: object
      required: [berth]
      properties: { errors: { type: array, items: { type: object } }, berth: { allOf: [{ $ref: '#/components/schemas/Berth' }] } }
    Berths:
      type: object
      required: [object, count, next, berths]
      properties:
        object: { type: string, enum: [list] }
        errors: { type: array, items: { type: object, properties: { code: { type: string } } } }
        count: { type: integer }
        next: { type: string, nullable: true }
        berths: { type: array, nullable: true, items: { $ref: '#/components/schemas/Berth' } }
    Buoy:
      type: object
      properties:
        kind: { type: string }
        metadata: { type: object, properties: { name: { type: string }, light: { type: string } } }
`

const start = () => serveInferred(DOCUMENT)

type Berth = { readonly berth: Readonly<Record<string, unknown>> }

test('a record is created, read, replaced and deleted with wrappers and generated fields', async () => {
  const send = await start()
  const { status, body, headers } = await send('POST /berths/', { berth: { length: 12 } })
  assert.equal(status, 201)
  const { berth } = body as Berth
  const { id } = berth
  assert.match(String(id), /^brt_\w{8}$/)
  assert.deepEqual([berth.length, berth.object, berth.state], [12, 'berth', 'open'])
  assert.equal(headers.location, `/berths/${id}/`)
  assert.deepEqual((await send(`GET /berths/${id}/`)).body, body)
  const listed = (await send('GET /berths/')).body as { object: string; next: null; berths: Berth['berth'][] }
  assert.deepEqual([listed.object, listed.next], ['list', null])
  assert.deepEqual(
    listed.berths.find(one => one.id === id),
    berth,
  )
  const updated = (await send(`PATCH /berths/${id}/`, { berth: { length: 20 } })).body as Berth
  assert.deepEqual([updated.berth.length, updated.berth.created_at], [20, berth.created_at])
  const closed = (await send(`POST /berths/${id}/close`)).body as Berth
  assert.deepEqual([closed.berth.state, closed.berth.length], ['closed', 20])
  assert.deepEqual((await send(`DELETE /berths/${id}/`)).body, { id, deleted: true })
  assert.equal((await send(`GET /berths/${id}/`)).status, 404)
})

test('a record with a nested name is replaced by the name in the body', async () => {
  const send = await start()
  const buoy = { kind: 'can', metadata: { name: 'north', light: 'red' } }
  assert.deepEqual((await send('POST /buoys', buoy)).body, buoy)
  assert.deepEqual((await send('GET /buoys/north')).body, buoy)
  assert.equal((await send('POST /buoys', buoy)).status, 409)
  const other = { kind: 'spar', metadata: { name: 'north' } }
  assert.deepEqual((await send('PUT /buoys', other)).body, other)
  assert.deepEqual((await send('GET /buoys/north')).body, other)
  assert.equal((await send('PUT /buoys', { kind: 'spar', metadata: { name: 'south' } })).status, 404)
  const { status, body } = await send('PUT /buoys', { kind: 'spar' })
  assert.equal(status, 400)
  assert.match(JSON.stringify(body), /metadata\.?\/?name is required/)
})
