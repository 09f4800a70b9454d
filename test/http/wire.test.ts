import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
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
  writeReply({ req, res: res as unknown as ServerResponse }, { status: 200, headers: {}, body: 'long' }, DELIVERY)
  return { socket, res }
}

test('the connection of a client that does not read its reply is closed after a time', t => {
  const { res } = reply(t)
  t.mock.timers.tick(PATIENCE - 1)
  assert.equal(res.destroyed, false)
  t.mock.timers.tick(1)
  assert.equal(res.destroyed, true)
})

test('a finished reply is no longer watched', t => {
  const { res } = reply(t)
  res.emit('close')
  t.mock.timers.tick(PATIENCE)
  assert.equal(res.destroyed, false)
})

test('a pipelined reply whose connection closed first is not watched', t => {
  const { socket, res } = reply(t)
  socket.emit('close')
  t.mock.timers.tick(PATIENCE)
  assert.equal(res.destroyed, false)
})

test('a streamed reply whose body has already broken off is cut', async () => {
  const chunks = new Readable({ read() {} })
  chunks.destroy()
  await new Promise(resolve => chunks.once('close', resolve))
  const res = new Slow()
  const req = { socket: new EventEmitter(), complete: true } as unknown as IncomingMessage
  const stream = { chunks, fields: [], trailers: () => ({}) }
  const sent = { status: 200, headers: {}, body: undefined, stream }
  writeReply({ req, res: res as unknown as ServerResponse }, sent, DELIVERY)
  assert.equal(res.destroyed, true)
})
