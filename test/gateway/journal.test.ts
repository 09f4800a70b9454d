import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { describeEntry, type RecordedRequest } from '../../src/gateway/journal/entry.ts'
import { compileFilter, type RequestFilter, verifyRequests } from '../../src/gateway/journal/filter.ts'
import { OPERATIONS, simulate } from '../simulate.ts'
import { FixedClock } from '../virtual-clock.ts'
import { recordedAt } from './recorded.ts'

const clock = new FixedClock(Date.UTC(2026, 5, 1))
const start = (yaml = '') => simulate(`${yaml}\noperations: ${OPERATIONS}`, clock)

const recorded = (gateway: Gateway, filter?: RequestFilter, limit?: number) =>
  recordedAt(clock.time, gateway, filter, limit)

test('the journal records operation, consumer, world and times of a request', async () => {
  const { gateway, ask } = start()
  await ask('GET /things/7?verbose=1', {
    headers: { 'x-key': 'ann-key', 'understudy-world': 'alice', 'understudy-time': '2030-12-06' },
  })
  const [{ durationMs, ...request } = {} as RecordedRequest] = recorded(gateway)
  assert.ok(durationMs >= 0)
  assert.deepEqual(request, {
    id: 1,
    at: '2026-06-01T00:00:00.000Z',
    time: '2030-12-06T00:00:00.000Z',
    world: 'alice',
    operation: 'getThing',
    consumer: 'ann',
    method: 'GET',
    path: '/things/7',
    query: 'verbose=1',
    status: 404,
    refusal: { code: 'not_found', rule: 'there is no record 7 in things' },
  })
})

test('the journal records a request that matches no operation', async () => {
  const { gateway, ask } = start()
  await ask('GET /nothing')
  await ask('PUT /things')
  await ask('GET /things', { headers: { 'understudy-world': 'no such name' } })
  assert.deepEqual(
    recorded(gateway).map(({ operation, status, refusal }) => [operation, status, refusal?.code]),
    [
      [null, 404, 'not_found'],
      [null, 405, 'method_not_allowed'],
      [null, 400, 'invalid_request'],
    ],
  )
})

test('the journal records injected faults and delays', async () => {
  const { gateway, ask } = simulate(
    'operations: { listThings: { respond: { list: things }, fault: { kind: status, status: 503 } } }',
    clock,
  )
  await ask('GET /things')
  const [request] = recorded(gateway)
  assert.equal(request?.status, 503)
  assert.ok(request?.injected?.fault, JSON.stringify(request))
})

test('the oldest request is removed first', async () => {
  const { gateway, ask } = start('journal: { requests: 3 }')
  for (let i = 1; i <= 5; i++) await ask(`GET /things/${i}`)
  assert.deepEqual(
    recorded(gateway).map(({ path }) => path),
    ['/things/3', '/things/4', '/things/5'],
  )
  assert.equal(gateway.journal.evicted, 2)
})

test('dropped requests are counted by world, so that the counts of another world are exact', async () => {
  const { gateway, ask } = start('journal: { requests: 3 }')
  const askIn = (world: string) => ask('GET /things', { headers: { 'understudy-world': world } })
  const verdictOf = (world: string, times: number) => {
    const criteria = compileFilter({ world }, Date.now(), gateway.journal)
    assert.ok(!('fault' in criteria))
    const { ok, unknown } = verifyRequests(gateway.journal, criteria, { min: times, max: times })
    return unknown === undefined ? ok : 'unknown'
  }
  for (let i = 0; i < 5; i++) await askIn('alice')
  assert.deepEqual([verdictOf('alice', 3), verdictOf('bob', 0), verdictOf('bob', 1)], ['unknown', true, false])
  await askIn('bob')
  assert.deepEqual([verdictOf('bob', 1), verdictOf('bob', 0)], [true, false])
  for (let i = 0; i < 3; i++) await askIn('carol')
  assert.equal(verdictOf('bob', 1), 'unknown')
  gateway.journal.clear('bob')
  assert.deepEqual([verdictOf('bob', 0), verdictOf('alice,bob', 0)], [true, 'unknown'])
})

