import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeDeprecations, formatDeprecations } from '../../src/gateway/deprecations.ts'
import { simulate } from '../simulate.ts'

const clock = { time: Date.UTC(2026, 5, 1), now: () => clock.time, sleep: async () => {} }
const OPERATIONS = `
operations:
  listThings: { respond: { list: things } }
  getThing:
    respond: { read: things }
    deprecation: { since: 2026-01-01, sunset: 2026-07-01 }
  deleteThing:
    respond: { delete: things }
    deprecation: { since: 2026-01-01 }
`

const called = async () => {
  clock.time = Date.UTC(2026, 5, 1)
  const simulated = simulate(OPERATIONS, clock)
  const { ask } = simulated
  await ask('GET /things')
  await ask('GET /things/1', { headers: { 'x-key': 'bob-key' } })
  await ask('GET /things/1')
  clock.time = Date.UTC(2026, 5, 3)
  await ask('GET /things/1', { headers: { 'x-key': 'ann-key' } })
  await ask('GET /things/9', { headers: { 'x-key': 'ann-key', 'understudy-time': '2026-05-20' } })
  return simulated
}

test('who still calls what is deprecated is counted', async () => {
  const { gateway } = await called()
  const report = describeDeprecations(gateway.plan, gateway.metrics.deprecations, clock.time)
  assert.deepEqual(report, {
    at: '2026-06-03',
    operations: [
      {
        operation: 'getThing',
        method: 'GET',
        path: '/things/{id}',
        since: '2026-01-01',
        sunset: '2026-07-01',
        daysLeft: 28,
        calls: 4,
        consumers: [
          { consumer: 'ann', calls: 2, firstSeen: '2026-05-20', lastSeen: '2026-06-03' },
          { consumer: 'bob', calls: 1, firstSeen: '2026-06-01', lastSeen: '2026-06-01' },
          { consumer: null, calls: 1, firstSeen: '2026-06-01', lastSeen: '2026-06-01' },
        ],
      },
      {
        operation: 'deleteThing',
        method: 'DELETE',
        path: '/things/{id}',
        since: '2026-01-01',
        calls: 0,
        consumers: [],
      },
    ],
    inputs: [],
  })
})

test('the report is a table for people', async () => {
  const { gateway } = await called()
  const report = describeDeprecations(gateway.plan, gateway.metrics.deprecations, clock.time)
  assert.equal(
    formatDeprecations(report),
    `OPERATION    SUNSET      DAYS LEFT  CONSUMER   CALLS  FIRST SEEN  LAST SEEN
getThing     2026-07-01  28         ann        2      2026-05-20  2026-06-03
getThing     2026-07-01  28         bob        1      2026-06-01  2026-06-01
getThing     2026-07-01  28         (unknown)  1      2026-06-01  2026-06-01
deleteThing  ·           ·          nobody     0      ·           ·
`,
  )
  assert.equal(formatDeprecations({ at: '2026-06-03', operations: [], inputs: [] }), 'nothing is deprecated\n')
})

test('days are counted to the sunset, and past it', async () => {
  const { gateway } = await called()
  for (const [now, daysLeft] of [
    ['2026-06-30T00:00:00Z', 1],
    ['2026-06-30T12:00:00Z', 1],
    ['2026-07-01T00:00:00Z', 0],
    ['2026-07-01T12:00:00Z', 0],
    ['2026-07-03T00:00:00Z', -2],
  ] as const) {
    const report = describeDeprecations(gateway.plan, gateway.metrics.deprecations, Date.parse(now))
    assert.equal(report.operations[0]?.daysLeft, daysLeft, now)
  }
})

test('metrics tell the same', async () => {
  const { metric } = await called()
  const labels = '{operation="getThing",consumer="ann"}'
  assert.equal(await metric(`understudy_deprecated_requests_total${labels}`), 2)
  const [first, last] = [Date.UTC(2026, 4, 20) / 1000, Date.UTC(2026, 5, 3) / 1000]
  assert.equal(await metric(`understudy_deprecated_first_request_timestamp_seconds${labels}`), first)
  assert.equal(await metric(`understudy_deprecated_last_request_timestamp_seconds${labels}`), last)
})

test('a reload goes on counting', async () => {
  const { gateway, ask } = await called()
  gateway.adopt(gateway.plan)
  await ask('GET /things/1', { headers: { 'x-key': 'ann-key' } })
  const report = describeDeprecations(gateway.plan, gateway.metrics.deprecations, clock.time)
  assert.equal(report.operations[0]?.calls, 5)
})
