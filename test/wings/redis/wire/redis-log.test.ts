// The log in a real Redis server, which is killed, stopped, flushed and asked for another database.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Engine } from '../../../../src/state/engines/engine.ts'
import { Unavailable } from '../../../../src/state/errors.ts'
import { RedisLog } from '../../../../src/wings/redis/redis-log.ts'
import { appended } from '../../../state/engines/conformance.ts'
import { until } from '../../../support/until.ts'
import { lossyProxy } from '../../../wire/lossy-proxy.ts'
import { startCluster } from '../../../wire/redis-cluster.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { surroundings } from '../../../wire/redis-surroundings.ts'

const skip = NO_REDIS
const server = new RedisServer()
const servers = [server]
const engines: Engine[] = []
before(async () => void (skip === false && (await server.start())))
after(async () => {
  for (const engine of engines) await engine.close()
  for (const one of servers) await one.remove()
})

function connect(prefix: string, url = server.url) {
  const around = surroundings()
  const engine = new RedisLog({ url, prefix }, around)
  engines.push(engine)
  const availability: (string | undefined)[] = []
  engine.onAvailability(reason => void availability.push(reason))
  return { engine, around, availability }
}

/** Waits until the engine reports that it is available, or the reason why it is not. */
const change = (engine: Engine) => new Promise<string | undefined>(resolve => engine.onAvailability(resolve))

const cluster = skip === false ? startCluster(servers) : undefined

test('a reader a little behind a snapshot gets its missing entries; one far behind starts over', {
  skip,
}, async () => {
  const { engine: one } = connect('behind')
  const { engine: other } = connect('behind')
  const { position } = await one.open()
  await other.open()
  let at = await appended(one, position, ...Array.from({ length: 900 }, (_, i) => `${i}`))
  await one.compact(at, 'snapshot')
  const news = await other.since(position)
  assert.equal(news.anew, undefined)
  assert.equal(news.entries.length, 900)
  at = await appended(one, at, ...Array.from({ length: 3000 }, (_, i) => `${i}`))
  await one.compact(at, 'snapshot 2')
  assert.deepEqual(await other.since(news.position), { anew: { snapshot: 'snapshot 2' }, entries: [], position: at })
})

test('an append whose reply is lost is applied once', { skip }, async () => {
  const proxy = await lossyProxy(server.port)
  const { engine, availability } = connect('retried', `redis://127.0.0.1:${proxy.port}`)
  const { position } = await engine.open()
  for (let at = position, i = 0; i < 10; i++) {
    proxy.loseNextReply()
    const result = await engine.append(at, [`${i}`])
    assert.ok('appended' in result)
    assert.equal(result.appended.at, i + 1)
    at = result.appended
  }
  assert.deepEqual(availability, [])
  proxy.close()
})

test('calls fail at once while the server is unreachable, and reconnect with every acknowledged entry', {
  skip,
}, async () => {
  const own = await new RedisServer().start()
  servers.push(own)
  const { engine } = connect('away', own.url)
  const { position } = await engine.open()
  const end = await appended(engine, position, 'a')
  const down = change(engine)
  await own.kill()
  assert.match((await down) ?? '', /^redis 127\.0\.0\.1:\d+ cannot be used: /)
  await assert.rejects(engine.since(end), Unavailable)
  await assert.rejects(engine.append(end, ['b']), Unavailable)
  const up = change(engine)
  await own.start()
  assert.equal(await up, undefined)
  assert.deepEqual(await engine.since(end), { anew: undefined, entries: [], position: end })
})

test('a call to a server that does not answer fails', { skip }, async () => {
  const own = await new RedisServer().start()
  servers.push(own)
  const { engine } = connect('stopped', own.url)
  const { position } = await engine.open()
  own.signal('SIGSTOP')
  await assert.rejects(engine.since(position), /does not answer/)
  await assert.rejects(engine.append(position, ['a']), Unavailable)
  const up = change(engine)
  own.signal('SIGCONT')
  assert.equal(await up, undefined)
  assert.deepEqual((await engine.since(position)).entries, [])
})

test('a flushed database begins a new log, and other readers take its first snapshot', {
  skip,
}, async () => {
  const own = await new RedisServer().start()
  servers.push(own)
  const { engine: one } = connect('flushed', own.url)
  const { engine: other, around } = connect('flushed', own.url)
  const { position } = await one.open()
  await other.open()
  await one.compact(position, 'began')
  const end = await appended(one, position, 'a')
  await other.since(position)
  await own.command('FLUSHALL')
  const news = await one.since(end)
  assert.deepEqual([news.anew, news.entries, news.position.at], [{ snapshot: undefined }, [], 0])
  assert.notEqual(news.position.log, position.log)
  await one.compact(news.position, 'again')
  const later = await appended(one, news.position, 'b')
  assert.deepEqual(await other.append(end, ['c']), {
    missed: { anew: { snapshot: 'again' }, entries: ['b'], position: later },
  })
  assert.match(around.warnings.join(), /has lost its state, and another process gave it its own/)
})

