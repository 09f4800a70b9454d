import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../../src/gateway/log.ts'
import { EvictionLog } from '../../src/gateway/worlds/memory.ts'

test('evictions are logged once a minute, with a count of those between by their reason', () => {
  const lines: [object, string][] = []
  let now = 1_000_000
  const evictions = new EvictionLog(
    { ...silentLog, warn: (fields, message) => void lines.push([fields, message]) },
    () => now,
  )
  for (let i = 0; i < 1000; i++) evictions.evicted(`w${i}`, 'capacity')
  evictions.evicted('idle', 'idle')
  assert.deepEqual(lines, [[{ world: 'w0', reason: 'capacity' }, 'a sandbox was evicted']])
  now += 60_000
  evictions.evicted('x', 'capacity')
  evictions.evicted('y', 'memory')
  const message = '1001 sandboxes were evicted since the last message of this kind'
  assert.deepEqual(lines.slice(1), [[{ capacity: 1000, idle: 1 }, message]])
  now += 60_000
  evictions.evicted('z', 'memory')
  assert.deepEqual(lines.slice(2), [[{ memory: 2 }, '2 sandboxes were evicted since the last message of this kind']])
  assert.deepEqual(evictions.counts, { capacity: 1001, idle: 1, memory: 2 })
})
