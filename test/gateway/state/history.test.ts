import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, type Effect } from '../../../src/gateway/state/changes.ts'
import { History } from '../../../src/gateway/state/history.ts'
import { historyRoutes } from '../../../src/http/control/history.ts'
import type { Call, ControlReply, ControlRoute } from '../../../src/http/control/route.ts'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { parseSource } from '../../../src/kernel/read-source.ts'
import type { Source } from '../../../src/kernel/source.ts'
import { MemoryLog } from '../../../src/state/memory-log.ts'
import { GATEWAY, type Replica, replica } from './replicas.ts'
import { two } from './two-replicas.ts'

/** Calls a route of the control plane of a replica, in its turn where it does not take one itself. */
async function call(
  { gateway }: Replica,
  operation: string,
  body?: object,
  world = 'default',
): Promise<ControlReply & { body: never }> {
  const routes = historyRoutes({ gateway } as never)
  const route = routes.find(one => one.operation === operation) as ControlRoute
  const given = { parameters: { name: world }, body, text: undefined, prefers: () => false } as unknown as Call
  const answered = route.outsideTurns
    ? route.answer(given)
    : gateway.change(() => route.answer(given), `${route.method} ${route.path}`)
  return (await answered) as never
}

const titles = async (one: Replica) =>
  ((await one.send('GET /books')).body as { title: string }[]).map(({ title }) => title)

async function withChanges() {
  const log = new MemoryLog()
  const one = await replica(log.connect())
  await one.send('POST /books', { title: 'three' })
  one.clock.time += 60_000
  await one.send('PUT /books/1', { title: 'eins' })
  await one.send('DELETE /books/2')
  return { log, one }
}

test('the history lists changes with their time and request', async () => {
  const { one } = await withChanges()
  const { body } = await call(one, 'getHistory')
  const { entries } = body as { entries: { position: number; at: string; by: string; changes: object[] }[] }
  assert.deepEqual(
    entries.map(({ by, at, changes }) => [by, at, changes]),
    [
      ['DELETE /books/2', '2026-06-01T00:01:00.000Z', [{ change: 'removed', collection: 'books', id: 2 }]],
      ['PUT /books/1', '2026-06-01T00:01:00.000Z', [{ change: 'written', collection: 'books', id: 1 }]],
      ['POST /books', '2026-06-01T00:00:00.000Z', [{ change: 'written', collection: 'books', id: 3 }]],
    ],
  )
})

test('a world rewinds to a position, a time or a request, on every replica, and forward again', async () => {
  const { log, one } = await withChanges()
  const other = await replica(log.connect())
  const positions = [...one.gateway.journal.each()].map(({ id, position }) => [id, position] as const)
  const [[, made], [put], [, removed]] = positions as [
    readonly [number, number],
    readonly [number, number],
    readonly [number, number],
  ]
  assert.deepEqual(await titles(one), ['eins', 'three'])
  assert.equal((await call(one, 'rewindWorld', { to: made })).status, 200)
  assert.deepEqual(await titles(other), ['one', 'two', 'three'])
  // The rewind is in the history, so the position before it has the old records.
  await call(other, 'rewindWorld', { to: removed })
  assert.deepEqual(await titles(one), ['eins', 'three'])
  await call(one, 'rewindWorld', { to: { request: put } })
  assert.deepEqual(await titles(other), ['one', 'two', 'three'])
  await call(one, 'rewindWorld', { to: 0 })
  assert.deepEqual(await titles(one), ['one', 'two'])
  assert.equal(((await one.send('POST /books', { title: 'x' })).body as { id: number }).id, 3)
})

