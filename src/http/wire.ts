// Puts a reply on the wire, and sees to it that no client can hold the server while it is written.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from '../kernel/reply.ts'
import { writeBroken } from './broken-wire.ts'

/** A reply may be taken this many bytes of unread request after it: enough for the client to notice, no more. */
const DRAIN_BYTES = 16 * 1024 * 1024

/** Writes the reply. `patience`: milliseconds that a client may take over reading it. */
export function writeReply(req: IncomingMessage, res: ServerResponse, reply: Reply, patience: number): void {
  const { status, headers, body, bytes } = reply
  if (res.headersSent || res.destroyed) return
  if (reply.wire !== undefined) {
    writeBroken(req, res, reply, reply.wire)
    return
  }
  if (status === 204 || status === 304) res.writeHead(status, { vary: 'Origin', ...headers })
  else {
    const length = bytes ?? (body === undefined ? 0 : Buffer.byteLength(body))
    res.writeHead(status, { ...headers, vary: 'Origin', 'content-length': length })
  }
  res.end(body)
  if (!req.complete) drain(req)
  // What the system took at once needs no watching.
  if (res.writableLength > 0) watch(res, patience)
}

/** A body that nobody wanted is read and forgotten, so that the client gets to see the reply; up to a bound. */
function drain(req: IncomingMessage): void {
  let drained = 0
  answered.add(req.socket)
  req.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > DRAIN_BYTES) req.socket.destroy()
  })
  req.on('end', () => answered.delete(req.socket))
  req.resume()
}

function watch(res: ServerResponse, patience: number): void {
  const timer = setTimeout(() => res.destroy(), patience)
  timer.unref()
  res.once('close', () => clearTimeout(timer))
}

/** Sockets whose current request has been answered before it had arrived whole. */
const answered = new WeakSet<Socket>()

/** Writes a reply to what Node's parser gave up on: there is no response object then. */
export function writeRaw(socket: Socket, { status, headers, body = '' }: Reply): void {
  // A second reply to the same request would be taken for the reply to the next.
  if (!socket.writable || answered.has(socket)) {
    socket.destroy()
    return
  }
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'access-control-allow-origin: *',
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  // A peer that goes on sending, or never closes, is not waited for.
  socket.setTimeout(1000, () => socket.destroy())
}
