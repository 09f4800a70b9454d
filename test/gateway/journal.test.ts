import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { describeEntry, type RecordedRequest } from '../../src/gateway/journal/entry.ts'
import {
  compileFilter,
  findUnknown,
  type RequestFilter,
  selectPage,
  selectRequests,
  type Times,
  verifyRequests,
} from '../../src/gateway/journal/filter.ts'
import { load, OPERATIONS, simulate } from '../simulate.ts'
import { FixedClock } from '../virtual-clock.ts'

const clock = new FixedClock(Date.UTC(2026, 5, 1))
const start = (yaml = '') => simulate(`${yaml}\noperations: ${OPERATIONS}`, clock)

const criteriaOf = (filter: RequestFilter) => {
  const criteria = compileFilter(filter, clock.time)
  assert.ok(!('fault' in criteria), JSON.stringify(criteria))
  return criteria
}
const recorded = ({ journal }: Gateway, filter: RequestFilter = {}, limit = 1000): RecordedRequest[] =>
  selectRequests(journal, criteriaOf(filter), limit)
const verify = ({ journal }: Gateway, filter: RequestFilter, times: Times = {}) =>
  verifyRequests(journal, criteriaOf(filter), times)

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

const asked = async () => {
  const { gateway, ask } = start()
  clock.time = Date.UTC(2026, 5, 1)
  await ask('GET /things', { headers: { 'x-key': 'ann-key' } })
  await ask('GET /things/1', { headers: { 'x-key': 'ann-key' } })
  clock.time += 60_000
  await ask('GET /things/9', { headers: { 'x-key': 'bob-key' } })
  await ask('POST /things', { headers: { 'understudy-world': 'alice' }, body: {} })
  clock.time += 60_000
  await ask('GET /nothing')
  return gateway
}

const FILTERS: [RequestFilter, ids: number[]][] = [
  [{}, [1, 2, 3, 4, 5]],
  [{ operation: 'getThing' }, [2, 3]],
  [{ operation: 'getThing,listThings' }, [1, 2, 3]],
  [{ operation: '' }, [5]],
  [{ consumer: 'ann' }, [2]],
  [{ consumer: '' }, [1, 4, 5]],
  [{ world: 'alice' }, [4]],
  [{ world: 'alice,default' }, [1, 2, 3, 4, 5]],
  [{ method: 'post' }, [4]],
  [{ path: '/things/9' }, [3]],
  [{ path: '/things/*' }, [2, 3]],
  [{ path: '/thing.' }, []],
  [{ status: 404 }, [3, 5]],
  [{ status: '4xx' }, [3, 4, 5]],
  [{ status: '200,400' }, [1, 2, 4]],
  [{ refusal: 'invalid_request' }, [4]],
  [{ refusal: '' }, [1, 2]],
  [{ fault: '' }, [1, 2, 3, 4, 5]],
  [{ note: 'anything' }, []],
  [{ slowerThan: '1h' }, []],
  [{ since: '2026-06-01T00:01:00Z' }, [3, 4, 5]],
  [{ since: '-60s' }, [3, 4, 5]],
  [{ until: '2026-06-01T00:01:00Z' }, [1, 2, 3, 4]],
  [{ after: 3 }, [4, 5]],
  [{ consumer: 'bob', status: 404 }, [3]],
  [{ consumer: 'ann', status: 404 }, []],
]

test('requests are filtered by their properties', async () => {
  const gateway = await asked()
  for (const [filter, ids] of FILTERS) {
    assert.deepEqual(
      recorded(gateway, filter).map(({ id }) => id),
      ids,
      JSON.stringify(filter),
    )
  }
})

test('the last matching requests are shown', async () => {
  const gateway = await asked()
  assert.deepEqual(
    recorded(gateway, {}, 2).map(({ id }) => id),
    [4, 5],
  )
})

