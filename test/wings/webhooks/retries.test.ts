import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveriesIn } from '../../../src/wings/webhooks/deliveries.ts'
import { delivering } from './receivers.ts'
import { PAID, SHOP } from './shop.ts'

const pay = { body: { status: 'paid' } }
const STATES = SHOP.replace(
  '  orders: { schema: Order,',
  '  orders: { schema: Order, states: { field: status, from: { open: { paid: { after: 1h } }, paid: { shipped: { after: 2h } } } },',
)

test('a schedule of three days is lived through in one change of the clock, at the exact times', async () => {
  const { ask, rest, receivers, world, gateway } = delivering(
    `${SHOP + PAID}    retry: { attempts: 12, first: 5s, factor: 3 }\n`,
  )
  receivers.answer = (_, n) => (n < 12 ? 503 : 200)
  world.clock.adjust({ freeze: true })
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.equal(receivers.got.length, 1)
  world.clock.adjust({ now: world.clock.now() + 3 * 86_400_000, freeze: true })
  await rest()
  const [{ attempts, state, id } = assert.fail()] = deliveriesIn(gateway, {})
  assert.equal(state, 'pending')
  const seconds = attempts.map(({ due }) => (Date.parse(due) - Date.parse('2026-01-01T00:00:00Z')) / 1000)
  assert.deepEqual(seconds, [0, 5, 20, 65, 200, 605, 1820, 5465, 16_400, 49_205, 147_620])
  world.clock.adjust({ now: world.clock.now() + 3 * 86_400_000, freeze: true })
  await rest()
  assert.equal(deliveriesIn(gateway, {})[0]?.state, 'delivered')
  assert.equal(receivers.got.length, 12)
  assert.ok(id.startsWith('msg_'))
})

test('in real time an attempt is made when it is due', async () => {
  const { ask, rest, receivers, clock } = delivering(SHOP + PAID)
  receivers.answer = (_, n) => (n < 3 ? 500 : 200)
  await ask('PATCH /orders/1', pay)
  await rest()
  const counts: number[] = []
  for (const milliseconds of [4999, 1, 14_999, 1, 1_000_000]) {
    await clock.pass(milliseconds)
    await rest()
    counts.push(receivers.got.length)
  }
  assert.deepEqual(counts, [1, 2, 2, 3, 3])
})

test('a hurried clock is waited for in its time', async () => {
  const { ask, rest, receivers, clock, world } = delivering(SHOP + PAID)
  receivers.answer = () => 500
  world.clock.adjust({ rate: 100 })
  await ask('PATCH /orders/1', pay)
  await rest()
  await clock.pass(50)
  await rest()
  assert.equal(receivers.got.length, 2)
})

test('what fails is given up after its attempts, and told', async () => {
  const { ask, rest, receivers, world, gateway } = delivering(SHOP + PAID)
  receivers.answer = () => 500
  await ask('PATCH /orders/1', pay)
  world.clock.adjust({ shift: 86_400_000 })
  await rest()
  const [{ state, why, attempts } = assert.fail()] = deliveriesIn(gateway, {})
  assert.deepEqual([state, why, attempts.length], ['failed', 'the receiver answered 500', 3])
  const page = await gateway.metrics.page()
  assert.match(page, /understudy_webhook_attempts_total\{webhook="orderPaid",outcome="given_up"\} 1/)
  assert.match(page, /understudy_webhook_attempts_total\{webhook="orderPaid",outcome="failed"\} 2/)
})

test('events of one receiver begin in order, and one that fails does not hold up the next', async () => {
  const { ask, rest, receivers, world } = delivering(SHOP + PAID)
  receivers.answer = ({ body }) => (JSON.parse(body).order.id === 1 ? 500 : 200)
  await ask('PATCH /orders/1', pay)
  await ask('PATCH /orders/2', pay)
  await rest()
  world.clock.adjust({ shift: 60_000 })
  await rest()
  assert.deepEqual(
    (receivers.bodies as { order: { id: number } }[]).map(({ order }) => order.id),
    [1, 2, 1, 1],
  )
})

test('a state that the clock moves fires without a request, at its moment', async () => {
  const { rest, receivers, world, clock, gateway } = delivering(STATES + PAID)
  await rest()
  assert.deepEqual(receivers.got, [])
  await clock.pass(3_600_000)
  await rest()
  assert.equal(receivers.got.length, 2)
  world.clock.adjust({ shift: 86_400_000 })
  await rest()
  const shown = deliveriesIn(gateway, {})
  assert.deepEqual(
    shown.map(({ at, cause }) => [at, cause]),
    [
      ['2026-01-01T01:00:00.000Z', 'update orders 1'],
      ['2026-01-01T01:00:00.000Z', 'update orders 2'],
    ],
  )
})

test('a 410 that the webhook documents removes the subscription', async () => {
  const { ask, rest, receivers, world, gateway } = delivering(SHOP + PAID.replace('http://localhost:9/hook', 'hooks'))
  await ask('POST /hooks', { body: { url: 'http://localhost/a' } })
  await ask('POST /hooks', { body: { url: 'http://localhost/b' } })
  receivers.answer = ({ url }) => (url.endsWith('a') ? 410 : 204)
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.equal(world.collection('hooks').size, 1)
  assert.deepEqual(
    deliveriesIn(gateway, {}).map(({ state }) => state),
    ['gone', 'delivered'],
  )
})