test('a record that was evicted for another one is in the history, and comes back when the world rewinds', async () => {
  const log = new MemoryLog()
  const one = await replica(log.connect(), {}, { 'gateway.yaml': GATEWAY.replace('maxRecords: 50', 'maxRecords: 3') })
  await one.send('POST /books', { title: 'three' })
  const before = one.state.position
  await one.send('POST /books', { title: 'four "4"\tä' })
  assert.deepEqual(await titles(one), ['one', 'two', 'four "4"\tä'])
  const { body } = await call(one, 'getHistory')
  assert.deepEqual((body as { entries: { changes: object[] }[] }).entries[0]?.changes, [
    { change: 'written', collection: 'books', id: 4 },
    { change: 'removed', collection: 'books', id: 3 },
  ])
  const other = await replica(log.connect(), {}, { 'gateway.yaml': GATEWAY.replace('maxRecords: 50', 'maxRecords: 3') })
  assert.deepEqual(await titles(other), await titles(one))
  await call(other, 'rewindWorld', { to: before })
  for (const each of [one, other]) assert.deepEqual(await titles(each), ['one', 'two', 'three'])
  assert.equal(((await one.send('POST /books', { title: 'x' })).body as { id: number }).id, 4)
})

test('a world rewinds to a time before a reset', async () => {
  const { one } = await withChanges()
  one.clock.time += 60_000
  await one.gateway.change(() => one.gateway.reset(), 'POST /reset')
  assert.deepEqual(await titles(one), ['one', 'two'])
  await call(one, 'rewindWorld', { to: '-90s' })
  assert.deepEqual(await titles(one), ['one', 'two', 'three'])
})

test('a rewind restores counters, too', async () => {
  const { one } = await withChanges()
  const { position } = one.state
  assert.equal((await one.send('GET /ruled')).status, 418)
  assert.equal((await one.send('GET /ruled')).status, 200)
  await call(one, 'rewindWorld', { to: position })
  assert.equal((await one.send('GET /ruled')).status, 418)
})

/** Makes a book and takes the world back, repeatedly. Returns the sizes of the last entries of the history. */
async function rewindOften(one: Replica, to: number, title: (i: number) => string): Promise<readonly number[]> {
  for (let i = 0; i < 100; i++) {
    const made = await one.send('POST /books', { title: title(i) }, { 'idempotency-key': `${i}` })
    assert.equal(made.status, 201)
    assert.equal((await call(one, 'rewindWorld', { to })).status, 200)
  }
  const { history } = one.state.worldLog
  const rewinds = history.of('default').filter(({ by }) => by.endsWith('/rewind'))
  return rewinds.map(({ changes }) => changes.length)
}

test('a rewind changes only what differs, however often the world was taken back before', async () => {
  const log = new MemoryLog()
  const one = await replica(log.connect())
  const other = await replica(log.connect())
  await one.send('POST /~alice/books', { title: 'hers' })
  for (const title of ['three', 'four']) await one.send('POST /books', { title })
  await one.send('DELETE /books/3')
  const { position } = one.state
  const sizes = await rewindOften(one, position, i => `${i}`)
  // The record, the key and the number of requests.
  assert.deepEqual([sizes.length, new Set(sizes)], [100, new Set([3])])
  const { reach } = one.state.worldLog.history
  assert.deepEqual([reach, one.state.worldLog.history.of('alice').length > 0], [0, true])
  for (const each of [one, other, await replica(log.connect())]) {
    assert.deepEqual(await titles(each), ['one', 'two', 'four'])
    assert.deepEqual([...each.gateway.worlds.default.ordinals].sort(), [...one.gateway.worlds.default.ordinals].sort())
  }
  assert.equal((await call(one, 'rewindWorld', { to: one.state.position - 1 })).status, 200)
  assert.deepEqual(await titles(other), ['one', 'two', 'four', '99'])
})

test('a world that was reset repeatedly rewinds as it was, with its weather and counters, on every replica', async () => {
  const log = new MemoryLog()
  const one = await replica(log.connect())
  const other = await replica(log.connect())
  await one.send('PUT /books/1', { title: 'eins' })
  assert.equal((await one.send('GET /ruled')).status, 418)
  const weatherOf = ({ gateway }: Replica) => gateway.weather.of(gateway.worlds.default, gateway.plan)
  const report = new Diagnostics()
  const order = parseSource('weather', 'operations: { limited: { fault: { kind: status, status: 503 } } }', report)
  await one.gateway.change(() => weatherOf(one).make(one.gateway.plan, order as Source, report), 'PUT /weather')
  const { position } = one.state
  for (let i = 0; i < 3; i++) {
    await one.gateway.change(() => one.gateway.reset(), 'POST /reset')
    await one.send('PUT /books/2', { title: `${i}` })
    assert.equal((await one.send('GET /ruled')).status, 418)
    await call(one, 'rewindWorld', { to: position })
    for (const each of [one, other, await replica(log.connect())]) {
      assert.deepEqual(await titles(each), ['eins', 'two'])
      assert.equal((await each.send('GET /ruled')).status, 200)
      assert.equal((await each.send('GET /limited')).status, 503)
    }
    await one.send('PUT /books/1', { title: 'changed since' })
  }
})

