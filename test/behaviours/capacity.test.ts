import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simulate } from '../simulate.ts'
import { settle, VirtualClock } from '../virtual-clock.ts'

const served = (capacity: string) => {
  const clock = new VirtualClock()
  const { ask, gateway } = simulate(
    `defaults: { capacity: ${capacity}, latency: { fixed: 100ms } }\noperations: { listThings: { respond: { list: things } }, getThing: { respond: { read: things } } }`,
    clock,
  )
  const done: string[] = []
  const began = clock.now()
  const send = (name: string, what = 'GET /things', signal?: AbortSignal) =>
    ask(what, signal === undefined ? {} : { signal }).then(({ status, headers }) => {
      done.push(`${name} ${status}${headers['retry-after'] === undefined ? '' : ' retry'} at ${clock.now() - began}`)
    })
  return { clock, send, done, gateway }
}

test('N requests are served at once, others queue in order, and a full queue refuses', async () => {
  const { clock, send, done } = served('{ concurrency: 2, queue: 2 }')
  // A capacity under `defaults` counts all operations together.
  for (const name of ['a', 'b', 'c', 'd', 'e']) send(name, name === 'b' ? 'GET /things/1' : 'GET /things')
  await clock.pass(1000)
  assert.deepEqual(done, ['e 503 retry at 0', 'a 200 at 100', 'b 200 at 100', 'c 200 at 200', 'd 200 at 200'])
})

test('a request that times out in the queue is refused and occupies no server', async () => {
  const { clock, send, done } = served('{ concurrency: 1, timeout: 150ms }')
  for (const name of ['a', 'b', 'c']) send(name)
  await clock.pass(160)
  send('d')
  await clock.pass(1000)
  assert.deepEqual(done, ['a 200 at 100', 'c 503 retry at 150', 'b 200 at 200', 'd 200 at 300'])
})

test('a client that disconnects leaves the queue', async () => {
  const { clock, send, done } = served('{ concurrency: 1 }')
  const client = new AbortController()
  send('a')
  send('b', 'GET /things', client.signal)
  send('c')
  await clock.pass(50)
  client.abort()
  await settle()
  await clock.pass(1000)
  assert.deepEqual(done, ['b 503 retry at 50', 'a 200 at 100', 'c 200 at 200'])
})

test('a reset frees every server', async () => {
  const { clock, send, done, gateway } = served('{ concurrency: 1 }')
  send('a')
  await settle()
  gateway.reset()
  send('b')
  await clock.pass(1000)
  assert.deepEqual(done, ['a 200 at 100', 'b 200 at 100'])
})
