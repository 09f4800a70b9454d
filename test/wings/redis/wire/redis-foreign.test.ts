// Replicas whose keys in Redis are overwritten with contents of another program.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until, untilSaid } from '../../../support/until.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { type Replica, Replicas } from '../../../wire/replicas.ts'

const skip = NO_REDIS
const server = new RedisServer()
const replicas = new Replicas()
before(async () => void (skip === false && (await server.start())))
after(async () => {
  replicas.end()
  await server.remove()
})

const stateOf = (prefix: string) => `{ redis: "${server.url}", prefix: ${prefix} }`

async function untilReady(replica: Replica, status: number): Promise<string> {
  const reply = await until(async () => {
    const answer = await replica.send('GET control:/readyz')
    return answer.status === status && answer
  }, replica.output)
  return reply.body.reason
}

const FOREIGN: readonly (readonly [name: string, commands: readonly string[], reason: RegExp])[] = [
  ['head', ['SET {head}:head x'], /\{head\}:head holds a string instead of a hash/],
  ['fields', ['HSET {fields}:head at abc'], /\{fields\}:head has fields of another program/],
  ['entries', ['DEL {entries}:entries', 'SET {entries}:entries x'], /holds a string instead of a list/],
  ['requests', ['DEL {requests}:requests', 'SET {requests}:requests x'], /holds a string instead of a list/],
]

for (const [prefix, commands, reason] of FOREIGN) {
  test(`contents of another program (${prefix}) are kept, named at /readyz and refused with 503`, {
    skip,
  }, async () => {
    const replica = await replicas.serve(stateOf(prefix))
    assert.equal((await replica.send('POST /notes', { text: 'a' })).status, 201)
    for (const command of commands) await server.command(command)
    // The requests are written with the next request.
    await replica.send('POST /notes', { text: 'b' })
    assert.match(await untilReady(replica, 503), reason)
    assert.equal((await replica.send('GET /notes')).status, 503)
    await until(() => reason.test(replica.output()) && replica.output().includes('the state is not available'))
    const later = await replicas.serve(stateOf(prefix))
    assert.match(await untilReady(later, 503), reason)
    assert.equal((await later.send('GET /notes')).status, 503)
    for (const key of ['head', 'entries', 'requests']) await server.command(`DEL {${prefix}}:${key}`)
    await untilReady(later, 200)
    await untilReady(replica, 200)
    assert.equal((await replica.send('POST /notes', { text: 'c' })).status, 201)
  })
}

test('an entry that cannot be read is named at /readyz, and a process that starts refuses the state', {
  skip,
}, async () => {
  const replica = await replicas.serve(stateOf('entry'))
  assert.equal((await replica.send('POST /notes', { text: 'a' })).status, 201)
  await server.command('RPUSH {entry}:entries garbage')
  await server.command('HINCRBY {entry}:head at 1')
  assert.match(await untilReady(replica, 503), /holds a state that cannot be read/)
  assert.equal((await replica.send('POST /notes', { text: 'b' })).status, 503)
  await untilSaid(replica, /holds a state that cannot be read.*the state is not available/)
  await assert.rejects(replicas.serve(stateOf('entry')), /redis 127\.0\.0\.1:\d+ holds a state that cannot be read/)
  await server.command('RPOP {entry}:entries')
  await server.command('HINCRBY {entry}:head at -1')
  await untilReady(replica, 200)
  assert.deepEqual(
    (await replica.send('GET /notes')).body.map(({ text }: { text: string }) => text),
    ['seed', 'a'],
  )
})

test('a snapshot that cannot be read ends a process that starts', { skip }, async () => {
  const replica = await replicas.serve(stateOf('snapshot'))
  // A process that runs would write its own snapshot over another.
  await until(async () => (await server.command('EXISTS {snapshot}:snapshot')).startsWith(':1'))
  await replica.kill()
  await server.command('SET {snapshot}:snapshot garbage')
  await assert.rejects(replicas.serve(stateOf('snapshot')), /holds a state that cannot be read/)
})

test('a log that lost entries while no process ran is begun anew with a warning', { skip }, async () => {
  const replica = await replicas.serve(stateOf('evicted'))
  assert.equal((await replica.send('POST /notes', { text: 'a' })).status, 201)
  await replica.kill()
  await server.command('DEL {evicted}:entries')
  const later = await replicas.serve(stateOf('evicted'))
  await untilSaid(later, /has lost a part of the state .*the remains were deleted, and a new state begins/)
})

test('entries that another program added are kept, and nothing is deleted', { skip }, async () => {
  const replica = await replicas.serve(stateOf('more'))
  assert.equal((await replica.send('POST /notes', { text: 'a' })).status, 201)
  await server.command('RPUSH {more}:entries stranger')
  assert.equal((await replica.send('POST /notes', { text: 'b' })).status, 503)
  assert.match(await untilReady(replica, 503), /the list \{more\}:entries has entries of another program/)
  const later = await replicas.serve(stateOf('more'))
  assert.match(await untilReady(later, 503), /the list \{more\}:entries has entries of another program/)
  await server.command('LREM {more}:entries 1 stranger')
  await untilReady(replica, 200)
  await untilReady(later, 200)
  assert.equal((await later.send('POST /notes', { text: 'c' })).status, 201)
  const texts = (await replica.send('GET /notes')).body.map(({ text }: { text: string }) => text)
  assert.deepEqual(texts, ['seed', 'a', 'c'])
})

test('an entry of many megabytes reaches the other replicas', { skip }, async () => {
  const config = `${stateOf('large')}\nlimits: { body: 20MB }`
  const [one, other] = [await replicas.serve(config), await replicas.serve(config)]
  const text = 'x'.repeat(8_000_000)
  assert.equal((await one.send('POST /notes', { text })).status, 201)
  assert.equal((await other.send('GET /notes/2')).body.text, text)
})
