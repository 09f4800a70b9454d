import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureTraffic } from '../../../src/wings/console/traffic.ts'
import { OPERATIONS, simulate } from '../../simulate.ts'
import { VirtualClock } from '../../virtual-clock.ts'

const road = (more = '') => {
  const clock = new VirtualClock()
  const { ask, gateway } = simulate(`\n${more}operations: ${OPERATIONS}`, clock)
  const measure = (filter = {}) => measureTraffic(gateway.journal, filter, 1, clock.now())
  return { ask, clock, measure }
}

test('requests are counted by operation and by step', async () => {
  const { ask, measure } = road()
  await ask('GET /things')
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
  const slow = ask('GET /things', { headers: { 'understudy-delay': '500ms' } })
  await clock.pass(500)
  await slow
  assert.equal(measure().all.requests, 1)
  await clock.pass(61_000)
  assert.equal(measure().all.requests, 0)
})

test('the time since the oldest request is measured where the journal has forgotten others', async () => {
  const { ask, clock, measure } = road('journal: { requests: 2 }\n')
  for (const _ of [1, 2, 3]) {
    await ask('GET /things')
    await clock.pass(6000)
  }
  const { all, seconds, step } = measure()
  assert.deepEqual([seconds, step, all.requests, all.perSecond], [12, 0.2, 2, 0.167])
  assert.deepEqual([all.series[0]?.requests, all.series[30]?.requests], [1, 1])
})
