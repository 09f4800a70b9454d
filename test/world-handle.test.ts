import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steerWorld } from '../src/world-handle.ts'
import { OPERATIONS, simulate } from './simulate.ts'
import { FixedClock } from './virtual-clock.ts'

const clock = new FixedClock(Date.UTC(2026, 5, 1))
const start = (yaml = '') => {
  const simulated = simulate(`${yaml}\noperations: ${OPERATIONS}`, clock)
  const steer = (name: string) => steerWorld(simulated.gateway, name, 'http://127.0.0.1:4010')
  const timeIn = (name: string) => new Date(simulated.gateway.worlds.get(name)?.clock.now() ?? 0).toISOString()
  return { ...simulated, steer, timeIn }
}
const inAlice = { 'understudy-world': 'alice' }

test('each world has an address, and the default world that of the API', () => {
  const { steer } = start()
  assert.equal(steer('default').baseUrl, 'http://127.0.0.1:4010')
  assert.equal(steer('alice').baseUrl, 'http://127.0.0.1:4010/~alice')
  assert.throws(() => start('listen: { clientControls: false }').steer('alice').baseUrl, /clientControls is false/)
})

test('`travel` takes a date, timestamp, offset, Date or milliseconds', () => {
  const { steer, timeIn } = start()
  const alice = steer('alice')
  for (const [to, then] of [
    ['2030-12-06', '2030-12-06T00:00:00.000Z'],
    ['+30d', '2031-01-05T00:00:00.000Z'],
    ['2030-12-06T10:00:00Z', '2030-12-06T10:00:00.000Z'],
    [new Date('2029-01-01T00:00:00Z'), '2029-01-01T00:00:00.000Z'],
    [0, '1970-01-01T00:00:00.000Z'],
  ] as const) {
    alice.travel(to)
    assert.equal(timeIn('alice'), then)
  }
  clock.time += 1000
  assert.equal(timeIn('alice'), '1970-01-01T00:00:01.000Z')
  alice.freeze('2030-12-06')
  clock.time += 1000
  assert.equal(timeIn('alice'), '2030-12-06T00:00:00.000Z')
  assert.equal(timeIn('default'), new Date(clock.time).toISOString())
  alice.returnToRealTime()
  assert.equal(timeIn('alice'), new Date(clock.time).toISOString())
})

test('`freeze` stops the clock at its time', () => {
  const { steer, timeIn } = start()
  steer('alice').freeze()
  const then = timeIn('alice')
  clock.time += 1000
  assert.equal(timeIn('alice'), then)
})

test('`records` lists the records of a world, and `reset` restores its seeds', async () => {
  const { steer, ask } = start()
  const alice = steer('alice')
  await ask('POST /things', { headers: inAlice, body: { name: 'three' } })
  const namesIn = async () => (await alice.records('things')).map(({ name }) => name)
  assert.deepEqual(await namesIn(), ['one', 'two', 'three'])
  alice.reset()
  assert.deepEqual(await namesIn(), ['one', 'two'])
  await assert.rejects(alice.records('thing'), { message: 'there is no collection thing; did you mean "things"?' })
})

test('`requests` and `verify` cover the requests of one world', async () => {
  const { steer, ask } = start()
  const alice = steer('alice')
  await ask('GET /things')
  await ask('GET /things/1', { headers: inAlice })
  await ask('GET /things/9', { headers: inAlice })
  assert.deepEqual(
    alice.requests().map(({ path }) => path),
    ['/things/1', '/things/9'],
  )
  assert.deepEqual(
    alice.requests({ status: 404 }).map(({ path }) => path),
    ['/things/9'],
  )
  assert.ok(alice.verify({ operation: 'getThing' }).ok)
  assert.ok(alice.verify({ operation: 'getThing' }, 2).ok)
  assert.ok(!alice.verify({ operation: 'getThing' }, { max: 1 }).ok)
  assert.ok(!alice.verify({ operation: 'listThings' }).ok)
})

test('`records` puts, changes and removes single records', async () => {
  const { steer, ask } = start()
  const alice = steer('alice')
  const things = alice.records('things')
  assert.deepEqual(await things.put({ name: 'three' }), { id: 3, name: 'three' })
  assert.deepEqual(await things.put({ id: 7, name: 'seven' }), { id: 7, name: 'seven' })
  assert.deepEqual(await things.put({ id: 1, name: 'uno' }), { id: 1, name: 'uno' })
  assert.deepEqual(await things.patch(2, { name: 'due' }), { id: 2, name: 'due' })
  await things.remove(3)
  assert.deepEqual(
    (await things).map(({ id, name }) => `${id} ${name}`),
    ['1 uno', '2 due', '7 seven'],
  )
  assert.equal((await ask('GET /things/7', { headers: inAlice })).status, 200)
  assert.equal((await ask('GET /things/7')).status, 404)
})

