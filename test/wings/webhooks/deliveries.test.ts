import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveriesIn } from '../../../src/wings/webhooks/deliveries.ts'
import { delivering } from './receivers.ts'
import { PAID, SHOP } from './shop.ts'

const pay = { body: { status: 'paid' } }

test('a change that a webhook tells of is sent at once, with the record in the body of the contract', async () => {
  const { ask, rest, receivers } = delivering(SHOP + PAID)
  await ask('PATCH /orders/1', pay)
  await rest()
  const [{ method, url, headers, body } = assert.fail(), ...others] = receivers.got
  assert.deepEqual(others, [])
  assert.deepEqual([method, url], ['POST', 'http://localhost:9/hook'])
  assert.deepEqual(JSON.parse(body), { type: 'order.paid', order: { id: 1, status: 'paid' } })
  assert.equal(headers['x-event'], 'order.paid')
  assert.equal(headers['content-type'], 'application/json')
})

test('a change that does not meet the condition sends nothing', async () => {
  const { ask, rest, receivers } = delivering(SHOP + PAID)
  await ask('PATCH /orders/1', { body: { note: 'soon' } })
  await ask('PATCH /orders/1', pay)
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.equal(receivers.got.length, 1)
})

test('creates, deletes, answered operations and lists of these are told of', async () => {
  const { ask, rest, receivers } = delivering(`${SHOP}
webhooks:
  made: { on: { create: orders }, to: "http://localhost/made", body: { id: "\${after.id}", was: "\${before}" } }
  gone: { on: { delete: orders }, to: "http://localhost/gone", body: { id: "\${before.id}" } }
  both: { on: [{ create: orders }, { delete: orders }], to: "http://localhost/both", schema: Order }
  asked: { on: { operation: createOrder, when: request.body.status == "paid" }, to: "http://localhost/asked", body: { type: "\${event.type}" } }
`)
  await ask('POST /orders', { body: { status: 'open' } })
  await ask('POST /orders', { body: { status: 'paid' } })
  await ask('DELETE /orders/2')
  await rest()
  await rest()
  const seen = receivers.got.map(({ url, body }) => `${new URL(url).pathname} ${body}`).sort()
  assert.deepEqual(seen, [
    '/asked {"type":"asked"}',
    '/both {"id":2,"status":"open"}',
    '/both {"id":3,"status":"open"}',
    '/both {"id":4,"status":"paid"}',
    '/gone {"id":2}',
    '/made {"id":3,"was":null}',
    '/made {"id":4,"was":null}',
  ])
})

test('subscriptions are records of the world, by the events that they name', async () => {
  const { ask, rest, receivers, gateway } = delivering(SHOP + PAID.replace('http://localhost:9/hook', 'hooks'))
  await ask('POST /hooks', { body: { url: 'http://localhost/all' } })
  await ask('POST /hooks', { body: { url: 'http://localhost/paid', events: ['orderPaid'] } })
  await ask('POST /hooks', { body: { url: 'http://localhost/other', events: ['orderLost'] } })
  await ask('POST /hooks', { body: { url: 'nowhere' } })
  await ask('PATCH /~alice/orders/1', pay)
  await gateway.settle('alice')
  assert.deepEqual(receivers.got, [])
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.deepEqual(receivers.got.map(({ url }) => url).sort(), ['http://localhost/all', 'http://localhost/paid'])
  const [wrong] = deliveriesIn(gateway, { state: 'failed' })
  assert.deepEqual(
    [wrong?.subscription, wrong?.why],
    [{ resource: 'hooks', id: '4' }, 'the URL must be a URL with http or https'],
  )
})

test('a delivery is shown with its cause, its request and its attempts', async () => {
  const { ask, rest, gateway } = delivering(SHOP + PAID)
  await ask('PATCH /orders/2', pay)
  await rest()
  const [shown] = deliveriesIn(gateway, {})
  const { id, attempts = [], ...others } = shown ?? assert.fail()
  assert.match(id, /^msg_[0-9a-f-]{36}$/)
  assert.deepEqual(others, {
    webhook: 'orderPaid',
    world: 'default',
    state: 'delivered',
    cause: 'update orders 2',
    request: 1,
    at: '2026-01-01T00:00:00.000Z',
    method: 'POST',
    url: 'http://localhost:9/hook',
    headers: { 'content-type': 'application/json', 'x-event': 'order.paid' },
    body: '{"type":"order.paid","order":{"id":2,"status":"paid"}}',
  })
  assert.deepEqual(
    attempts.map(({ status, due }) => [status, due]),
    [[204, '2026-01-01T00:00:00.000Z']],
  )
  assert.deepEqual(gateway.journal.find(1)?.notes, [`webhook: ${id}`])
})

test('a plan without webhooks watches no world', async () => {
  const { world, webhooks } = delivering(SHOP)
  assert.equal(world.collection('orders').watcher, undefined)
  assert.equal(webhooks.depot.network === undefined, false)
})

test('a template of an event is checked with one', async () => {
  const event = SHOP.replace(
    '      Hook:',
    '      Event: { type: object, properties: { id: { type: string, minLength: 30 }, type: { const: mine }, at: { type: string, format: date-time } } }\n      Hook:',
  )
  const { ask, rest, receivers, gateway } = delivering(`${event}
webhooks:
  mine: { on: { update: orders }, to: "http://localhost/", schema: Event, body: { id: "\${event.id}", type: "\${event.type}", at: "\${event.time}" } }
`)
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.match(
    receivers.got[0]?.body ?? '',
    /^\{"id":"evt_[0-9a-f-]{36}","type":"mine","at":"2026-01-01T00:00:00.000Z"\}$/,
  )
  assert.equal(deliveriesIn(gateway, {})[0]?.warnings, undefined)
})
