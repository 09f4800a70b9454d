// Weather as blocks and as the numbers of sliders.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  faultRatesIn,
  faultWith,
  isClear,
  latencyOf,
  movePercentile,
  percentilesIn,
  rateOf,
  readScope,
  scopesOf,
  settingsIn,
  settingsInWords,
  sliderLimitsIn,
  sliderOf,
  sliderOfRate,
  sliderValue,
  withLimits,
  withSettings,
  writeScope,
} from '../../src/console/weather/blocks.ts'

test('a scope is written to the URL', () => {
  for (const text of ['', 'tag:notes', 'operation:GET /notes', 'consumer:a:b']) {
    assert.equal(writeScope(readScope(text)), text)
  }
  assert.equal(readScope('nonsense').kind, 'everything')
})

test('settings are written to the block of their scope, and an empty block is removed', () => {
  const storm = { defaults: { latency: '2s' }, operations: { getOld: { fault: null } } }
  const tagged = withSettings(storm, { kind: 'tag', name: 'notes' }, { latency: { fixed: '5ms' } })
  assert.deepEqual(tagged, { ...storm, tags: { notes: { latency: { fixed: '5ms' } } } })
  assert.deepEqual(scopesOf(tagged).map(writeScope), ['', 'tag:notes', 'operation:getOld'])
  assert.deepEqual(settingsIn(tagged, readScope('operation:getOld')), { fault: null })
  const cleared = withSettings(withSettings(storm, readScope(''), {}), readScope('operation:getOld'), {})
  assert.equal(isClear(cleared), true)
})

test('percentiles are read in every form, and written in ascending order', () => {
  assert.deepEqual(percentilesIn({ p50: '12ms', p95: '80ms', p99: '1.5s' }), { p50: 12, p95: 80, p99: 1500 })
  assert.deepEqual(percentilesIn({ fixed: '2s' }), { p50: 2000, p95: 2000, p99: 2000 })
  assert.deepEqual(percentilesIn({ p50: '12ms', p90: '40ms', p99: '400ms' }), { p50: 12, p90: 40, p99: 400 })
  const written = { max: '2s', p99: '400ms', p90: '40ms', 'p99.9': '1s', p50: '12ms' }
  const known = percentilesIn(written)
  assert.deepEqual(known, { p50: 12, p90: 40, p99: 400, 'p99.9': 1000, max: 2000 })
  assert.deepEqual(latencyOf(movePercentile(known, 'p90', 500)), {
    ...{ p50: '12ms', p90: '500ms', p99: '500ms', 'p99.9': '1000ms', max: '2000ms' },
  })
  assert.equal(percentilesIn({ uniform: { min: '1ms', max: '2ms' } }), undefined)
  assert.deepEqual(movePercentile({ p50: 10, p95: 20, p99: 30 }, 'p50', 25), { p50: 25, p95: 25, p99: 30 })
  assert.deepEqual(movePercentile({ p50: 10, p95: 20, p99: 30 }, 'p99', 5), { p50: 5, p95: 5, p99: 5 })
  assert.deepEqual(latencyOf({ p50: 12, p95: 80, p99: 400 }), { p50: '12ms', p95: '80ms', p99: '400ms' })
  assert.deepEqual(latencyOf({ p50: 5, p95: 5, p99: 5 }), { fixed: '5ms' })
  assert.equal(latencyOf({ p50: 0, p95: 0, p99: 0 }), undefined)
})

test('fault rates change their own faults and keep the others', () => {
  const before = [
    { kind: 'status', status: 502, probability: 0.1, retryAfter: '2s' },
    { kind: 'drip', rate: '64B/s' },
  ]
  assert.deepEqual(faultRatesIn(before), { status: 0.1, code: 502, reset: 0, hang: 0 })
  assert.deepEqual(faultWith(before, { status: 0.2, code: 503, reset: 0.1, hang: 0 }), [
    { kind: 'drip', rate: '64B/s' },
    { kind: 'status', status: 503, probability: 0.2, retryAfter: '2s' },
    { kind: 'reset', probability: 0.1 },
  ])
  assert.equal(faultWith(undefined, { status: 0, code: 503, reset: 0, hang: 0 }), undefined)
  assert.deepEqual(
    faultRatesIn({ kind: 'reset' }),
    { status: 0, code: 503, reset: 1, hang: 0 },
    'always, unless it says',
  )
})

test('limits are read in their units, and clearing a limit removes its block', () => {
  assert.deepEqual(sliderLimitsIn({ rateLimit: { limit: '10/s' }, capacity: { concurrency: 4 } }), {
    perMinute: 600,
    concurrency: 4,
  })
  assert.deepEqual(sliderLimitsIn({ rateLimit: { limit: '1000/10m' } }), { perMinute: 100, concurrency: 0 })
  assert.deepEqual(withLimits({ rateLimit: { limit: '10/s', by: 'all' } }, { perMinute: 30, concurrency: 0 }), {
    rateLimit: { limit: '30/min', by: 'all' },
    capacity: undefined,
  })
})

test('the position of a slider maps back to its value', () => {
  for (const milliseconds of [0, 1, 5, 12, 80, 400, 3000, 30_000]) {
    const back = sliderValue(sliderOf(milliseconds, 30_000), 30_000)
    assert.ok(Math.abs(back - milliseconds) <= milliseconds * 0.05 + 0.5, `${milliseconds} became ${back}`)
  }
  for (const rate of [0, 0.001, 0.01, 0.05, 0.2, 1]) {
    const back = rateOf(sliderOfRate(rate))
    assert.ok(Math.abs(back - rate) <= rate * 0.1, `${rate} became ${back}`)
  }
})

test('settings are summarised in a few words', () => {
  const storm = { latency: { p50: '200ms', p99: '3s' }, fault: { kind: 'status', status: 503, probability: 0.2 } }
  assert.equal(settingsInWords({ ...storm, rateLimit: { limit: '100/min' } }), '200 ms to 3 s, 20 % 503, 100 a minute')
  assert.equal(settingsInWords({ fault: null, latency: null }), 'no latency, no faults')
  assert.equal(settingsInWords({}), '')
})
