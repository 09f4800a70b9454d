import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../../../src/index.ts'
import { ask } from '../../../wire/ask.ts'

const CONFIG = `
contract:
  openapi: 3.1.0
  info: { title: Shop, version: "1" }
  components:
    schemas:
      Cup:
        type: object
        required: [name]
        properties: { id: { type: integer }, name: { type: string }, state: { type: string } }
  paths:
    /cups: { get: { operationId: listCups, responses: { 200: { description: Cups } } } }
    /old: { get: { operationId: getOld, responses: { 200: { description: Old } } } }
resources:
  cups:
    schema: Cup
    seed: [{ id: 1, name: Tea bowl }, { id: 2, name: Mug, state: new }]
    states: { field: state, from: { new: { old: { after: 2h } } } }
operations:
  listCups: { respond: { list: cups } }
  getOld: { deprecation: { since: 2020-01-01, sunset: 2030-12-05 } }
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
