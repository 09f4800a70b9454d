import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import type { Source } from '../../src/kernel/file/source.ts'
import { MemoryLog } from '../support/memory-log.ts'
import { type Replica, replica } from './replicas.ts'
import { two } from './two-replicas.ts'

test('a replica sees what another one has acknowledged', async () => {
  const { a, b } = await two()
  const made = await a.send('POST /books', { title: 'three' })
  assert.deepEqual(made.body, { id: 3, title: 'three' })
  assert.deepEqual((await b.send('GET /books/3')).body, made.body)
  await b.send('PUT /books/3', { title: 'drei' })
  assert.deepEqual((await a.send('GET /books/3')).body, { id: 3, title: 'drei' })
  assert.equal((await a.send('DELETE /books/3')).status, 204)
  assert.equal((await b.send('GET /books/3')).status, 404)
})

test('a replica that starts later has all records', async () => {
  const { log, a } = await two()
  await a.send('POST /books', { title: 'three' })
  const late = await replica(log.connect())
  assert.equal((await late.send('GET /books/3')).status, 200)
})

test('concurrent creates on two replicas get consecutive, unique ids', async () => {
  const log = new MemoryLog()
  const reader = log.connect()
  const append = reader.append.bind(reader)
  const [a, b] = [await replica(reader), await replica(log.connect())]
  reader.append = async (after, entries) => {
    reader.append = append
    await b.send('POST /books', { title: 'between' })
    return append(after, entries)
  }
  const made = await Promise.all(
    Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? a : b).send('POST /books', { title: `${i}` })),
  )
  const { body } = await b.send('GET /books')
  const between = (body as { title: string }[]).filter(({ title }) => title === 'between')
  const ids = [...between, ...made.map(({ body }) => body)].map(book => (book as { id: number }).id)
  assert.deepEqual(
    ids.sort((x, y) => x - y),
    Array.from({ length: 41 }, (_, i) => i + 3),
  )
  assert.ok(a.state.meter.conflicts + b.state.meter.conflicts > 0, 'there were conflicts')
  assert.deepEqual((await a.send('GET /books')).body, (await b.send('GET /books')).body)
})

test('maxRecords limits all replicas together', async () => {
  const { a, b } = await two()
  await Promise.all(Array.from({ length: 80 }, (_, i) => (i % 2 === 0 ? a : b).send('POST /books', { title: `${i}` })))
  for (const one of [a, b]) assert.equal(((await one.send('GET /books')).body as unknown[]).length, 50)
})

test('times, rateLimit and Idempotency-Key are exact across replicas', async () => {
  const { a, b } = await two()
  const statuses = async (line: string, count: number) =>
    (await Promise.all(Array.from({ length: count }, (_, i) => (i % 2 === 0 ? a : b).send(line)))).map(
      one => one.status,
    )
  assert.equal((await statuses('GET /ruled', 8)).filter(status => status === 418).length, 1)
  assert.equal((await statuses('GET /limited', 8)).filter(status => status === 200).length, 3)
  const replies = await Promise.all(
    [a, b, a, b].map(one => one.send('POST /books', { title: 'once' }, { 'idempotency-key': 'k' })),
  )
  assert.deepEqual(
    replies.map(({ status, body }) => [status, (body as { id: number }).id]),
    [1, 2, 3, 4].map(() => [201, 3]),
  )
  assert.equal(replies.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 3)
  assert.equal((await a.send('GET /books/4')).status, 404)
})

test('clocks, resets, sandboxes and weather reach every replica', async () => {
  const { a, b } = await two()
  await a.gateway.change(
    () => a.gateway.worlds.default.clock.adjust({ now: Date.parse('2030-01-01'), freeze: true }),
    'PUT',
  )
  const { headers } = await b.send('GET /books')
  assert.equal(headers.date, 'Tue, 01 Jan 2030 00:00:00 GMT')
  await a.send('POST /~alice/books', { title: 'hers' })
  assert.equal((await b.send('GET /~alice/books/3')).status, 200)
  assert.equal((await b.send('GET /books/3')).status, 404)
  await b.gateway.change(() => b.gateway.reset('alice'), 'POST /worlds/alice/reset')
  assert.equal((await a.send('GET /~alice/books/3')).status, 404)
  await b.gateway.change(() => void b.gateway.deleteWorld('alice'), 'DELETE /worlds/alice')
  await a.send('GET /books')
  assert.equal(a.gateway.worlds.peek('alice'), undefined)
})

test('a request during a reset by another replica changes the new world', async () => {
  const { a, b } = await two()
  await a.send('POST /books', { title: 'old' })
  const [made] = await Promise.all([
    a.send('POST /books', { title: 'new' }),
    b.gateway.change(() => b.gateway.reset(), 'POST /reset'),
  ])
  const left = (await b.send('GET /books')).body as { id: number; title: string }[]
  assert.deepEqual((await a.send('GET /books')).body, left)
  // In one order or the other: before the reset with the next id, or after it with the first one.
  assert.ok([3, 4].includes((made.body as { id: number }).id))
  assert.equal(left.length, (made.body as { id: number }).id === 4 ? 2 : 3)
})