test('`records` stores nothing that breaks the contract', async () => {
  const { steer } = start()
  const things = steer('alice').records('things')
  const circular: Record<string, unknown> = { name: 'x' }
  circular.self = circular
  const before = await things
  for (const [change, message] of [
    [() => things.put({ name: 5 }), '/name must be a string'],
    [() => things.put([]), 'the record must be an object of JSON'],
    [() => things.put(circular), 'the record must be an object of JSON'],
    [() => things.patch(1, { name: null }), '/name is required'],
    [() => things.patch(1, { id: 2 }), '/id must be the id in the path'],
    [() => things.patch(9, { name: 'nine' }), 'there is no record 9'],
    [() => things.remove('nine'), 'there is no record nine'],
    [() => steer('alice').records('thing').put({ name: 'x' }), 'there is no collection thing; did you mean "things"?'],
  ] as const) {
    await assert.rejects(change(), { message })
  }
  assert.deepEqual(await things, before)
})

test('a change of a listed record does not change the world', async () => {
  const { steer } = start()
  const things = steer('alice').records('things')
  const changed = [...(await things), await things.put({ name: 'three' }), await things.patch(3, {})]
  for (const thing of changed) Object.assign(thing, { name: 'other' })
  assert.deepEqual(
    (await things).map(({ name }) => name),
    ['one', 'two', 'three'],
  )
})

test('`snapshot` is restored, here and in another world, with every digit', async () => {
  const { steer, timeIn } = start()
  const alice = steer('alice')
  alice.freeze('2030-12-06')
  await alice.records('things').put({ id: 12345678901234567890n, name: 'large' })
  const snapshot = await alice.snapshot()
  await alice.records('things').remove(1)
  alice.returnToRealTime()
  await alice.restore(snapshot)
  await steer('bob').restore(JSON.parse(JSON.stringify({ version: 1, collections: {} })))
  await steer('carl').restore(snapshot)
  for (const name of ['alice', 'carl']) {
    assert.equal(timeIn(name), '2030-12-06T00:00:00.000Z')
    const records = await steer(name).records('things')
    assert.deepEqual(
      records.map(({ id }) => id),
      [1, 2, 12345678901234567890n],
    )
  }
  assert.equal((await steer('bob').records('things')).length, 2)
})

test('an invalid snapshot changes nothing', async () => {
  const { steer } = start()
  const alice = steer('alice')
  const before = await alice.snapshot()
  for (const [snapshot, message] of [
    [null, 'must be an object'],
    [{ version: 2, collections: {} }, '/version must be 1'],
    [{ version: 1, collections: { thing: { records: [] } } }, /\/collections\/thing is not a resource/],
    [{ version: 1, collections: { things: { records: [{ id: 1, name: 5 }] } } }, /name must be a string/],
  ] as const) {
    await assert.rejects(alice.restore(snapshot as never), { message })
  }
  assert.deepEqual(await alice.snapshot(), before)
})

test('`answer` answers the next requests of one world, and a reset removes it', async () => {
  const { steer, ask } = start()
  const alice = steer('alice')
  const statuses = async () => {
    const replies = [await ask('GET /things', { headers: inAlice }), await ask('GET /things')]
    return replies.map(({ status }) => status)
  }
  alice.answer({ operation: 'listThings', respond: { status: 503 }, times: 1 })
  assert.deepEqual(await statuses(), [503, 200])
  assert.deepEqual(await statuses(), [200, 200])
  alice.answer({ operation: 'GET /things', respond: { status: 503 }, times: null })
  assert.deepEqual(await statuses(), [503, 200])
  alice.reset()
  assert.deepEqual(await statuses(), [200, 200])
  assert.throws(() => alice.answer({ operation: 'listThing', respond: { status: 503 } }), /no operation "listThing"/)
  assert.throws(() => alice.answer({ respond: { status: 503 }, time: 1 }), /unknown key "time"/)
  assert.throws(() => alice.answer({}), /the answer changes nothing/)
  assert.throws(() => alice.answer(undefined as never), /the answer must be an object of JSON/)
  assert.deepEqual(await statuses(), [200, 200])
})

