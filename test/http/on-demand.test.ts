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
  const answer: Answer = onDemand(async () => {
    loaded += 1
    return (_, res) => void answered.push(res)
  })
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

test('where it cannot be loaded, the connection is ended', async () => {
  const answer = onDemand(() => Promise.reject(new Error('gone')))
  const res = response()
  answer(req, res)
  await new Promise(setImmediate)
  assert.equal(res.destroyed, true)
})
