// Whatever fails, every event arrives at least once or is told as given up; without weather exactly once, and in order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deliveriesIn } from '../../../src/wings/webhooks/deliveries.ts'
import { cases } from '../../support/cases.ts'
import { delivering } from './receivers.ts'
import { SHOP } from './shop.ts'

const YAML = `${SHOP}
webhooks:
  noted: { on: { update: orders }, to: hooks, body: { note: "\${after.note}" }, retry: { attempts: 4, first: 10s, factor: 2 } }
deliveries: { timeout: 1s }
weather:
  bad: { webhooks: { noted: { duplicate: 20%, delay: { p50: 1s, p99: 1h }, drop: 20%, reorder: 20% } } }
`

const statuses = fc.constantFrom(200, 204, 301, 410, 429, 500, 503)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant('change' as const) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 100 }) },
  { weight: 1, arbitrary: fc.constant('rest' as const) },
)

/** Lives through some steps, and through a day after them. */
async function live(steps: readonly (string | number)[], replies: readonly number[], weather: boolean) {
  const made = delivering(YAML)
  const { ask, rest, receivers, world, gateway } = made
  await ask('POST /hooks', { body: { url: 'http://localhost/a' } })
  await ask('POST /hooks', { body: { url: 'http://localhost/b' } })
  receivers.answer = (_, n) => replies[n % replies.length]
  world.clock.adjust({ freeze: true })
  if (weather) {
    const { plan } = gateway
    gateway.weather.overall.restore(plan, { order: '{ "name": "bad" }', until: null })
  }
  let notes = 0
  const move = (seconds: number) => world.clock.adjust({ now: world.clock.now() + seconds * 1000, freeze: true })
  for (const one of steps) {
    if (one === 'change') await ask('PATCH /orders/1', { body: { note: String(++notes) } })
    else if (one === 'rest') await rest()
    else move(Number(one))
  }
  for (let hours = 0; hours < 4; hours++) {
    await rest()
    move(24 * 3600)
  }
  await rest()
  return { ...made, notes }
}

test('whatever fails, every event arrives or is told as given up', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.array(statuses, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (steps, replies, weather) => {
        const { receivers, gateway, notes } = await live(steps, replies, weather)
        const deliveries = deliveriesIn(gateway, {})
        assert.ok(deliveries.every(({ state }) => state === 'delivered' || state === 'failed'))
        for (const url of ['http://localhost/a', 'http://localhost/b']) {
          for (let note = 1; note <= notes; note++) {
            const body = `{"note":"${note}"}`
            const own = deliveries.filter(one => one.url === url && one.body === body)
            assert.ok(own.length >= 1)
            const arrived = receivers.got.some(got => got.url === url && got.body === body)
            for (const { state, why } of own) assert.ok(state === 'delivered' ? arrived : why !== undefined)
          }
        }
      },
    ),
    { numRuns: cases(100) },
  )
})

test('without weather and failures every event arrives exactly once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async steps => {
      const { receivers, notes } = await live(steps, [204], false)
      const expected = Array.from({ length: notes }, (_, i) => `{"note":"${i + 1}"}`)
      for (const url of ['http://localhost/a', 'http://localhost/b']) {
        assert.deepEqual(
          receivers.got.filter(got => got.url === url).map(({ body }) => body),
          expected,
        )
      }
    }),
    { numRuns: cases(100) },
  )
})