test('`scenario` sets a state, and refuses those that no rule knows', async () => {
  const { ask, gateway } = simulate(`
operations:
  listThings:
    respond: { list: things }
    rules: [{ when: scenario("shop") == "closed", respond: { status: 503 } }]
  createThing: { rules: [{ enter: { shop: open } }] }
`)
  const alice = steerWorld(gateway, 'alice', '')
  const status = async () => (await ask('GET /things', { headers: inAlice })).status
  alice.scenario('shop', 'closed')
  assert.equal(await status(), 503)
  assert.equal((await ask('GET /things')).status, 200)
  assert.throws(() => alice.scenario('shp', 'open'), { message: 'there is no scenario shp; did you mean "shop"?' })
  assert.throws(() => alice.scenario('shop', 'opn'), /the scenario shop has no state "opn"; did you mean "open"/)
  assert.throws(() => alice.scenario('shop', 5 as never), { message: 'the state of shop must be text' })
  assert.throws(() => alice.scenario('__proto__', 'open'), /there is no scenario __proto__/)
  assert.equal(await status(), 503)
  alice.scenario('shop', '')
  assert.equal(await status(), 200)
})

test('`rate` sets the speed of the clock', () => {
  const { steer, timeIn } = start()
  const alice = steer('alice')
  alice.freeze('2030-12-06')
  alice.rate(60)
  clock.time += 1000
  assert.equal(timeIn('alice'), '2030-12-06T00:01:00.000Z')
  for (const rate of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '2', undefined]) {
    assert.throws(() => alice.rate(rate as number), /"rate" must be more than 0 and at most 1000000/)
  }
  clock.time += 1000
  assert.equal(timeIn('alice'), '2030-12-06T00:02:00.000Z')
})

test('filters and bounds refuse names that they do not have', () => {
  const alice = start().steer('alice')
  assert.throws(() => alice.verify({ operatoin: 'getThing' } as never, 0), /unknown filter "operatoin".*"operation"/)
  assert.throws(() => alice.requests({ world: 'bob' } as never), /unknown filter "world"/)
  assert.throws(() => alice.verify(undefined as never), /write an object with some of operation, /)
  assert.throws(() => alice.verify({}, { most: 1 } as never), /unknown bound "most"/)
  assert.throws(() => alice.verify({}, { min: 3, max: 1 }), /min \(3\) must not be more than max \(1\)/)
  for (const times of [-1, 1.5, Number.NaN, { max: -1 }]) {
    assert.throws(() => alice.verify({}, times), /the number of requests must be a whole number/)
  }
})

test('a handle of a deleted world refuses everything but `reset`', async () => {
  const { steer, gateway } = start()
  const alice = steer('alice')
  const snapshot = await alice.snapshot()
  gateway.deleteWorld('alice')
  const gone = { message: 'there is no world alice; one of: default' }
  const things = alice.records('things')
  for (const act of [
    () => alice.travel('+1d'),
    () => alice.freeze(),
    () => alice.rate(2),
    () => alice.returnToRealTime(),
    () => alice.weather(null),
    () => alice.answer({ respond: { status: 503 } }),
    () => alice.scenario('shop', 'open'),
    () => alice.requests(),
    () => alice.verify({}, 0),
  ]) {
    assert.throws(act, gone)
  }
  const changes = [things.then(() => {}), things.put({ name: 'x' }), things.patch(1, {}), things.remove(1)]
  for (const act of [...changes, alice.snapshot(), alice.restore(snapshot), alice.rewind(0)]) {
    await assert.rejects(act, gone)
  }
  assert.equal(gateway.worlds.get('alice'), undefined)
  alice.reset()
  assert.equal((await alice.records('things')).length, 2)
})

test('invalid arguments are thrown', () => {
  const { steer } = start()
  const alice = steer('alice')
  assert.throws(() => steer('no such name'), /the name of a world must have 1 to 64 characters of A-Z/)
  assert.throws(() => steer('ann-key'), /must not be a credential/)
  assert.throws(() => start('worlds: { sandboxes: false }').steer('alice'), /sandboxes are switched off/)
  assert.throws(() => alice.travel('soon'), /"soon" is not a date, timestamp or offset/)
  assert.throws(() => alice.travel(Number.NaN), /"NaN" is not a date, timestamp or offset/)
  assert.throws(() => alice.travel(new Date('soon')), /"Invalid Date" is not a date, timestamp or offset/)
  assert.throws(() => alice.requests({ operation: 'getThin' }), /did you mean "getThing"/)
  assert.throws(() => alice.verify({ status: 'fine' }), /"fine" is not a status/)
})