test('a log that lost its last entries is recognised, even when others took their place', { skip }, async () => {
  const { engine } = connect('failover')
  const { engine: other, around } = connect('failover')
  const { position } = await engine.open()
  await other.open()
  await engine.compact(position, 'began')
  const one = await appended(engine, position, 'a')
  const two = await appended(engine, one, 'b')
  await other.since(position)
  // A Redis replica without the last append takes over.
  const head = await server.command('HGET {failover}:head mark')
  await server.command('RPOP {failover}:entries')
  await server.command(`HSET {failover}:head at 1 mark ${head.split('\r\n')[1]?.replace('.2', '.1')}`)
  const third = connect('failover')
  const { position: found } = await third.engine.open()
  assert.deepEqual(found, one)
  const end = await appended(third.engine, found, 'c')
  assert.equal(end.at, two.at)
  assert.deepEqual(await other.since(two), { anew: { snapshot: 'began' }, entries: ['a', 'c'], position: end })
  assert.match(around.warnings.join(), /has lost the last changes/)
})

test('each database and each prefix has a separate log', { skip }, async () => {
  const { engine: one } = connect('shared', `${server.url}/1`)
  const { engine: other } = connect('shared', `${server.url}/2`)
  assert.match(one.name, /:\d+\/1$/)
  const { position } = await one.open()
  await appended(one, position, 'a')
  assert.equal((await other.open()).position.at, 0)
})

test('a password is sent, and never shown', { skip }, async () => {
  const own = await new RedisServer('--requirepass', 's3cret').start()
  servers.push(own)
  const good = connect('locked', `redis://:s3cret@127.0.0.1:${own.port}`)
  const { position } = await good.engine.open()
  await appended(good.engine, position, 'a')
  const texts: string[] = [good.engine.name]
  for (const credentials of ['', 'other:wr0ng@', ':wr0ng@']) {
    const { engine } = connect('locked', `redis://${credentials}127.0.0.1:${own.port}`)
    await assert.rejects(engine.open(), error => {
      assert.ok(error instanceof Unavailable)
      texts.push(error.message)
      return true
    })
  }
  assert.match(texts.join('\n'), /NOAUTH|WRONGPASS/)
  assert.doesNotMatch(texts.join('\n'), /s3cret|wr0ng/)
  assert.throws(
    () => connect('locked', 'redis://:s3cret@:99999999/x'),
    error => !String(error).includes('s3cret'),
  )
})

test('a server without persistence is warned of; one that hides its settings is not', { skip }, async () => {
  const own = await new RedisServer(
    '--appendonly',
    'no',
    '--maxmemory',
    '100mb',
    '--maxmemory-policy',
    'allkeys-lru',
  ).start()
  servers.push(own)
  const { engine, around } = connect('lossy', own.url)
  await engine.open()
  assert.match(around.warnings.join('\n'), /does not write to disk, so a restart loses all state/)
  assert.match(around.warnings.join('\n'), /may evict the state \(maxmemory-policy is allkeys-lru/)
  await own.command('ACL SETUSER app on >pw ~* &* +@all -config')
  const silent = connect('lossy', `redis://app:pw@127.0.0.1:${own.port}`)
  await silent.engine.open()
  assert.deepEqual(silent.around.warnings, [])
})

test('a server that is out of memory refuses changes and answers reads', { skip }, async () => {
  const own = await new RedisServer().start()
  servers.push(own)
  const { engine, availability } = connect('full', own.url)
  const { position } = await engine.open()
  await own.command('CONFIG SET maxmemory 1')
  await assert.rejects(engine.append(position, ['a']), (error: Error) => {
    assert.ok(error instanceof Unavailable)
    assert.match(error.message, /refuses to write: OOM/)
    return true
  })
  assert.deepEqual((await engine.since(position)).entries, [])
  await own.command('CONFIG SET maxmemory 0')
  assert.equal((await appended(engine, position, 'a')).at, 1)
  assert.deepEqual(availability, [])
})

test('a read-only Redis replica is refused', { skip }, async () => {
  const own = await new RedisServer('--replicaof', '127.0.0.1', String(server.port)).start()
  servers.push(own)
  const { engine } = connect('replica', own.url)
  // On a busy machine the connection may take too long at first.
  await until(async () => (await engine.open().catch(String)).toString().includes('READONLY'))
  const up = change(engine)
  await own.command('REPLICAOF NO ONE')
  assert.equal(await up, undefined)
  assert.equal((await engine.open()).position.at, 0)
})

test('the node of a cluster that has the keys is found', { skip }, async () => {
  const nodes = (await cluster) as readonly [RedisServer, RedisServer]
  await until(async () => {
    const states = await Promise.all(nodes.map(node => node.command('CLUSTER INFO')))
    return states.every(state => state.includes('cluster_state:ok'))
  })
  const [{ engine: first }, { engine: second }] = [
    connect('clustered', nodes[0].url),
    connect('clustered', nodes[1].url),
  ]
  const { position } = await first.open()
  const end = await appended(first, position, 'a')
  assert.deepEqual((await second.open()).position, end)
  await first.requests.add(['here'], 10)
  await first.requests.read()
  assert.deepEqual((await second.requests.read()).requests, ['here'])
})
