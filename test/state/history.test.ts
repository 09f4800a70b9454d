import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeSnapshot } from '../../src/world/snapshot.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { GATEWAY, replica } from './replicas.ts'
import { call, titles, withChanges } from './rewinding.ts'

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

test('a rewind restores counters and scenarios, too', async () => {
  const { one } = await withChanges()
  const { position } = one.state
  assert.equal((await one.send('GET /ruled')).status, 418)
  const was = async () => (await one.send('GET /ruled')).headers['x-was']
  assert.deepEqual([await was(), await was()], ['once', 'once'])
  await call(one, 'rewindWorld', { to: position })
  const again = await one.send('GET /ruled')
  assert.deepEqual(
    [again.status, (await takeSnapshot(one.gateway.worlds.default)).counters?.scenarios],
    [418, undefined],
  )
})
