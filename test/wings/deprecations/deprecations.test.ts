import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../../../src/gateway/metrics/metrics.ts'
import { deprecationsObserver } from '../../../src/wings/deprecations/observe.ts'
import { describeDeprecations, formatDeprecations } from '../../../src/wings/deprecations/report.ts'
import { simulate } from '../../simulate.ts'
import { gatewayOf, load, sendTo } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

const clock = new FixedClock(Date.UTC(2026, 5, 1))
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
  await ask('GET /things/9', { headers: { 'x-key': 'ann-key' } })
  // Rehearsals: at another time, and in a sandbox.
  await ask('GET /things/9', { headers: { 'x-key': 'ann-key', 'understudy-time': '2026-05-20' } })
  await ask('GET /things/1', { headers: { 'x-key': 'bob-key', 'understudy-world': 'alice' } })
  return simulated
}

test('callers of deprecated operations and inputs are counted', async () => {
  const { gateway } = await called()
  const report = describeDeprecations(gateway.plan, gateway.observed(deprecationsObserver).usages, clock.time)
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
          { consumer: 'ann', calls: 2, firstSeen: '2026-06-03', lastSeen: '2026-06-03' },
          { consumer: 'bob', calls: 1, firstSeen: '2026-06-01', lastSeen: '2026-06-01' },
          { consumer: null, calls: 1, firstSeen: '2026-06-01', lastSeen: '2026-06-01' },
        ],
        rehearsed: 2,
      },
      {
        operation: 'deleteThing',
        method: 'DELETE',
        path: '/things/{id}',
        since: '2026-01-01',
        calls: 0,
        consumers: [],
        rehearsed: 0,
      },
    ],
    inputs: [],
  })
})

test('the report can be a table for people', async () => {
  const { gateway } = await called()
  const report = describeDeprecations(gateway.plan, gateway.observed(deprecationsObserver).usages, clock.time)
  assert.equal(
    formatDeprecations(report),
    `OPERATION    SUNSET      DAYS LEFT  CONSUMER   CALLS  FIRST SEEN  LAST SEEN
getThing     2026-07-01  28         ann        2      2026-06-03  2026-06-03
getThing     2026-07-01  28         bob        1      2026-06-01  2026-06-01
getThing     2026-07-01  28         (unknown)  1      2026-06-01  2026-06-01
deleteThing  ·           ·          nobody     0      ·           ·

2 more in sandboxes or at other times
`,
  )
  assert.equal(formatDeprecations({ at: '2026-06-03', operations: [], inputs: [] }), 'no operation is deprecated\n')
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
    const report = describeDeprecations(gateway.plan, gateway.observed(deprecationsObserver).usages, Date.parse(now))
    assert.equal(report.operations[0]?.daysLeft, daysLeft, now)
  }
})

test('the metrics have the same counts', async () => {
  const { metric } = await called()
  const labels = '{operation="getThing",consumer="ann",traffic="live"}'
  assert.equal(await metric(`understudy_deprecated_requests_total${labels}`), 2)
  const june = Date.UTC(2026, 5, 3) / 1000
  assert.equal(await metric(`understudy_deprecated_first_request_timestamp_seconds${labels}`), june)
  assert.equal(await metric(`understudy_deprecated_last_request_timestamp_seconds${labels}`), june)
  const rehearsed = labels.replace('live', 'rehearsed')
  assert.equal(await metric(`understudy_deprecated_requests_total${rehearsed}`), 1)
  const may = Date.UTC(2026, 4, 20) / 1000
  assert.equal(await metric(`understudy_deprecated_last_request_timestamp_seconds${rehearsed}`), may)
})

test('every deprecated operation begins at 0 for every known consumer, so that a first call is an increase', async () => {
  clock.time = Date.UTC(2026, 5, 1)
  const { ask, gateway } = simulate(OPERATIONS, clock)
  const samples = async () =>
    (await gateway.metrics.page()).split('\n').filter(line => line.startsWith('understudy_deprecated_requests_total{'))
  const zeros = ['getThing', 'deleteThing'].flatMap(operation =>
    ['ann', 'bob', ''].map(
      consumer =>
        `understudy_deprecated_requests_total{operation="${operation}",consumer="${consumer}",traffic="live"} 0`,
    ),
  )
  assert.deepEqual(await samples(), zeros)
  await ask('GET /things/1', { headers: { 'x-key': 'bob-key' } })
  assert.deepEqual(
    await samples(),
    zeros.map(line => (/getThing.*bob/.test(line) ? line.replace(/0$/, '1') : line)),
  )
})

