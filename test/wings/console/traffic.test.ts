import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Traffic } from '../../../src/wings/console/traffic.ts'
import { OPERATIONS, simulate } from '../../simulate.ts'
import { VirtualClock } from '../../virtual-clock.ts'

const road = () => {
  const clock = new VirtualClock()
  const { ask, gateway } = simulate(`\noperations: ${OPERATIONS}`, clock)
  const traffic = new Traffic(gateway.journal)
  const measure = (filter = {}) => traffic.measure(filter, 1, clock.now())
  return { ask, clock, traffic, measure }
}

test('the first measurement is taken from the journal, and starts the recording', async () => {
  const { ask, traffic, measure } = road()
  await ask('GET /things')
  assert.equal(traffic.recording, false)
  assert.equal(measure().all.requests, 1)
  assert.equal(traffic.recording, true)
  await ask('GET /things/1')
  await ask('GET /things/7')
  const { all, byOperation, seconds, step } = measure()
  assert.deepEqual([seconds, step, all.requests, all.refused, all.errors], [60, 1, 3, 1, 0])
  assert.equal(byOperation.get('getThing')?.requests, 2)
  assert.equal(byOperation.get('getThing')?.series.at(-1)?.requests, 2)
  assert.equal(byOperation.get('createThing'), undefined)
})

test('world and consumer choose among the requests', async () => {
  const { ask, measure } = road()
  await ask('GET /things/1', { headers: { 'x-key': 'ann-key' } })
  await ask('GET /things/1', { headers: { 'x-key': 'bob-key', 'understudy-world': 'ada' } })
  assert.equal(measure({ consumer: 'ann' }).all.requests, 1)
  assert.equal(measure({ world: 'ada' }).all.requests, 1)
  assert.equal(measure({ world: 'ada', consumer: 'ann' }).all.requests, 0)
  assert.equal(measure({ world: 'nowhere' }).all.requests, 0)
  assert.equal(measure({ world: 'nowhere' }).all.p50, null)
})

test('a slow request is in the percentiles of its minutes only', async () => {
  const { ask, clock, measure } = road()
  measure()
  const slow = ask('GET /things', { headers: { 'understudy-delay': '500ms' } })
  await clock.pass(500)
  await slow
  assert.equal(measure().all.requests, 1)
  await clock.pass(61_000)
  assert.equal(measure().all.requests, 0)
})

test('the recording ends two minutes after the last measurement', async () => {
  const { ask, clock, traffic, measure } = road()
  measure()
  await clock.pass(121_000)
  await ask('GET /things')
  assert.equal(traffic.recording, false)
  assert.equal(measure().all.requests, 1)
})
