import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import type { Source } from '../../src/kernel/file/source.ts'
import type { Effect } from '../../src/state/effects.ts'
import { writeGroup } from '../../src/state/entry-text.ts'
import type { RowChange } from '../../src/world/changes.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { GATEWAY, type Replica, replica } from './replicas.ts'
import { call, titles } from './rewinding.ts'
import { two } from './two-replicas.ts'

test('a world that is often taken back to one place is there each time, on every replica', async () => {
  const log = new MemoryLog()
  const one = await replica(log.connect())
  const other = await replica(log.connect())
  await one.send('POST /~alice/books', { title: 'hers' })
  for (const title of ['three', 'four']) await one.send('POST /books', { title })
  await one.send('DELETE /books/3')
  const { position } = one.state
  for (let i = 0; i < 100; i++) {
    const made = await one.send('POST /books', { title: `${i}` }, { 'idempotency-key': `${i}` })
    assert.equal(made.status, 201)
    assert.equal((await call(one, 'rewindWorld', { to: position })).status, 200)
  }
  const { reach } = one.state.history
  assert.deepEqual([reach, one.state.history.of('alice').length > 0], [0, true])
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
    b.state.run(() => b.gateway.worlds.default.collection('books').replace(1, { title: 'eins' }), { text: 'PUT' }),
    a.state.run(async () => a.state.rewind('default', position), { text: 'rewind' }),
  ])
  assert.equal(a.state.meter.conflicts + b.state.meter.conflicts, 1)
  await a.send('GET /ruled')
  for (const one of [a, b]) {
    await one.send('GET /ruled')
    assert.equal(one.gateway.worlds.default.ordinals.get('createBook') ?? 0, 0)
  }
})

test('a log with a long entry is read, and its world rewinds', async () => {
  const log = new MemoryLog()
  const one = await replica(log.connect())
  const { position } = one.state
  await one.send('POST /books', { title: 'three' })
  const inBooks = (row: Omit<RowChange, 'kind' | 'id'>): Effect => ({
    kind: 'in',
    collection: 'books',
    change: { kind: 'row', id: 3, ...row },
  })
  const there = inBooks({
    text: '{"id":3,"title":"three"}',
    created: 1,
    revision: 3,
    counters: { revision: 3, next: 4, creations: 1 },
  })
  const gone = inBooks({
    text: undefined,
    created: 0,
    revision: 0,
    counters: { revision: 2, next: 3, creations: 0 },
  })
  const changes = Array.from({ length: 32_767 }, (_, i) => ({ world: 'default', effect: i % 2 === 0 ? gone : there }))
  const text = writeGroup({ at: one.clock.now(), by: 'POST /worlds/{name}/rewind', changes })
  log.append(log.position, [text])
  const other = await replica(log.connect())
  for (const each of [one, other]) assert.deepEqual(await titles(each), ['one', 'two'])
  await call(other, 'rewindWorld', { to: log.position.at - 1 })
  for (const each of [one, other]) assert.deepEqual(await titles(each), ['one', 'two', 'three'])
  await call(one, 'rewindWorld', { to: position })
  for (const each of [one, other]) assert.deepEqual(await titles(each), ['one', 'two'])
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

test('an earlier state goes into a new world, and the world itself stays as it is, on every replica', async () => {
  const log = new MemoryLog()
  const one = await replica(log.connect())
  const other = await replica(log.connect())
  await one.send('POST /books', { title: 'three' })
  const { position } = one.state
  await one.send('DELETE /books/1')
  const into = (name: string, to = position) => call(one, 'rewindWorld', { to, into: name })
  assert.equal((await into('earlier')).status, 200)
  for (const each of [one, other, await replica(log.connect())]) {
    assert.deepEqual(await titles(each), ['two', 'three'])
    const { body } = await each.send('GET /~earlier/books')
    assert.deepEqual(
      (body as { title: string }[]).map(({ title }) => title),
      ['one', 'two', 'three'],
    )
  }
  assert.equal((await into('earlier')).status, 409)
  assert.equal((await into('not a name')).status, 400)
})
