// Records and resources of a world, as the control plane shows and changes them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

const CONFIG = `
contract:
  openapi: 3.1.0
  info: { title: Shop, version: "1" }
  components:
    schemas:
      Size: { enum: [small, large] }
      Cup:
        type: object
        required: [name]
        properties:
          id: { type: integer }
          name: { type: string, minLength: 2 }
          state: { type: string }
          size: { $ref: "#/components/schemas/Size" }
  paths:
    /cups: { get: { operationId: listCups, responses: { 200: { description: Cups } } } }
resources:
  cups:
    schema: Cup
    seed: [{ id: 1, name: Tea bowl }, { id: 2, name: Mug, state: new }, { id: 3, name: Blue mug }]
    states: { field: state, from: { new: { old: { after: 2h } } } }
operations:
  listCups: { respond: { list: cups } }
`
let gateway: RunningGateway
let cups: string
before(async () => {
  gateway = await startGateway({ config: CONFIG })
  cups = `${gateway.control}/worlds/default/collections/cups`
})
after(() => gateway.close())

const send = (url: string, method: string, body: unknown) =>
  ask(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const namesOf = (body: unknown) => (body as { name: string }[]).map(({ name }) => name)

test('records are sorted, searched and paged, and a header has the total count', async () => {
  const sorted = await ask(`${cups}?sort=-name&limit=2`)
  assert.deepEqual(namesOf(sorted.body), ['Tea bowl', 'Mug'])
  assert.equal(sorted.headers['x-total-count'], '3')
  assert.deepEqual(namesOf((await ask(`${cups}?sort=-name&limit=2&offset=2`)).body), ['Blue mug'])
  const found = await ask(`${cups}?q=MUG&sort=name`)
  assert.deepEqual(namesOf(found.body), ['Blue mug', 'Mug'])
  assert.equal(found.headers['x-total-count'], '2')
  const unknown = await ask(`${cups}?sort=nam`)
  assert.equal(unknown.status, 400)
  assert.match(unknown.text, /no field \\"nam\\"; did you mean \\"name\\"\?/)
})

test('a page shows records stored since the previous page', async () => {
  assert.equal((await ask(`${cups}?sort=name`)).headers['x-total-count'], '3')
  const made = await send(cups, 'POST', { name: 'A jar' })
  assert.equal(made.status, 201)
  const { id } = made.body as { id: number }
  assert.equal(namesOf((await ask(`${cups}?sort=name`)).body)[0], 'A jar')
  assert.equal((await ask(`${cups}/${id}`, { method: 'DELETE' })).status, 204)
})

test('a record that breaks its schema is refused with the names of its fields', async () => {
  const { status, body } = await send(`${cups}/1`, 'PUT', { name: 'x', size: 'huge' })
  assert.equal(status, 422)
  const { errors } = body as { errors: { pointer: string; message: string }[] }
  assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['/name', '/size'])
  assert.ok(errors.every(({ message }) => message.startsWith('must ')))
})

test('a resource has the schema of its records, with referenced schemas', async () => {
  const { body } = await ask(`${gateway.control}/resources/cups`)
  const { idField, ids, assigned, schema, states } = body as Record<string, unknown> & { schema: { $defs: object } }
  assert.deepEqual([idField, ids, assigned], ['id', 'integer', 'sequence'])
  assert.match(JSON.stringify(schema.$defs), /"enum":\["small","large"\]/)
  assert.deepEqual(states, { field: 'state', from: { new: [{ to: 'old', after: '2h' }] } })
})
