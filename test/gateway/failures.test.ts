import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gateway } from '../../src/gateway/gateway.ts'
import { type Log, silentLog } from '../../src/gateway/log.ts'
import { Outage } from '../../src/world/records/types.ts'
import { requestOf } from '../support/in-process.ts'
import { loadPlan } from '../support/load.ts'
import { FixedClock } from '../virtual-clock.ts'

const { plan } = loadPlan('config/gateway.yaml', '.', {})
assert.ok(plan)
const logged: { fields: { err?: Error; incident?: string }; message: string }[] = []
const log: Log = { ...silentLog, error: (fields, message) => void logged.push({ fields, message }) }
const clock = new FixedClock()
const gateway = new Gateway(plan, clock, log, '0')
const headers = { authorization: 'Bearer demo-key' }
const SECRET = 'no such table at /srv/app/node_modules/engine/index.js:7'

/** The status and the code of a reply when the engine behind the pets fails. */
async function failing(error: unknown, what = 'GET /v1/pets/1') {
  const pets = gateway.worlds.default.collection('pets')
  Object.assign(pets, { read: () => Promise.reject(error), list: () => Promise.reject(error) })
  try {
    return await gateway.handle(requestOf(what, { headers }))
  } finally {
    gateway.reset()
  }
}

for (const [name, error, status, code] of [
  ['an exception', new TypeError(SECRET), 500, 'internal_error'],
  ['a thrown text', SECRET, 500, 'internal_error'],
  ['a thrown undefined', undefined, 500, 'internal_error'],
  ['an unreachable engine', new Outage(SECRET), 503, 'unavailable'],
] as const) {
  test(`${name} is answered with ${status} and an incident id only`, async () => {
    logged.length = 0
    const reply = await failing(error)
    assert.equal(reply.status, status)
    const body = JSON.parse(String(reply.body))
    assert.deepEqual([body.code, body.status], [code, status])
    assert.ok(!JSON.stringify(reply).includes('table'), 'nothing internal')
    assert.equal(logged.length, 1)
    assert.ok(body.message.includes(`incident ${logged[0]?.fields.incident}`), body.message)
    assert.equal(reply.headers.deprecation, '@1764892800', 'the operation still says that it goes')
    assert.equal(reply.headers['content-type'], 'application/json')
  })
}

test('an outage is a 503 with Retry-After, not an empty list', async () => {
  const reply = await failing(new Outage('gone'), 'GET /v1/pets')
  assert.equal(reply.status, 503)
  assert.equal(reply.headers['retry-after'], '1')
})

test('the request after a failure is served', async () => {
  await failing(new Error('x'))
  assert.equal((await gateway.handle(requestOf('GET /v1/pets/1', { headers }))).status, 200)
})

for (const [now, status] of [
  ['2025-12-04T23:59:59.999Z', 200],
  ['2030-12-04T23:59:59.999Z', 200],
  ['2030-12-05T00:00:00Z', 410],
] as const) {
  test(`at ${now} GET and HEAD of a pet by its id answer ${status}`, async () => {
    clock.time = Date.parse(now)
    for (const method of ['GET', 'HEAD']) {
      const reply = await gateway.handle(requestOf(`${method} /v1/pets/1`, { headers }))
      assert.equal(reply.status, status)
      assert.equal(reply.headers.deprecation, now < '2025-12-05' ? undefined : '@1764892800')
    }
  })
}