test('a rewind that another replica overtakes takes requests back once', async () => {
  const { a, b } = await two()
  const { position } = a.state
  for (let i = 0; i < 3; i++) await a.send('POST /books', { title: 'new' })
  await b.send('GET /books')
  await Promise.all([
    b.send('PUT /books/1', { title: 'eins' }),
    a.state.run(async () => a.state.worldLog.rewind('default', position), { text: 'rewind' }),
  ])
  assert.equal(a.state.meter.conflicts, 1)
  await a.send('GET /ruled')
  for (const one of [a, b]) {
    await one.send('GET /ruled')
    assert.equal(one.gateway.worlds.default.ordinals.get('createBook') ?? 0, 0)
  }
})

test('records whose ordinals were exchanged are given up in their former order', async () => {
  const log = new MemoryLog()
  const one = await replica(log.connect(), {}, { 'gateway.yaml': GATEWAY.replace('maxRecords: 50', 'maxRecords: 4') })
  const books = () => one.gateway.worlds.default.collection('books')
  const put = (id: number) => one.gateway.change(() => books().put(id, { title: `${id}` }), `PUT ${id}`)
  await put(7)
  await put(8)
  const { position } = one.state
  await call(one, 'rewindWorld', { to: 0 })
  await put(8)
  await put(7)
  await call(one, 'rewindWorld', { to: position })
  await put(9)
  assert.deepEqual(await titles(one), ['one', 'two', '8', '9'])
})

test('a compacted position, an unknown request and a world without history are refused', async () => {
  const { log, one } = await withChanges()
  log.compact(log.position, await one.state.worldLog.snapshot())
  const late = await replica(log.connect())
  assert.deepEqual([(await call(late, 'rewindWorld', { to: 0 })).status], [409])
  assert.equal((await call(one, 'rewindWorld', { to: { request: 999 } })).status, 404)
  assert.equal((await call(one, 'rewindWorld', { to: 'soon' })).status, 400)
  const { gateway } = one
  gateway.state = undefined
  assert.equal((await call(one, 'getHistory')).status, 409)
})

/** Rewinds the default world. Returns the reply's status and its position, or why it was refused. */
async function rewound(one: Replica, to: unknown): Promise<readonly [status: number, position: unknown]> {
  const { status, body } = await call(one, 'rewindWorld', { to })
  const { position, code, detail } = body as { position?: number; code?: string; detail?: string }
  return [status, position ?? `${code}: ${detail}`]
}

test('a time before the history begins is refused', async () => {
  const { log, one } = await withChanges()
  const { position } = log
  const begun = 'the history begins at 2026-06-01T00:00:00.000Z, after'
  assert.deepEqual(await rewound(one, '2026-05-31'), [409, `out_of_reach: ${begun} "2026-05-31"`])
  log.compact(position, await one.state.worldLog.snapshot())
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
  const history = new History(100)
  const write = (position: number, text: string) => {
    const [effect, inverse]: Effect[] = [text, null].map(one => ['in', 'pets', ['row', 1, one, 1, position]])
    history.add({ position, at: 1000 * position, by: '', changes: [changeOf('default', effect as Effect, inverse)] })
  }
  assert.equal(history.since, Number.POSITIVE_INFINITY)
  history.cover(500)
  for (const position of [1, 2, 3]) write(position, 'x'.repeat(40))
  assert.deepEqual([history.reach, history.since], [1, 1000])
  write(4, 'x'.repeat(101))
  assert.deepEqual([history.reach, history.since], [4, 4000])
  history.clear(7)
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
