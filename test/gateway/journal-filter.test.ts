import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Gateway } from '../../src/gateway/gateway.ts'
import {
  compileFilter,
  findUnknown,
  type RequestFilter,
  selectPage,
  type Times,
  verifyRequests,
} from '../../src/gateway/journal/filter.ts'
import { OPERATIONS, simulate } from '../simulate.ts'
import { load } from '../support/in-process.ts'
import { FixedClock } from '../virtual-clock.ts'
import { criteriaAt, recordedAt } from './recorded.ts'

const clock = new FixedClock(Date.UTC(2026, 5, 1))
const start = (yaml = '') => simulate(`${yaml}\noperations: ${OPERATIONS}`, clock)

const criteriaOf = (filter: RequestFilter) => criteriaAt(clock.time, filter)
const recorded = (gateway: Gateway, filter?: RequestFilter, limit?: number) =>
  recordedAt(clock.time, gateway, filter, limit)
const verify = ({ journal }: Gateway, filter: RequestFilter, times: Times = {}) =>
  verifyRequests(journal, criteriaOf(filter), times)

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

test('a verdict is unknown where requests that were dropped could change it', async () => {
  const { gateway, ask } = simulate(`journal: { requests: 3 }\noperations: ${OPERATIONS}`, new FixedClock())
  for (let i = 1; i <= 5; i++) await ask(`GET /things/${i}`)
  const paths: readonly (readonly [path: string, times: Times])[] = [
    ['/things/1', {}],
    ['/things/9', { max: 0 }],
    ['/things/5', { max: 1 }],
  ]
  for (const [path, times] of paths) {
    const { ok, unknown } = verify(gateway, { path }, times)
    assert.equal(ok, false)
    assert.match(String(unknown), /^2 requests that the journal has dropped may have matched/)
  }
  assert.equal(verify(gateway, { path: '/things/5' }).ok, true)
  assert.equal(verify(gateway, { path: '/things/9' }, { min: 3 }).unknown, undefined)
  assert.equal(verify(gateway, { path: '/things/*' }, { max: 2 }).unknown, undefined)
  assert.equal(verify(gateway, { path: '/things/9', after: 3 }, { max: 0 }).ok, true)
})
