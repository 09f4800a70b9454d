// Large entries and snapshots in a real Redis server, over fast and slow connections.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Engine, News } from '../../../../src/state/engines/engine.ts'
import { RedisLog } from '../../../../src/wings/redis/redis-log.ts'
import { appended } from '../../../state/engines/conformance.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { surroundings } from '../../../wire/redis-surroundings.ts'
import { type SlowProxy, slowProxy } from '../../../wire/slow-proxy.ts'

const skip = NO_REDIS
const MB = 1e6
const server = new RedisServer()
const engines: Engine[] = []
const proxies: SlowProxy[] = []
before(async () => void (skip === false && (await server.start())))
after(async () => {
  for (const engine of engines) await engine.close()
  for (const proxy of proxies) proxy.close()
  await server.remove()
})

function connect(prefix: string, port = server.port) {
  const engine = new RedisLog({ url: `redis://127.0.0.1:${port}`, prefix }, surroundings())
  engines.push(engine)
  return engine
}

const firstOf = ({ entries }: News): string | undefined => [...entries][0]

async function slowly(rate: number, most?: number): Promise<number> {
  const proxy = await slowProxy(server.port, rate, most)
  proxies.push(proxy)
  return proxy.port
}

test('an entry and a snapshot of 50 MB are written and read', { skip }, async () => {
  const [one, other] = [connect('large'), connect('large')]
  const { position } = await one.open()
  await other.open()
  const entry = 'e'.repeat(50 * MB)
  const end = await appended(one, position, entry)
  assert.ok(firstOf(await other.since(position)) === entry)
  assert.ok(firstOf(await connect('large').open()) === entry)
  await one.compact(end, entry)
  assert.ok((await connect('large').open()).anew?.snapshot === entry)
})

// They wait for most of their time: each has keys and connections of its own.
describe('over a slow connection', { skip, concurrency: true }, () => {
  test('a transfer may take longer than the silence after which a server is given up', async () => {
    // Several times as long as the buffers of a connection, which take the first 4 MB at once.
    const text = 's'.repeat(16 * MB)
    const near = connect('slow')
    const end = await appended(near, (await near.open()).position, 'a')
    await near.compact(end, text)
    const reader = connect('slow', await slowly(1.3 * MB))
    const writer = connect('slow-write', await slowly(1.3 * MB))
    const { position } = await writer.open()
    const [read] = await Promise.all([reader.open(), appended(writer, position, text)])
    assert.ok(read.anew?.snapshot === text)
    assert.ok(firstOf(await connect('slow-write').open()) === text)
  })

  test('a server that falls silent in a large reply does not answer', async () => {
    const near = connect('silent')
    const end = await appended(near, (await near.open()).position, 'a')
    await near.compact(end, 's'.repeat(7 * MB))
    const far = connect('silent', await slowly(10 * MB, 5 * MB))
    await assert.rejects(far.open(), /does not answer/)
  })

  test('a reader that asks often gets a large entry of another process over a slow connection', async () => {
    const near = connect('busy')
    const far = connect('busy', await slowly(4 * MB))
    const { position } = await near.open()
    await far.open()
    const first = await appended(near, position, 'a')
    const { position: at } = await far.since(position)
    const entry = 'e'.repeat(12 * MB)
    await appended(near, first, entry)
    assert.ok(firstOf(await far.since(at)) === entry)
    // An append at an old position gets it too.
    const late = connect('busy', await slowly(4 * MB))
    await near.compact(first, 'a')
    await late.open()
    const result = await late.append(first, ['b'])
    assert.ok('missed' in result && firstOf(result.missed) === entry)
  })
})
