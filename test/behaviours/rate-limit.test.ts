import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from '../simulate.ts'
import type { Ask } from '../support/in-process.ts'
import { VirtualClock } from '../virtual-clock.ts'

const limited = (limit: string, clock = new VirtualClock()) => {
  const { ask, gateway } = simulate(
    `tags: { things: { rateLimit: ${limit} } }\noperations: { listThings: { respond: { list: things } }, createThing: { respond: { create: things } } }`,
    clock,
  )
  const list = async (options?: Ask) => (await ask('GET /things', options)).status
  return { ask, list, clock, gateway }
}
const create = (key: string): Ask => ({ headers: { 'x-key': key }, body: { name: 'three' } })

test('a window admits its limit, and its headers say the remaining count and the reset time', async () => {
  const { ask, clock } = limited('{ limit: 2/m, legacyHeaders: true }')
  const seen: unknown[] = []
  for (const pass of [0, 10_500, 0, 49_499, 1]) {
    await clock.pass(pass)
    const { status, headers } = await ask('GET /things')
    seen.push([status, headers.ratelimit, headers['retry-after']])
  }
  assert.deepEqual(seen, [
    [200, '"things";r=1;t=60', undefined],
    [200, '"things";r=0;t=50', undefined],
    [429, '"things";r=0;t=50', '50'],
    [429, '"things";r=0;t=1', '1'],
    [200, '"things";r=1;t=60', undefined],
  ])
  const { headers } = await ask('GET /things')
  assert.equal(headers['ratelimit-policy'], '"things";q=2;w=60')
  assert.equal(headers['x-ratelimit-limit'], '2')
  assert.equal(headers['x-ratelimit-remaining'], '0')
  assert.equal(headers['x-ratelimit-reset'], `${(clock.now() + 60_000) / 1000}`)
})

test('a bucket admits a burst, then one request per refill', async () => {
  const { ask, clock } = limited('{ limit: 60/m, burst: 3 }')
  const seen: unknown[] = []
  for (const pass of [0, 0, 0, 0, 999, 1, 0, 60_000, 0, 0, 0]) {
    await clock.pass(pass)
    const { status, headers } = await ask('GET /things')
    seen.push([status, headers.ratelimit])
  }
  assert.deepEqual(seen, [
    [200, '"things";r=2;t=1'],
    [200, '"things";r=1;t=2'],
    [200, '"things";r=0;t=3'],
    [429, '"things";r=0;t=1'],
    [429, '"things";r=0;t=1'],
    [200, '"things";r=0;t=3'],
    [429, '"things";r=0;t=1'],
    [200, '"things";r=2;t=1'],
    [200, '"things";r=1;t=2'],
    [200, '"things";r=0;t=3'],
    [429, '"things";r=0;t=1'],
  ])
})

test('a limit counts by consumer, by address or globally, across the operations of its tag', async () => {
  const cases: [by: string, statuses: number[]][] = [
    ['consumer', [201, 429, 201, 200, 200, 429]],
    ['address', [201, 429, 429, 429, 200, 429]],
    ['all', [201, 429, 429, 429, 429, 429]],
  ]
  for (const [by, statuses] of cases) {
    const { ask, list } = limited(`{ limit: 1/h, by: ${by} }`)
    const created = async (key: string) => (await ask('POST /things', create(key))).status
    const seen = [await created('ann-key'), await created('ann-key'), await created('bob-key')]
    // Lists need no credential, so the address identifies the client.
    seen.push(await list(), await list({ address: '10.0.0.1' }), await list({ address: '10.0.0.1' }))
    assert.deepEqual(seen, statuses, by)
  }
})

test('a reset and a clock set back restart a limit', async () => {
  const { list, clock, gateway } = limited('{ limit: 1/h }')
  assert.deepEqual([await list(), await list()], [200, 429])
  gateway.reset()
  assert.deepEqual([await list(), await list()], [200, 429])
  gateway.worlds.default.clock.adjust({ now: clock.now() - 86_400_000 })
  assert.deepEqual([await list(), await list()], [200, 429])
})

test('every rate-limit header states the configured policy', async () => {
  for (const [limit, fields] of [
    ['{ limit: 100/m, burst: 20, legacyHeaders: true }', ['"things";q=100;w=60', '"things";r=19;t=1', '100', '19']],
    ['{ limit: 2/m, burst: 5, legacyHeaders: true }', ['"things";q=2;w=60', '"things";r=2;t=30', '2', '2']],
    ['{ limit: 3/s, legacyHeaders: true }', ['"things";q=3;w=1', '"things";r=2;t=1', '3', '2']],
  ] as const) {
    const { headers } = await limited(limit).ask('GET /things')
    assert.deepEqual(
      ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining'].map(name => headers[name]),
      fields,
      limit,
    )
  }
})
