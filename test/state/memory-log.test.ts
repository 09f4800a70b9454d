import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryLog } from '../support/memory-log.ts'
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
