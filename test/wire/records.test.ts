// Records, resources and calendars of a world, as the control plane shows and changes them.

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
    /old: { get: { operationId: getOld, responses: { 200: { description: Old } } } }
consumers: {}
resources:
  cups:
    schema: Cup
    seed: [{ id: 1, name: Tea bowl }, { id: 2, name: Mug, state: new }, { id: 3, name: Blue mug }]
    states: { field: state, from: { new: { old: { after: 2h } } } }
operations:
  listCups: { respond: { list: cups } }
  getOld: { deprecation: { since: 2020-01-01, sunset: 2030-12-05 } }
`
let gateway: RunningGateway
let cups: string
before(async () => {
  gateway = await startGateway({ config: CONFIG.replace('consumers: {}\n', '') })
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

test('a calendar has sunsets and timed states by the clock of its world', async () => {
  await send(`${gateway.control}/worlds/default/clock`, 'PUT', { now: '2030-12-04T23:00:00Z', freeze: true })
  await ask(`${gateway.control}/worlds/default/reset`, { method: 'POST' })
  await send(`${gateway.control}/worlds/default/clock`, 'PUT', { now: '2030-12-04', freeze: true })
  const { body } = await ask(`${gateway.control}/worlds/default/calendar`)
  const { now, next, events } = body as { now: string; next: { kind: string; at: string }; events: { kind: string }[] }
  assert.equal(now, '2030-12-04T00:00:00.000Z')
  assert.deepEqual([next.kind, next.at], ['sunset', '2030-12-05T00:00:00.000Z'])
  assert.deepEqual([...new Set(events.map(({ kind }) => kind))], ['sunset'])
  const soon = await send(`${cups}/1`, 'PUT', { name: 'Tea bowl', state: 'new' })
  assert.equal(soon.status, 200)
  const later = (await ask(`${gateway.control}/worlds/default/calendar?until=%2B3h`)).body as { events: object[] }
  assert.deepEqual(later.events.at(-1), {
    ...{ at: '2030-12-04T02:00:00.000Z', kind: 'state', collection: 'cups', record: '1', from: 'new', to: 'old' },
    text: 'cups 1: new → old',
  })
})

test('uses of deprecated operations and inputs are available as CSV', async () => {
  const { headers, text } = await ask(`${gateway.control}/deprecations`, { headers: { accept: 'text/csv' } })
  assert.match(String(headers['content-type']), /^text\/csv/)
  const [head, row] = text.split('\r\n')
  assert.match(head ?? '', /^operation,input,method,path,since,sunset,daysLeft,consumer,calls/)
  assert.match(row ?? '', /^getOld,,GET,\/old,2020-01-01,2030-12-05,1,,0,,$/)
})
