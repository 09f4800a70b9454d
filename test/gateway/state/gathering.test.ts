// Requests that arrive together: one question about the end of the log, one append and one note for all of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeEntry } from '../../../src/gateway/journal/entry.ts'
import { Gathering } from '../../../src/gateway/state/gathering.ts'
import { SharedTurns } from '../../../src/gateway/state/shared-turns.ts'
import { MemoryLog } from '../../support/memory-log.ts'
import { counted } from './counted-replica.ts'
import { replica } from './replicas.ts'

test('requests that arrive together ask once, and are one note', async () => {
  const { send, calls, notes } = await counted(new MemoryLog())
  const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => send(`GET /books/${1 + (i % 3)}`)))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 404, 200, 200, 404, 200, 200, 404, 200],
  )
  assert.deepEqual(calls, { since: 1, append: 0, leave: 1 })
  assert.equal((await notes()).at(-1)?.split('\n').length, 10)
})

test('writes that arrive together are appended once, which answers the question of all', async () => {
  const { send, calls } = await counted(new MemoryLog())
  const replies = await Promise.all(Array.from({ length: 10 }, (_, i) => send('POST /books', { title: `${i}` })))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([201]))
  assert.deepEqual(calls, { since: 0, append: 1, leave: 1 })
})

test('a question is answered though work that asks nothing never ends', async () => {
  const engine = new MemoryLog().connect()
  const { position } = await engine.open()
  const memory = { apply: async () => {}, change() {}, appended() {}, snapshot: async () => '' }
  const meter = { appended() {}, caughtUp() {}, conflict() {} }
  const turns = new SharedTurns(engine, memory, position, () => 0, meter, new Gathering())
  let ended = false
  const clients = Array.from({ length: 4 }, async () => {
    while (!ended) await turns.run(async () => {}, { text: 'GET /books' })
  })
  await turns.catchUp()
  ended = true
  await Promise.all(clients)
})

test('another process reads the same of a request as the one that answered it', async () => {
  const log = new MemoryLog()
  const [a, b] = [await replica(log.connect()), await replica(log.connect())]
  await a.send('GET /books/1')
  await a.send('GET /books?title=%22one%22&more')
  await a.send('GET /~alice/books/1')
  await a.send('GET /~alice/books/1')
  await a.send('POST /books', { title: 'three' })
  await a.send('POST /books', { name: 'no title' })
  await a.send('DELETE /books/1')
  await a.send('GET /"nowhere"')
  const own = [...a.gateway.journal.each()].map(describeEntry)
  const read = [...(await b.gateway.requests.read()).each()].map(describeEntry)
  assert.equal(own.length, 8)
  assert.deepEqual(read, own)
})
