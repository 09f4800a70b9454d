// Notes beside the log in a real Redis server, and the numbers of processes.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Engine } from '../../src/state/engine.ts'
import { RedisLog } from '../../src/state/redis.ts'
import { until } from '../support/until.ts'
import { NO_REDIS, RedisServer } from './redis-server.ts'
import { surroundings } from './redis-surroundings.ts'

const skip = NO_REDIS
const server = new RedisServer()
const engines: Engine[] = []
before(async () => void (skip === false && (await server.start())))
after(async () => {
  for (const engine of engines) await engine.close()
  await server.remove()
})

function connect(prefix: string) {
  const engine = new RedisLog({ kind: 'redis', url: server.url, prefix }, surroundings())
  engines.push(engine)
  return engine
}

test('notes are there for every process, and no two processes have one number', { skip }, async () => {
  const one = connect('noted')
  const other = connect('noted')
  await one.open()
  await other.open()
  assert.deepEqual([one.member, other.member], [0, 1])
  for (let i = 0; i < 30; i++) await one.leave(`${i}`, 10)
  // The list is trimmed after the reply to a push, which may come later.
  const trimmed = await until(async () => {
    const notes = await other.notes()
    return notes.at(-1) === '29' && notes.length < 30 && notes
  })
  assert.ok(trimmed.length >= 10, `${trimmed.length}`)
  await one.leave('30', 10)
  await one.close()
  await until(async () => (await other.notes()).at(-1) === '30')
  // A server that lost the count gives a new process no number that another one has.
  await server.command('DEL {noted}:head {noted}:members')
  await other.open()
  const third = connect('noted')
  await third.open()
  assert.equal(third.member, 2)
})
