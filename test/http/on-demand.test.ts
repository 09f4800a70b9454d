import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { type Answer, onDemand } from '../../src/http/on-demand.ts'

const req = {} as IncomingMessage
class Response {
  destroyed = false
  destroy() {
    this.destroyed = true
  }
}
const response = () => new Response() as unknown as ServerResponse

test('what is loaded on demand is loaded once, and every request that waited for it is answered in its turn', async () => {
  let loaded = 0
  const answered: ServerResponse[] = []
  const answer: Answer = onDemand(
    async () => {
      loaded += 1
      return (_, res) => void answered.push(res)
    },
    error => assert.ifError(error),
  )
  assert.equal(loaded, 0)
  const waiting = [response(), response()]
  for (const res of waiting) answer(req, res)
  await new Promise(setImmediate)
  assert.deepEqual(answered, waiting)
  const later = response()
  answer(req, later)
  assert.equal(answered.at(-1), later)
  assert.equal(loaded, 1)
})

test('where it cannot be loaded, that is told, the connection ended, and the next request tries again', async () => {
  const gone = new Error('gone')
  const told: unknown[] = []
  const answered: ServerResponse[] = []
  let there = false
  const answer = onDemand(
    async () => {
      if (!there) throw gone
      return (_, res) => void answered.push(res)
    },
    error => void told.push(error),
  )
  const [first, second] = [response(), response()]
  answer(req, first)
  await new Promise(setImmediate)
  assert.equal(first.destroyed, true)
  assert.deepEqual(told, [gone])
  there = true
  answer(req, second)
  await new Promise(setImmediate)
  assert.deepEqual(answered, [second])
  assert.equal(second.destroyed, false)
})
