import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { writeReply } from '../../src/http/wire.ts'

const PATIENCE = 30_000
const DELIVERY = { patience: PATIENCE, vary: 'Origin', open: true }

/** A response that the system did not take at once. */
class Slow extends EventEmitter {
  readonly socket = null
  readonly writableLength = 1
  destroyed = false
  writeHead() {}
  write() {}
  end() {}
  destroy() {
    this.destroyed = true
  }
}

function reply({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] })
  const socket = new EventEmitter()
  const res = new Slow()
  const req = { socket, complete: true } as unknown as IncomingMessage
  writeReply(req, res as unknown as ServerResponse, { status: 200, headers: {}, body: 'long' }, DELIVERY)
  return { socket, res }
}

test('a client that does not take its reply is given up in the end', t => {
  const { res } = reply(t)
  t.mock.timers.tick(PATIENCE - 1)
  assert.equal(res.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(res.destroyed, true)
})

test('a reply that was taken is not looked after', t => {
  const { res } = reply(t)
  res.emit('close')
  t.mock.timers.tick(PATIENCE)
  assert.equal(res.destroyed, false)
})

test('nor is one whose turn never came, because the connection closed before', t => {
  const { socket, res } = reply(t)
  socket.emit('close')
  t.mock.timers.tick(PATIENCE)
  assert.equal(res.destroyed, false)
})
