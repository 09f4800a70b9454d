import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IdempotencyKeys } from '../../src/world/kept/idempotency-keys.ts'
import { simulate } from '../simulate.ts'
import type { Ask } from '../support/in-process.ts'
import { settle, VirtualClock } from '../virtual-clock.ts'

const shop = (more = '', idempotency = '{ for: 1h }') => {
  const clock = new VirtualClock()
  const { ask, gateway } = simulate(
    `operations: { createThing: { idempotency: ${idempotency}, respond: { create: things }${more} }, listThings: { respond: { list: things } } }`,
    clock,
  )
  const create = (key: string | undefined, name = 'three', consumer = 'ann'): ReturnType<typeof ask> => {
    const headers = { 'x-key': `${consumer}-key`, ...(key === undefined ? {} : { 'idempotency-key': key }) }
    return ask('POST /things', { headers, body: { name } } satisfies Ask)
  }
  const count = async () => (JSON.parse(String((await ask('GET /things')).body)) as unknown[]).length - 2
  return { clock, create, count, gateway }
}

test('the same key and payload get the first reply again, and create once', async () => {
  const { create, count } = shop()
  const first = await create('a')
  const again = await create('a')
  assert.equal(first.status, 201)
  assert.deepEqual([again.status, again.body, again.headers.location], [201, first.body, first.headers.location])
  assert.deepEqual(
    [first, again].map(({ headers }) => headers['idempotent-replayed']),
    [undefined, 'true'],
  )
  assert.equal(await count(), 1)
})

test('keys are separate from each other, from no key and between consumers', async () => {
  const { create, count } = shop()
  for (const [key, consumer] of [
    ['a', 'ann'],
    ['b', 'ann'],
    [undefined, 'ann'],
    [undefined, 'ann'],
    ['a', 'bob'],
  ] as const) {
    assert.equal((await create(key, 'three', consumer)).headers['idempotent-replayed'], undefined)
  }
  assert.equal(await count(), 5)
})

test('a key with a different payload is refused', async () => {
  const { create, count } = shop()
  await create('a', 'three')
  const { status, refusal } = await create('a', 'four')
  assert.deepEqual([status, refusal?.problem.code], [422, 'key_reused'])
  assert.equal(await count(), 1)
})

test('a key whose first reply is under way is refused, and replayed afterwards', async () => {
  const { create, count, clock } = shop(', latency: { fixed: 1s }')
  const first = create('a')
  await settle()
  const second = create('a')
  await clock.pass(1000)
  assert.deepEqual([(await first).status, (await second).status], [201, 409])
  const third = create('a')
  await clock.pass(1000)
  assert.equal((await third).headers['idempotent-replayed'], 'true')
  assert.equal(await count(), 1)
})

test('a reply is kept for `ttl` by the clock of its world, and for this world only', async () => {
  const { create, count, clock, gateway } = shop()
  await create('a')
  await clock.pass(3_599_999)
  assert.equal((await create('a')).headers['idempotent-replayed'], 'true')
  await clock.pass(1)
  assert.equal((await create('a')).headers['idempotent-replayed'], undefined)
  assert.equal(await count(), 2)
  gateway.reset()
  assert.equal((await create('a')).headers['idempotent-replayed'], undefined)
})

test('a client that lost the first reply to a fault gets it on a retry', async () => {
  const { create, count } = shop(', fault: { kind: reset, after: true, probability: 0.5 }')
  let replies = 0
  let asked = 0
  for (let i = 0; i < 20; i++) {
    for (let lost = true; lost; asked++) lost = (await create(`${i}`)).wire !== undefined
    replies += 1
  }
  assert.equal(replies, 20)
  assert.ok(asked > 20, `${asked} asked`)
  assert.equal(await count(), 20)
})

test('a key of more than 255 characters is refused', async () => {
  const { create, count } = shop()
  assert.equal((await create('x'.repeat(256))).status, 400)
  assert.equal((await create('x'.repeat(255))).status, 201)
  assert.equal(await count(), 1)
})

test('kept replies have a bounded size, and the least recently used are evicted', () => {
  const keys = new IdempotencyKeys<object>()
  const reply = { status: 201 }
  for (const key of ['a', 'b', 'c']) {
    keys.begin(key, 'payload')
    keys.finish(key, 'payload', reply, 10, 12 * 1024 * 1024)
  }
  assert.deepEqual(
    ['a', 'b', 'c'].map(key => keys.find(key, 0)?.outcome),
    [undefined, reply, reply],
  )
  for (let i = 0; i < 10_001; i++) keys.begin(`${i}`, 'payload')
  assert.equal(keys.find('0', 0), undefined)
  assert.equal(keys.find('1', 0)?.payload, 'payload')
})

test('a missing key is refused if `required` is set', async () => {
  const { create } = shop('', '{ for: 1h, required: true }')
  assert.equal((await create(undefined)).status, 400)
  assert.equal((await create('a')).status, 201)
})
