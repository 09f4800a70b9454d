import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GATEWAY, replica } from '../../state/replicas.ts'
import { call } from '../../state/rewinding.ts'
import { MemoryLog } from '../../support/memory-log.ts'
import { FixedClock } from '../../virtual-clock.ts'

/** Each new book replaces the title of the first one, and is written down as another book. */
const FILES = {
  'gateway.yaml': GATEWAY.replace(
    'createBook: { respond: { create: books }, idempotency: { for: 1h } }',
    `createBook:
    respond:
      create: books
      also: [{ update: books, id: 1, set: { title: "\${record.title}" } }, { create: notes, set: { title: "\${record.title}" } }]`,
  ).replace('operations:', '  notes: { schema: Book, maxRecords: 1000 }\noperations:'),
}

async function two() {
  const log = new MemoryLog()
  const clock = new FixedClock()
  const join = () => replica(log.connect(), {}, FILES, clock)
  return { log, a: await join(), b: await join() }
}

const sizeOfNotes = ({ gateway }: Awaited<ReturnType<typeof replica>>) =>
  gateway.worlds.default.collection('notes').size

test('a write and its effects are one entry of the history', async () => {
  const { a } = await two()
  assert.equal((await a.send('POST /books', { title: 'three' })).status, 201)
  const { entries } = (await call(a, 'getHistory')).body as { entries: { changes: object[] }[] }
  assert.deepEqual(
    entries.map(({ changes }) => changes),
    [
      [
        { change: 'written', collection: 'books', id: 3 },
        { change: 'written', collection: 'books', id: 1 },
        { change: 'written', collection: 'notes', id: 1 },
      ],
    ],
  )
})

test('concurrent writes on two replicas have all of their effects', async () => {
  const { a, b } = await two()
  await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? a : b).send('POST /books', { title: `${i}` })))
  const last = ((await a.send('GET /books')).body as { id: number; title: string }[]).at(-1)
  for (const one of [a, b]) {
    assert.equal(((await one.send('GET /books/1')).body as { title: string }).title, last?.title)
    assert.equal(sizeOfNotes(one), 30)
  }
})

test('nothing of it happens while the engine is down, or if an effect is not possible', async () => {
  const { log, a, b } = await two()
  log.fail('down for a test')
  assert.equal((await a.send('POST /books', { title: 'lost' })).status, 503)
  log.fail(undefined)
  for (const one of [a, b]) {
    assert.deepEqual((await one.send('GET /books/1')).body, { id: 1, title: 'one', status: 'ordered' })
    assert.equal(sizeOfNotes(one), 0)
  }
  assert.deepEqual((await a.send('POST /books', { title: 'three' })).body, { id: 3, title: 'three' })
  assert.equal((await b.send('DELETE /books/1')).status, 204)
  const { status, body } = await a.send('POST /books', { title: 'four' })
  assert.deepEqual([status, (body as { detail: string }).detail], [409, 'there is no record 1 in books'])
  for (const one of [a, b]) assert.deepEqual([(await one.send('GET /books/4')).status, sizeOfNotes(one)], [404, 1])
})