/** Gives an answer to all worlds or to one. */
const give = (one: Replica, order: string, world?: string) =>
  one.gateway.change(() => {
    const { gateway } = one
    const report = new Diagnostics()
    const source = parseSource('answer', order, report) as Source
    return gateway.answers.put(
      gateway.plan,
      source,
      world === undefined ? undefined : gateway.worlds.get(world),
      report,
    )
  }, 'POST /answers')

test('replicas together give an answer exactly `times` times', async () => {
  const { log, a, b } = await two()
  await give(a, '{ operation: limited, respond: { status: 418 }, skip: 1, times: 5 }')
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? a : b).send('GET /limited').then(({ status }) => status)),
  )
  assert.equal(replies.filter(status => status === 418).length, 5)
  assert.deepEqual(b.gateway.answers.all(), [])
  await give(b, '{ operation: readBook, respond: { status: 500 }, times: null }', 'default')
  await give(b, '{ operation: createBook, respond: { status: 503 }, times: 2 }')
  assert.equal((await a.send('POST /books', { title: 'x' })).status, 503)
  // A replica that begins with the snapshot, and one that begins with the entries.
  const late = await replica(log.connect())
  log.compact(log.position, await a.state.snapshot())
  for (const one of [late, await replica(log.connect())]) {
    assert.deepEqual(
      one.gateway.answers.all().map(({ id, world, left, given }) => [id, world, left, given]),
      [
        ['a3', undefined, 1, 1],
        ['a2', 'default', undefined, 0],
      ],
    )
    assert.equal((await one.send('GET /books/1')).status, 500)
  }
  await a.gateway.change(() => a.gateway.reset(), 'POST /reset')
  assert.equal((await late.send('GET /books/1')).status, 200)
  await a.gateway.change(() => void a.gateway.answers.remove('a3'), 'DELETE /answers/a3')
  assert.equal((await late.send('POST /books', { title: 'x' })).status, 201)
})

test('requests are refused at once while the engine is unreachable, and served again afterwards', async () => {
  const { log, a } = await two()
  log.fail('the connection is closed')
  for (const line of ['GET /books', 'POST /books']) {
    const { status, headers, body } = await a.send(line, line === 'GET /books' ? undefined : { title: 'x' })
    assert.equal(status, 503)
    assert.equal(headers['retry-after'], '1')
    assert.equal((body as { code: string }).code, 'unavailable')
  }
  assert.equal(a.state.unavailable, 'the connection is closed')
  log.fail(undefined)
  assert.equal(a.state.unavailable, undefined)
  assert.equal((await a.send('GET /books')).status, 200)
  assert.equal(((await a.send('POST /books', { title: 'x' })).body as { id: number }).id, 3)
})

test('with `reads: local` a replica answers reads and refuses writes while the engine is unreachable', async () => {
  const log = new MemoryLog()
  const a = await replica(log.connect(), { reads: 'local' })
  log.fail('gone')
  assert.equal((await a.send('GET /books')).status, 200)
  assert.equal((await a.send('POST /books', { title: 'x' })).status, 503)
  log.fail(undefined)
  assert.equal((await a.send('POST /books', { title: 'x' })).status, 201)
  assert.equal(((await a.send('GET /books')).body as unknown[]).length, 3)
})

test('a flushed engine gets the state of the first replica that notices, with a warning', async () => {
  const { log, a, b } = await two()
  await a.send('POST /books', { title: 'three' })
  await b.send('GET /books')
  log.flush()
  assert.equal((await b.send('GET /books/3')).status, 200)
  assert.equal((await a.send('GET /books/3')).status, 200)
  assert.match([...a.messages, ...b.messages].join(), /has lost the state \(was it flushed\?\)/)
  assert.equal(((await a.send('POST /books', { title: 'four' })).body as { id: number }).id, 4)
  assert.equal((await b.send('GET /books/4')).status, 200)
})

test('a replica behind a compaction loads the snapshot', async () => {
  const { log, a, b } = await two()
  for (let i = 0; i < 5; i++) await a.send('PUT /books/1', { title: `${i}` })
  await a.send('POST /~alice/books', { title: 'hers' })
  const { position } = log
  log.compact(position, await a.state.snapshot())
  assert.deepEqual((await b.send('GET /books')).body, (await a.send('GET /books')).body)
  assert.equal((await b.send('GET /~alice/books/3')).status, 200)
  assert.equal(((await b.send('POST /~alice/books', { title: 'x' })).body as { id: number }).id, 4)
})
