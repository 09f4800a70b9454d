import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryLog } from '../../src/state/memory-log.ts'

test('an append behind the end tells what came in between, and appends nothing', async () => {
  const log = new MemoryLog()
  const [one, other] = [log.connect(), log.connect()]
  const { position } = await one.open()
  const first = await one.append(position, ['a', 'b'])
  assert.ok('appended' in first)
  const second = await other.append(position, ['c'])
  assert.ok('missed' in second)
  assert.deepEqual(second.missed.entries, ['a', 'b'])
  assert.deepEqual(second.missed.position, first.appended)
  assert.deepEqual((await other.since(first.appended)).entries, [])
})

test('a reader behind a compaction, or of a lost log, begins anew', async () => {
  const log = new MemoryLog()
  const reader = log.connect()
  const { position } = await reader.open()
  const result = log.append(position, ['a', 'b'])
  assert.ok('appended' in result)
  await reader.compact({ ...position, at: 1 }, 'state')
  assert.deepEqual(await reader.since(position), {
    anew: { snapshot: 'state' },
    entries: ['b'],
    position: result.appended,
  })
  log.flush()
  const news = await reader.since(result.appended)
  assert.deepEqual(news.anew, { snapshot: undefined })
  assert.equal(news.position.at, 0)
})

test('questions reach all other readers', async () => {
  const log = new MemoryLog()
  const readers = [log.connect(), log.connect(), log.connect()]
  for (const [i, reader] of readers.entries()) reader.answer(async question => `${i} heard ${question}`)
  assert.deepEqual(await readers[1]?.ask('it'), ['0 heard it', '2 heard it'])
})