test('the memory of the journal is bounded', async () => {
  const { gateway, ask } = start('journal: { requests: 1000, size: 20kB }')
  for (let i = 1; i <= 20; i++) await ask(`GET /things?note=${'x'.repeat(4000)}`)
  const kept = recorded(gateway)
  assert.equal(kept.length, 4)
  assert.equal(kept.at(-1)?.id, 20)
  assert.equal(gateway.journal.evicted, 16)
  await ask(`GET /things?note=${'x'.repeat(30_000)}`)
  assert.deepEqual(recorded(gateway), [])
})

test('`journal: null` records nothing', async () => {
  const { gateway, ask } = start('journal: null')
  await ask('GET /things')
  assert.deepEqual(recorded(gateway), [])
})

test('the journal can be cleared, for all worlds or for one', async () => {
  const { gateway, ask } = start()
  for (const world of ['alice', 'bob', 'alice']) await ask('GET /things', { headers: { 'understudy-world': world } })
  gateway.journal.clear('alice')
  assert.deepEqual(
    recorded(gateway).map(({ id, world }) => [id, world]),
    [[2, 'bob']],
  )
  gateway.journal.clear()
  assert.deepEqual(recorded(gateway), [])
  await ask('GET /things')
  assert.equal(recorded(gateway)[0]?.id, 4)
})

test('a reload with smaller bounds keeps the latest requests', async () => {
  const { gateway, ask } = start()
  for (let i = 1; i <= 5; i++) await ask(`GET /things/${i}`)
  const settings = gateway.plan.simulation.journal
  gateway.journal.adapt({ ...settings, requests: 2 })
  await ask('GET /things/6')
  assert.deepEqual(
    recorded(gateway).map(({ path }) => path),
    ['/things/5', '/things/6'],
  )
  gateway.journal.adapt({ ...settings, requests: 0 })
  await ask('GET /things/7')
  assert.deepEqual(recorded(gateway), [])
  gateway.journal.adapt({ ...settings, requests: 3 })
  for (let i = 8; i <= 11; i++) await ask(`GET /things/${i}`)
  assert.deepEqual(
    recorded(gateway).map(({ path }) => path),
    ['/things/9', '/things/10', '/things/11'],
  )
})

test('bodies are kept up to the configured size', async () => {
  const { gateway, ask } = start('journal: { bodies: 20B }')
  await ask('POST /things', { body: { name: 'a rather long name' } })
  await ask('GET /things/1')
  const [created, read] = recorded(gateway)
  assert.deepEqual(created?.requestBody, { text: '{"name":"a rather lo', bytes: 29 })
  assert.deepEqual(created?.replyBody, { text: '{"id":3,"name":"a ra', bytes: 36 })
  assert.equal(read?.requestBody, undefined)
  assert.deepEqual(read?.replyBody, { text: '{"id":1,"name":"one"', bytes: 21 })
})

test('bodies are not kept by default', async () => {
  const { gateway, ask } = start()
  await ask('POST /things', { body: { name: 'three' } })
  const [request] = recorded(gateway)
  assert.equal(request?.requestBody, undefined)
  assert.equal(request?.replyBody, undefined)
})

test('a described entry stays valid after its slot is reused', async () => {
  const { gateway, ask } = start('journal: { requests: 1 }')
  await ask('GET /things/1')
  const [entry] = gateway.journal.each()
  assert.ok(entry)
  const described = describeEntry(entry)
  await ask('GET /things/2')
  assert.equal(described.path, '/things/1')
})

test('listeners get every request until they stop', async () => {
  const { gateway, ask } = start()
  const heard: string[] = []
  const stop = gateway.journal.listen(({ path }) => heard.push(path))
  await ask('GET /things/1')
  stop()
  await ask('GET /things/2')
  assert.deepEqual(heard, ['/things/1'])
})

test('a reset of a world removes the requests of that world only', async () => {
  const { gateway, ask } = start()
  await ask('GET /things')
  await ask('GET /things', { headers: { 'understudy-world': 'alice' } })
  gateway.reset('alice')
  assert.deepEqual(
    recorded(gateway).map(({ world }) => world),
    ['default'],
  )
  gateway.reset()
  assert.deepEqual(recorded(gateway), [])
})
