import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

/** Pets that belong to owners, with a list that is sorted and paged; `refusal` is the response that POST and GET document. */
const contractOf = (refusal: string) => `
openapi: 3.1.0
info: { title: Pets, version: "1" }
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - { name: limit, in: query, schema: { type: integer } }
        - { name: sort, in: query, schema: { type: string } }
        - { name: after, in: query, schema: { type: string } }
      responses:
        "200": { description: Pets, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Pet" } } } } }
        ${refusal}
    post:
      operationId: createPet
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Draft" } } } }
      responses:
        "201": { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }
        ${refusal}
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    put:
      operationId: putPet
      requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
      responses:
        "200": { description: Put, content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }
        ${refusal}
components:
  schemas:
    Owner: { type: object, required: [id], properties: { id: { type: integer } } }
    Draft: { type: object, required: [name], properties: { name: { type: string }, owner: { type: integer } } }
    Pet: { type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string }, owner: { type: integer } } }
`

const gateway = (validate: string) => `
contract: ./openapi.yaml
defaults: { validate: ${validate} }
resources:
  owners: { schema: Owner, seed: [{ id: 1 }] }
  pets: { schema: Pet, references: { owner: owners }, unknownFields: refuse, seed: [{ id: 1, name: Rex }] }
operations:
  listPets: { respond: { list: pets, sort: sort, limit: limit, cursor: after } }
  createPet: { respond: { create: pets }, idempotency: { for: 1h, required: true } }
  putPet: { respond: { replace: pets } }
`

const KEY = { 'idempotency-key': 'k' }

/** One request for each behaviour that finds requests invalid, and its message. */
const INVALID = [
  ['GET /pets?limit=x', undefined, {}, 'query parameter limit must be an integer'],
  ['GET /pets?sort=colour', undefined, {}, 'query parameter sort must name a field of pets, not "colour"'],
  ['GET /pets?after=zzz', undefined, {}, 'query parameter after must be the id of a record'],
  ['GET /pets?sort=name&after=99', undefined, {}, 'query parameter after must be the id of a record'],
  ['POST /pets', { name: 5 }, KEY, '/name must be a string'],
  ['POST /pets', { name: 'a', owner: 9 }, { 'idempotency-key': 'a' }, '/owner must be the id of a record in owners'],
  ['POST /pets', { name: 'a', colour: 'red' }, { 'idempotency-key': 'b' }, '/colour is not a field of this resource'],
  ['POST /pets', { name: 'a' }, {}, 'header parameter Idempotency-Key is required'],
  ['PUT /pets/1', { id: 2, name: 'a' }, {}, '/id must be the id in the path'],
  ['PUT /pets/1', { name: 5 }, {}, '/name must be a string'],
] as const

for (const [what, refusal, validate, status] of [
  ['neither is documented', '', '{}', 400],
  ['neither is documented, and validate.status is 422', '', '{ status: 422 }', 422],
  ['400 is documented', '"400": { description: Wrong }', '{ status: 422 }', 400],
  ['422 is documented', '"422": { description: Wrong }', '{}', 422],
  ['both are documented', '"400": { description: Wrong }\n        "422": { description: Wrong }', '{}', 400],
] as const) {
  test(`every invalid request gets ${status} where ${what}`, async () => {
    const { send } = inProcess({ 'gateway.yaml': gateway(validate), 'openapi.yaml': contractOf(refusal) })
    for (const [line, sent, headers, detail] of INVALID) {
      const { status: got, body } = await send(line, sent, headers)
      assert.deepEqual([got, (body as { detail: string }).detail], [status, detail], line)
    }
  })
}

test('an invalid path parameter gets 404 if the contract documents it', async () => {
  const documented = inProcess({
    'gateway.yaml': gateway('{}'),
    'openapi.yaml': contractOf('"404": { description: No }'),
  })
  assert.equal((await documented.send('PUT /pets/x', {})).status, 404)
  const not = inProcess({ 'gateway.yaml': gateway('{ status: 422 }'), 'openapi.yaml': contractOf('') })
  assert.equal((await not.send('PUT /pets/x', {})).status, 422)
})

test('a refusal names twenty broken rules and counts the others', async () => {
  const { send } = inProcess({ 'gateway.yaml': gateway('{}'), 'openapi.yaml': contractOf('') })
  const fields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, i]))
  const { body } = await send('POST /pets', { name: 'a', ...fields }, KEY)
  assert.match((body as { detail: string }).detail, /\/f19 is not a field of this resource; and 10 more$/)
})
