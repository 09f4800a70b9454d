// Simulates bad networks and dying servers on a reply. Clients should reject its output.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Reply, Wire } from '../kernel/reply.ts'
import { fieldsOf } from './reply-fields.ts'

/** Not HTTP in any version, and not TLS either. */
const GARBAGE = Buffer.from('\u0000\u0001}{ this is no reply \u00ff\u00fe\r\n\r\n', 'latin1')

/** How often a drop falls, in milliseconds, unless a byte takes longer. */
const DROP_INTERVAL = 50

export function writeBroken(req: IncomingMessage, res: ServerResponse, reply: Reply, wire: Wire, vary: string): void {
  const { socket } = req
  switch (wire.kind) {
    case 'reset':
      socket.resetAndDestroy()
      return
    case 'close':
      req.resume()
      socket.destroySoon()
      return
    case 'garbage':
      req.resume()
      socket.write(GARBAGE)
      socket.destroySoon()
      return
    case 'truncate': {
      const body = writeHead(req, res, reply, vary)
      // A reply without a body cannot be cut; its connection just ends too soon.
      const kept = Math.min(wire.keep ?? body.length / 2, body.length - 1)
      if (kept < 1) socket.destroySoon()
      else res.write(body.subarray(0, kept), () => socket.destroySoon())
      return
    }
    case 'drip':
      drip(res, writeHead(req, res, reply, vary), wire.rate)
      return
    default:
      wire satisfies never
  }
}

/** Writes the head that promises the whole body, and gives the body. */
function writeHead(req: IncomingMessage, res: ServerResponse, reply: Reply, vary: string): Buffer {
  const { status, headers, body = '' } = reply
  const bytes = Buffer.from(body)
  const fields = fieldsOf(headers, vary)
  req.resume()
  if (status !== 204 && status !== 304) fields.push('content-length', bytes.length)
  res.writeHead(status, fields as string[])
  res.flushHeaders()
  return req.method === 'HEAD' ? Buffer.alloc(0) : bytes
}

function drip(res: ServerResponse, body: Buffer, rate: number): void {
  const interval = Math.max(DROP_INTERVAL, 1000 / rate)
  const drop = Math.max(1, Math.round((rate * interval) / 1000))
  let written = 0
  const timer = setInterval(() => {
    if (written < body.length) res.write(body.subarray(written, written + drop))
    written += drop
    if (written >= body.length) res.end()
  }, interval)
  res.once('close', () => clearInterval(timer))
}
