// Writes that begin before the process knows whether others changed the worlds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { parseSource } from '../../../src/kernel/read-source.ts'
import type { Source } from '../../../src/kernel/source.ts'
import { Unavailable } from '../../../src/state/engine.ts'
import { MemoryLog } from '../../support/memory-log.ts'
import { counted } from './counted-replica.ts'
import { GATEWAY, type Replica, replica } from './replicas.ts'
import { two } from './two-replicas.ts'

const titles = async (one: Replica) => ((await one.send('GET /books')).body as { title: string }[]).map(b => b.title)

test('a write asks no question if its changes are appended', async () => {
  const { send, calls } = await counted(new MemoryLog())
  assert.equal((await send('POST /books', { title: 'three' })).status, 201)
  assert.equal((await send('PUT /books/3', { title: 'drei' })).status, 200)
  assert.equal((await send('DELETE /books/3')).status, 204)
  assert.deepEqual([calls.since, calls.append], [0, 3])
})

test('a write that is refused asks before it is answered', async () => {
  const { a, b } = await two()
  await b.send('POST /books', { title: 'three' })
  assert.equal((await a.send('PUT /books/3', { title: 'drei' })).status, 200, 'a did not know of it')
  await b.send('DELETE /books/3')
  assert.equal((await a.send('DELETE /books/3')).status, 404, 'a took it for present')
  assert.equal((await a.send('POST /books', { name: 'no title' })).status, 400)
  assert.deepEqual(await titles(a), ['one', 'two'])
})

test('a write that another replica anticipated is done once', async () => {
  const { a, b } = await two()
  for (const [i, one] of [a, b, a, b, b, a, a].entries()) {
    const { status, body } = await one.send('POST /books', { title: `${i}` })
    assert.deepEqual([status, body], [201, { id: 3 + i, title: `${i}` }])
  }
  assert.deepEqual(await titles(b), ['one', 'two', '0', '1', '2', '3', '4', '5', '6'])
  assert.deepEqual(await titles(a), await titles(b))
  assert.equal([...a.gateway.journal.each()].length + [...b.gateway.journal.each()].length, 10)
})

test('a write meets the weather that another replica has set just before', async () => {
  const { a, b } = await two()
  const weather = async (text: string) => {
    const report = new Diagnostics()
    const { gateway } = b
    const source = parseSource('weather', text, report) as Source
    await gateway.change(() => gateway.weather.overall.make(gateway.plan, source, report), 'PUT /weather')
    assert.deepEqual(report.list, [])
  }
  await weather('defaults: { fault: { kind: status, status: 503 } }')
  assert.equal((await a.send('POST /books', { title: 'in the storm' })).status, 503)
  assert.deepEqual(await b.send('GET /books').then(({ status }) => status), 503)
  await b.gateway.change(() => b.gateway.weather.overall.clear(), 'DELETE /weather')
  assert.equal((await a.send('POST /books', { title: 'after it' })).status, 201)
  assert.deepEqual(await titles(b), ['one', 'two', 'after it'])
})

test('an operation that waits or counts before its turn asks first', async () => {
  for (const setting of [
    'latency: 1ms',
    'capacity: { concurrency: 1 }',
    'fault: { kind: status, status: 503, every: 2 }',
  ]) {
    const text = GATEWAY.replace('createBook: {', `createBook: { ${setting},`)
    const { send, calls } = await counted(new MemoryLog(), { 'gateway.yaml': text })
    assert.equal((await send('POST /books', { title: 'three' })).status, 201, setting)
    assert.equal(calls.since, 1, setting)
  }
})

test('a write is refused if the log takes no entry', async () => {
  const log = new MemoryLog()
  const engine = log.connect()
  const one = await replica(engine)
  const append = engine.append.bind(engine)
  engine.append = () => Promise.reject(new Unavailable('gone'))
  const { status, headers } = await one.send('POST /books', { title: 'lost' })
  assert.deepEqual([status, headers['retry-after']], [503, '1'])
  log.fail('gone')
  assert.equal((await one.send('POST /books', { title: 'lost, too' })).status, 503)
  log.fail(undefined)
  engine.append = append
  assert.deepEqual(await titles(one), ['one', 'two'])
  assert.equal((await one.send('POST /books', { title: 'three' })).status, 201)
})

test('a write whose append was taken without a reply is refused, and not done again', async () => {
  const engine = new MemoryLog().connect()
  const one = await replica(engine)
  const append = engine.append.bind(engine)
  engine.append = async (...args) => {
    await append(...args)
    throw new Unavailable('the connection broke')
  }
  assert.equal((await one.send('POST /books', { title: 'three' })).status, 503)
  engine.append = append
  assert.deepEqual(await titles(one), ['one', 'two', 'three'])
})