const FAULTS: [RequestFilter, fault: RegExp][] = [
  [{ status: '4x4' }, /"4x4" is not a status/],
  [{ status: '' }, /"" is not a status/],
  [{ slowerThan: '250' }, /slowerThan must be a duration such as 250ms, not "250"/],
  [{ since: 'yesterday' }, /since must be a date/],
  [{ until: '2026-02-30' }, /until must be a date/],
]

test('an invalid filter is refused', () => {
  for (const [filter, fault] of FAULTS) {
    const criteria = compileFilter(filter, clock.time)
    assert.ok('fault' in criteria)
    assert.match(criteria.fault, fault)
  }
})

test('an unknown operation or consumer in a filter is reported', async () => {
  const gateway = await asked()
  const find = (filter: RequestFilter) => findUnknown(filter, gateway.plan, gateway.journal)
  assert.equal(find({ operation: 'getThing,' }), undefined)
  assert.equal(find({ operation: 'getThin' }), 'there is no operation "getThin"; did you mean "getThing"?')
  assert.equal(find({ consumer: 'annn' }), 'there is no consumer "annn"; did you mean "ann"?')
})

const VERDICTS: [RequestFilter, Times, ok: boolean, matched: number][] = [
  [{ operation: 'getThing' }, {}, true, 2],
  [{ operation: 'getThing' }, { min: 2, max: 2 }, true, 2],
  [{ operation: 'getThing' }, { min: 3 }, false, 2],
  [{ operation: 'getThing' }, { max: 1 }, false, 2],
  [{ operation: 'getThing' }, { max: 0 }, false, 2],
  [{ operation: 'deleteThing' }, {}, false, 0],
  [{ operation: 'deleteThing' }, { max: 0 }, true, 0],
  [{}, { min: 5, max: 5 }, true, 5],
]

test('a verdict says whether the number of matches is as expected', async () => {
  const gateway = await asked()
  for (const [filter, times, ok, matched] of VERDICTS) {
    const verdict = verify(gateway, filter, times)
    assert.deepEqual([verdict.ok, verdict.matched], [ok, matched], JSON.stringify([filter, times]))
  }
})

test('a verdict of too few matches shows the nearest misses and their differences', async () => {
  const gateway = await asked()
  const { ok, nearest } = verify(gateway, { operation: 'getThing', consumer: 'ann', status: 404 })
  assert.equal(ok, false)
  assert.deepEqual(
    nearest.map(({ request, differs }) => [
      request.id,
      differs.map(({ key, wanted, found }) => `${key}: ${found}, not ${wanted}`),
    ]),
    [
      [3, ['consumer: bob, not ann']],
      [2, ['status: 200, not 404']],
      [5, ['operation: , not getThing', 'consumer: , not ann']],
    ],
  )
})

test('a verdict of too many matches shows the last of them', async () => {
  const gateway = await asked()
  const { requests, nearest } = verify(gateway, { operation: 'getThing' }, { max: 1 })
  assert.deepEqual(
    requests.map(({ id }) => id),
    [2, 3],
  )
  assert.deepEqual(nearest, [])
})

for (const [yaml, message] of [
  ['journal: { requests: 0 }', /"requests" must be at least 1/],
  ['journal: { size: 16 }', /"size" needs a unit/],
  ['journal: { bodies: all }', /"bodies" must be a size/],
  ['journal: { body: 4kB }', /unknown key "body"/],
] as const) {
  test(`${yaml} is reported`, () => {
    const { report } = load(`contract: { openapi: 3.1.0, info: { title: T, version: "1" }, paths: {} }\n${yaml}`)
    assert.match(report.list.map(one => one.message).join('\n'), message)
  })
}

test('a page of requests has the total count', async () => {
  const { gateway, ask } = start()
  for (let i = 0; i < 5; i++) await ask('GET /things')
  await ask('GET /things/1')
  const page = selectPage(gateway.journal, criteriaOf({ operation: 'listThings' }), 2)
  assert.deepEqual([page.requests.map(({ id }) => id), page.total], [[4, 5], 5])
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