test('calls in a world with a moved clock are rehearsals until it is on real time again', async () => {
  clock.time = Date.UTC(2026, 5, 1)
  const { ask, gateway } = simulate(OPERATIONS, clock)
  const { default: world } = gateway.worlds
  world.clock.adjust({ now: Date.UTC(2026, 5, 20) })
  await ask('GET /things/1')
  world.clock.restore()
  await ask('GET /things/1')
  const [operation] = describeDeprecations(
    gateway.plan,
    gateway.observed(deprecationsObserver).usages,
    clock.time,
  ).operations
  assert.deepEqual([operation?.calls, operation?.rehearsed], [1, 1])
})

test('a reload keeps the counts', async () => {
  const { gateway, ask } = await called()
  gateway.adopt(gateway.plan)
  await ask('GET /things/1', { headers: { 'x-key': 'ann-key' } })
  const report = describeDeprecations(gateway.plan, gateway.observed(deprecationsObserver).usages, clock.time)
  assert.equal(report.operations[0]?.calls, 5)
})

test('reports of processes are merged: earliest first call, latest last call, sum of calls', async () => {
  const first = await called()
  const second = await called()
  clock.time = Date.UTC(2026, 5, 9)
  await second.ask('GET /things/1', { headers: { 'x-key': 'ann-key' } })
  const page = await Metrics.merge([await first.gateway.metrics.snapshot(), await second.gateway.metrics.snapshot()])
  const of = (name: string) =>
    Number(
      page
        .split('\n')
        .find(line => line.startsWith(`${name}{operation="getThing",consumer="ann",traffic="live"} `))
        ?.split(' ')[1],
    )
  assert.equal(of('understudy_deprecated_requests_total'), 5)
  assert.equal(of('understudy_deprecated_first_request_timestamp_seconds'), Date.UTC(2026, 5, 3) / 1000)
  assert.equal(of('understudy_deprecated_last_request_timestamp_seconds'), Date.UTC(2026, 5, 9) / 1000)
})

test('calls during a brown-out and after the sunset are counted by consumer', async () => {
  const operations = `
operations:
  getThing:
    respond: { read: things }
    deprecation: { since: 2025-12-05, sunset: 2030-12-05, brownouts: { starts: 30d before sunset, every: 6h, for: 10m } }
`
  for (const at of ['2030-11-05T00:05:00Z', '2031-01-01T00:00:00Z']) {
    const { ask, metric } = simulate(operations, new FixedClock(Date.parse(at)))
    await ask('GET /things/1', { headers: { 'x-key': 'ann-key' } })
    await ask('GET /things/1')
    const count = (consumer: string) =>
      metric(`understudy_deprecated_requests_total{operation="getThing",consumer="${consumer}",traffic="live"}`)
    assert.deepEqual([await count('ann'), await count('')], [1, 1])
  }
})

const SHELF = `
contract:
  openapi: 3.1.0
  info: { title: Shelf, version: "1" }
  paths:
    /books:
      get:
        operationId: listBooks
        parameters: [{ name: page, in: query, deprecated: true, schema: { type: integer } }]
        responses: { 204: { description: Fine } }
      post:
        operationId: createBook
        requestBody:
          content:
            application/json:
              schema: { type: object, properties: { title: { type: string }, subtitle: { type: string, deprecated: true } } }
        responses: { 204: { description: Fine } }
`

test('uses of deprecated inputs are counted by operation and input, with or without a warning', async () => {
  for (const defaults of ['', 'defaults: { deprecatedInputs: { warn: true } }']) {
    const gateway = gatewayOf(load(SHELF + defaults), clock)
    const send = sendTo(gateway)
    await send('GET /books?page=1')
    await send('GET /books?page=2')
    await send('POST /books', { title: 'T', subtitle: 'S' })
    const page = await gateway.metrics.page()
    const lines = page.split('\n').filter(line => line.startsWith('understudy_deprecated_inputs_total'))
    assert.deepEqual(lines, [
      'understudy_deprecated_inputs_total{operation="listBooks",input="query page",consumer="",traffic="live"} 2',
      'understudy_deprecated_inputs_total{operation="createBook",input="body /subtitle",consumer="",traffic="live"} 1',
    ])
  }
})

test('with `deprecatedInputs: null` uses are not counted', async () => {
  const gateway = gatewayOf(load(`${SHELF}defaults: { deprecatedInputs: null }`), clock)
  await sendTo(gateway)('GET /books?page=1')
  assert.doesNotMatch(await gateway.metrics.page(), /^understudy_deprecated_inputs_total\{/m)
})
