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
  await assert.rejects(alice.records('thing'), /there is no collection "thing"; there is things/)
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

test('invalid arguments are thrown', () => {
  const { steer } = start()
  const alice = steer('alice')
  assert.throws(
    () => steer('no such name'),
    /"no such name" cannot be the name of a world; it must have 1 to 64 characters of A-Z/,
  )
  assert.throws(() => steer('ann-key'), { message: 'the name of a world must not be a credential' })
  assert.throws(() => start('worlds: { sandboxes: false }').steer('alice'), /there is no world "alice"/)
  assert.throws(() => alice.travel('soon'), /"soon" is not a date, timestamp or offset/)
  assert.throws(() => alice.travel(Number.NaN), /"NaN" is not a date, timestamp or offset/)
  assert.throws(() => alice.travel(new Date('soon')), /"Invalid Date" is not a date, timestamp or offset/)
  assert.throws(() => alice.requests({ operation: 'getThin' }), /did you mean "getThing"/)
  assert.throws(() => alice.verify({ status: 'fine' }), /"fine" is not a status/)
})
