import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryLog } from '../../src/state/memory-log.ts'
import { promisesOf } from './shared-log.ts'

const logs = new Map<string, MemoryLog>()

promisesOf('memory', {
  connect(name) {
    const log = logs.get(name) ?? new MemoryLog()
    logs.set(name, log)
    return log.connect()
  },
})

test('a reader behind a compaction or of a lost log starts over', async () => {
  const log = new MemoryLog()
  const reader = log.connect()
  const { position } = await reader.open()
  const result = await log.append(position, ['a', 'b'])
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

test('a reserved append is not overtaken, and the reservation ends with its reader', async () => {
  const log = new MemoryLog()
  const [one, other, third] = [log.connect(), log.connect(), log.connect()]
  const { position } = await one.open()
  await one.reserve(position)
  const late = other.append(position, ['late'])
  const reserved = third.reserve(position)
  const first = await one.append(position, ['first'])
  assert.ok('appended' in first)
  const missed = await late
  assert.ok('missed' in missed)
  assert.deepEqual([...missed.missed.entries], ['first'])
  const news = await reserved
  assert.deepEqual([...news.entries], ['first'])
  // The reader dies while it has the next append.
  const waiting = other.append(news.position, ['second'])
  await third.close()
  assert.ok('appended' in (await waiting))
})

test('two reservations that are made at once follow one another', async () => {
  const log = new MemoryLog()
  const [one, other, third] = [log.connect(), log.connect(), log.connect()]
  const { position } = await one.open()
  await one.reserve(position)
  const had: string[] = []
  const reserved = [other, third].map(async (reader, i) => {
    const news = await reader.reserve(position)
    had.push(`${i} from ${news.position.at}`)
    await reader.append(news.position, [`${i}`])
  })
  await one.append(position, [])
  await Promise.all(reserved)
  assert.deepEqual(had, ['0 from 0', '1 from 1'])
})
