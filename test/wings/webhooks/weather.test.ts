import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { parseSource } from '../../../src/kernel/file/read-source.ts'
import { deliveriesIn } from '../../../src/wings/webhooks/deliveries.ts'
import { sign } from '../../../src/wings/webhooks/sign.ts'
import { load } from '../../support/in-process.ts'
import { delivering } from './receivers.ts'
import { PAID, SHOP } from './shop.ts'

const SIGNED = `${PAID}    sign: { scheme: github, secret: abc }\n`
const EVERY = 'on: { update: orders }, to: "http://localhost/", schema: Order'

/** A gateway with weather over it. */
function under(fate: string, yaml = SHOP + SIGNED) {
  const made = delivering(yaml)
  const { gateway } = made
  const report = new Diagnostics()
  const source = parseSource('weather', `{ webhooks: { ${fate} } }`, report)
  assert.ok(source && gateway.weather.overall.make(gateway.plan, source, report), JSON.stringify(report.list))
  return made
}

const pay = { body: { status: 'paid' } }

test('a duplicate arrives twice, as one message', async () => {
  const { ask, rest, receivers, gateway } = under('orderPaid: { duplicate: 100% }')
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.deepEqual(
    receivers.got.map(({ headers }) => headers['x-github-delivery']),
    Array(2).fill(deliveriesIn(gateway, {})[0]?.id),
  )
  assert.deepEqual(
    deliveriesIn(gateway, {}).map(({ injected }) => injected),
    [undefined, ['a copy']],
  )
})

test('a delay is by the clock of the world', async () => {
  const { ask, rest, receivers, world } = under('orderPaid: { delay: 1h }')
  await ask('PATCH /orders/1', pay)
  await rest()
  assert.equal(receivers.got.length, 0)
  world.clock.adjust({ shift: 3_600_000 })
  await rest()
  assert.equal(receivers.got.length, 1)
})

test('an attempt that is lost is made again', async () => {
  const { ask, rest, receivers, gateway, world } = under('orderPaid: { drop: 100% }')
  await ask('PATCH /orders/1', pay)
  await rest()
  gateway.weather.overall.clear()
  world.clock.adjust({ shift: 60_000 })
  await rest()
  const [{ attempts, state } = assert.fail()] = deliveriesIn(gateway, {})
  assert.equal(state, 'delivered')
  assert.deepEqual(
    attempts.map(({ error, injected }) => [error, injected]),
    [
      ['lost by the weather', ['lost']],
      [undefined, undefined],
    ],
  )
  assert.equal(receivers.got.length, 1)
})

test('what is reordered is overtaken by later events', async () => {
  const { ask, rest, receivers, world, gateway } = under(
    'every: { reorder: 100% }',
    `${SHOP}webhooks: { every: { ${EVERY} } }`,
  )
  await ask('PATCH /orders/1', pay)
  gateway.weather.overall.clear()
  await ask('PATCH /orders/2', pay)
  await rest()
  world.clock.adjust({ shift: 1000 })
  await rest()
  assert.deepEqual(
    (receivers.bodies as { id: number }[]).map(({ id }) => id),
    [2, 1],
  )
})

test('a bad signature does not match its body', async () => {
  const { ask, rest, receivers } = under('orderPaid: { badSignature: 1 }')
  await ask('PATCH /orders/1', pay)
  await rest()
  const [{ headers, body } = assert.fail()] = receivers.got
  const right = sign({ scheme: 'github' }, ['abc'], { id: '', webhook: '', body, at: 0 })['x-hub-signature-256']
  assert.match(headers['x-hub-signature-256'] ?? '', /^sha256=[0-9a-f]{64}$/)
  assert.notEqual(headers['x-hub-signature-256'], right)
})

test('the same seed gives the same fates', async () => {
  const fates = async () => {
    const { ask, rest, gateway } = under(
      'every: { duplicate: 50%, drop: 30%, delay: { p50: 1s, p99: 1h } }',
      `${SHOP}webhooks: { every: { ${EVERY} } }`,
    )
    for (let i = 0; i < 20; i++) await ask('PATCH /orders/1', { body: { note: `${i}` } })
    await rest()
    return deliveriesIn(gateway, {}).map(({ id, due, injected, attempts }) => [id, due, injected, attempts.length])
  }
  const first = await fates()
  assert.deepEqual(await fates(), first)
  assert.ok(first.length > 20 && first.length < 40)
})

test('mistakes in weather are told at their places', () => {
  const { report } = load(`${SHOP + PAID}weather:
  bad: { webhooks: { orderPade: { drop: 1% }, orderPaid: { delay: { p50: 2s, p99: 1s } } } }
  worse: { webhooks: { orderPaid: { drop: 200%, delay: soon } } }
`)
  assert.deepEqual(report.list.map(({ code }) => code).sort(), [
    'invalid-unit',
    'invalid-value',
    'percentiles-out-of-order',
    'unknown-webhook',
  ])
})
