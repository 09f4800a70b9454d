import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeEntry } from '../../src/gateway/journal/entry.ts'
import { History } from '../../src/state/history.ts'
import { replica } from './replicas.ts'
import { call, rewound, titles, withChanges } from './rewinding.ts'
import { two } from './two-replicas.ts'

test('a compacted position, an unknown request and a world without history are refused', async () => {
  const { log, one } = await withChanges()
  log.compact(log.position, await one.state.snapshot())
  const late = await replica(log.connect())
  assert.deepEqual([(await call(late, 'rewindWorld', { to: 0 })).status], [409])
  assert.equal((await call(one, 'rewindWorld', { to: { request: 999 } })).status, 404)
  assert.equal((await call(one, 'rewindWorld', { to: 'soon' })).status, 400)
  const { gateway } = one
  gateway.state = undefined
  assert.equal((await call(one, 'getHistory')).status, 409)
})

test('a time before the history begins is refused', async () => {
  const { log, one } = await withChanges()
  const { position } = log
  const begun = 'the history begins at 2026-06-01T00:00:00.000Z, after'
  assert.deepEqual(await rewound(one, '2026-05-31'), [409, `out_of_reach: ${begun} "2026-05-31"`])
  log.compact(position, await one.state.snapshot())
  one.clock.time += 60_000
  // It knows the present only.
  const late = await replica(log.connect(), {}, {}, one.clock)
  one.clock.time += 60_000
  const later = 'the history begins at 2026-06-01T00:02:00.000Z, after'
  assert.deepEqual(await rewound(late, '-61s'), [409, `out_of_reach: ${later} "-61s"`])
  assert.deepEqual(await rewound(late, '-60s'), [200, position.at])
  await late.send('PUT /books/1', { title: 'later' })
  assert.deepEqual(await rewound(late, '-60s'), [200, position.at])
  assert.deepEqual(await titles(late), ['eins', 'three'])
  // The snapshot does not say when it was made.
  const last = await replica(log.connect(), {}, {}, one.clock)
  const first = 'the history begins at 2026-06-01T00:03:00.000Z, after'
  assert.deepEqual(await rewound(last, '-1s'), [409, `out_of_reach: ${first} "-1s"`])
})

test('a time is covered back to the last entry that was forgotten', () => {
  const history = new History(() => 'copy', 100)
  const write = (position: number, size: number) => {
    history.add({ position, at: 1000 * position, text: `[${1000 * position},"",[]]`, size, told: true })
    history.settle(true)
  }
  assert.equal(history.since, Number.POSITIVE_INFINITY)
  history.begin(0)
  history.cover(500)
  for (const position of [1, 2, 3]) write(position, 40)
  assert.deepEqual([history.reach, history.since], [3, 3000])
  write(4, 101)
  assert.deepEqual([history.reach, history.since], [4, 4000])
  history.begin(7)
  assert.deepEqual([history.reach, history.since], [7, Number.POSITIVE_INFINITY])
})

test('a position after the end of the log is refused', async () => {
  const { one } = await withChanges()
  const end = one.state.position
  assert.deepEqual(await rewound(one, end + 1), [
    409,
    `out_of_reach: the history ends at position ${end}, before ${end + 1}`,
  ])
  assert.deepEqual(await rewound(one, end), [200, end])
})

test('a request of before the log was lost is refused, on every replica', async () => {
  const { log, clock, a, b } = await two()
  for (const one of [a, b]) {
    await one.send('POST /books', { title: 'old' })
    await one.send('GET /books')
  }
  const [written, read] = [...a.gateway.journal.each()].map(({ id }) => id) as [number, number]
  const [other] = [...b.gateway.journal.each()].map(({ id }) => id) as [number]
  log.flush()
  clock.time += 1000
  for (let i = 0; i < 5; i++) await b.send('POST /books', { title: 'new' })
  const before = await titles(b)
  for (const one of [a, b]) {
    for (const request of [written, read, other]) {
      assert.deepEqual(await rewound(one, { request }), [
        409,
        `out_of_reach: the log was lost after request ${request}, and has begun anew`,
      ])
    }
  }
  assert.deepEqual(await titles(a), before)
  const all = [...(await a.gateway.requests.read()).each()]
  const entries = all.map(describeEntry)
  assert.deepEqual(
    entries.filter(({ id }) => id <= read).map(({ position }) => position),
    [undefined, undefined],
  )
  const [made] = all.filter(({ method, position }) => method === 'POST' && position !== -1)
  assert.equal((await rewound(a, { request: made?.id }))[0], 200)
  assert.deepEqual(await titles(b), ['one', 'two', 'old', 'old'])
})