test('a reply is judged by the contract', async () => {
  const { ask, rest, receivers, gateway } = delivering(SHOP + PAID)
  receivers.answer = () => 200
  await ask('PATCH /orders/1', pay)
  await rest()
  const [
    {
      attempts: [{ warning } = assert.fail()],
    } = assert.fail(),
  ] = deliveriesIn(gateway, {})
  assert.equal(warning, 'the receiver answered 200, which is not documented')
})

test('a redirect is not followed', async () => {
  const { ask, rest, receivers, gateway } = delivering(SHOP + PAID)
  receivers.answer = () =>
    'HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.deepEqual(receivers.connected, ['127.0.0.1:9'])
  assert.equal(deliveriesIn(gateway, {})[0]?.why, 'redirects are not followed: http://169.254.169.254/')
})

test('a receiver that never answers is left after the timeout', async () => {
  const { ask, rest, receivers, clock, gateway } = delivering(`${SHOP}deliveries: { timeout: 2s }\n${PAID}`)
  receivers.answer = () => undefined
  await ask('PATCH /orders/1', pay)
  const resting = rest()
  await clock.pass(0)
  await clock.pass(2000)
  await resting
  assert.equal(deliveriesIn(gateway, {})[0]?.why, 'the receiver did not answer within 2000 ms')
})

test('a receiver that answers without end is left after 64 kB', async () => {
  const { ask, rest, receivers, gateway } = delivering(SHOP + PAID)
  receivers.answer = () => `HTTP/1.1 204 Fine\r\nConnection: close\r\n\r\n`
  await ask('PATCH /orders/1', pay)
  receivers.answer = () => `HTTP/1.1 200 Fine\r\nContent-Length: 1000000000\r\n\r\n${'x'.repeat(70_000)}`
  await ask('PATCH /orders/2', pay)
  await rest()
  const [
    ,
    {
      state,
      attempts: [{ reply } = assert.fail()],
    } = assert.fail(),
  ] = deliveriesIn(gateway, {})
  assert.deepEqual([state, reply], ['delivered', 'longer than is read'])
})

test('a world that is reset or deleted takes its deliveries along', async () => {
  const { ask, rest, receivers, gateway, world } = delivering(SHOP + PAID)
  receivers.answer = () => 500
  await ask('PATCH /orders/1', pay)
  await ask('PATCH /~bob/orders/1', pay)
  await rest()
  await gateway.settle('bob')
  assert.equal(deliveriesIn(gateway, {}).length, 2)
  gateway.reset()
  gateway.deleteWorld('bob')
  assert.deepEqual(deliveriesIn(gateway, {}), [])
  world.clock.adjust({ shift: 86_400_000 })
  await rest()
  assert.equal(receivers.got.length, 2)
})

test('10,000 subscriptions each get an event, and what finds no room is counted and told', async () => {
  const { ask, rest, receivers, world, gateway } = delivering(SHOP + PAID.replace('http://localhost:9/hook', 'hooks'))
  const hooks = world.collection('hooks')
  for (let i = 0; i < 10_010; i++) await hooks.create({ url: `http://localhost/${i}` })
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.equal(receivers.got.length, 10_000)
  assert.equal(new Set(receivers.got.map(({ url }) => url)).size, 10_000)
  assert.match(await gateway.metrics.page(), /outcome="dropped"\} 10\n/)
  await ask('PATCH /orders/2', pay)
  assert.ok(deliveriesIn(gateway, { state: 'delivered' }).length <= 1000)
})

test('bodies of more than 50 MB do not wait', async () => {
  const { ask, rest, receivers, gateway } = delivering(
    `${SHOP}webhooks: { big: { on: { update: orders }, to: "http://localhost/", body: { note: "\${after.note}" } } }`,
  )
  receivers.answer = () => 500
  const note = 'x'.repeat(900_000)
  for (let i = 0; i < 60; i++) await ask('PATCH /orders/1', { body: { note: note + i } })
  await rest()
  assert.equal(deliveriesIn(gateway, { state: 'pending' }).length, 55)
  assert.match(await gateway.metrics.page(), /outcome="dropped"\} 5\n/)
})

test('a receiver that writes the record which fires makes a loop, which nobody waits for', async () => {
  const { ask, rest, receivers, settle } = delivering(
    `${SHOP}webhooks: { any: { on: { update: orders }, to: "http://localhost/", schema: Order } }`,
  )
  let goesOn = true
  receivers.answer = (_, n) => {
    if (goesOn) ask('PATCH /orders/1', { body: { note: `${n}` } }).catch(assert.fail)
    return 204
  }
  await ask('PATCH /orders/1', { body: { note: 'first' } })
  await rest()
  assert.ok(receivers.got.length >= 1)
  for (let i = 0; i < 100; i++) await settle()
  const before = receivers.got.length
  assert.ok(before > 2)
  goesOn = false
  await rest()
  await rest()
})
