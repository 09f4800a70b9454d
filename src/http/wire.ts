// Puts a reply on the wire, and sees to it that no client can hold the server while it is written.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from '../kernel/reply.ts'
import type { Delivery } from '../plan/settings.ts'
import { writeBroken } from './broken-wire.ts'
import { fieldsOf } from './reply-fields.ts'

/** A reply may be taken this many bytes of unread request after it: enough for the client to notice, no more. */
const DRAIN_BYTES = 16 * 1024 * 1024

/** A peer that was told that its connection ends here has this many milliseconds to read it. */
const LINGER = 1000

/** Writes the reply; throws, with nothing written, where a header cannot be. */
export function writeReply(req: IncomingMessage, res: ServerResponse, reply: Reply, delivery: Delivery): void {
  const { status, headers, body, bytes } = reply
  if (res.headersSent || res.destroyed) return
  if (reply.wire !== undefined) {
    writeBroken(req, res, reply, reply.wire, delivery.vary)
    return
  }
  const fields = fieldsOf(headers, delivery.vary)
  const length = bytes ?? (body === undefined ? 0 : Buffer.byteLength(body))
  if (status !== 204 && status !== 304) fields.push('content-length', length)
  res.writeHead(status, fields as string[])
  finish(res, body, length)
  if (!req.complete) drain(req)
  // What the system took at once needs no watching.
  if (res.writableLength > 0) watch(req, res, delivery.patience)
}

/**
 * Ends the response in one write, where `end(body)` makes two, the second of them empty. Text in which every character is a
 * byte need not be encoded.
 */
function finish(res: ServerResponse, body: Reply['body'], length: number): void {
  if (body !== undefined) {
    res.socket?.cork()
    if (typeof body === 'string') res.write(body, length === body.length ? 'latin1' : 'utf8')
    else res.write(body)
    res.socket?.uncork()
  }
  res.end()
}

/** A body that nobody wanted is read and forgotten, so that the client gets to see the reply; up to a bound. */
function drain(req: IncomingMessage): void {
  let drained = 0
  answered.add(req.socket)
  // Whatever was reading it has stopped, and would hold up the rest.
  req.unpipe()
  req.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > DRAIN_BYTES) req.socket.destroy()
  })
  req.on('end', () => answered.delete(req.socket))
  req.resume()
}

function watch({ socket }: IncomingMessage, res: ServerResponse, patience: number): void {
  const timer = setTimeout(() => res.destroy(), patience)
  timer.unref()
  const timers = timersOf(socket)
  timers.add(timer)
  res.once('close', () => {
    clearTimeout(timer)
    timers.delete(timer)
  })
}

/** By socket, what watches its replies. Of pipelined ones, only that whose turn it is learns that the socket has closed. */
const watching = new WeakMap<Socket, Set<NodeJS.Timeout>>()

function timersOf(socket: Socket): Set<NodeJS.Timeout> {
  let timers = watching.get(socket)
  if (timers === undefined) {
    const made = new Set<NodeJS.Timeout>()
    socket.once('close', () => {
      for (const timer of made) clearTimeout(timer)
    })
    watching.set(socket, made)
    timers = made
  }
  return timers
}

/** Sockets whose current request has been answered before it had arrived whole. */
const answered = new WeakSet<Socket>()

/** Sockets that are being given a reply below Node's own: what else arrives on them is not looked at. */
const ending = new WeakSet<Socket>()

/** Writes a reply to what Node's parser gave up on, there being no response object then; and ends the connection. */
export function writeRaw(socket: Socket, reply: Reply, delivery: Delivery): void {
  // The parser complains of every further piece that arrives.
  if (ending.has(socket)) return
  ending.add(socket)
  writeInTurn(socket, reply, delivery)
}

/**
 * Node keeps the response that a socket is busy with under this name, and offers no other way to ask. Without it, a reply to
 * the second of two pipelined requests would be taken for the reply to the first.
 */
type Busy = Socket & { readonly _httpMessage?: ServerResponse | null }

function writeInTurn(socket: Socket, reply: Reply, delivery: Delivery): void {
  const before = (socket as Busy)._httpMessage
  if (before?.req.complete === true) {
    before.once('close', () => writeInTurn(socket, reply, delivery))
    return
  }
  // A second reply to the same request would be taken for the reply to the next.
  if (answered.has(socket) || before?.headersSent === true) socket.destroySoon()
  else if (socket.writable) socket.end(textOf(reply, delivery))
  // However busily the peer goes on sending, or however long it takes over reading.
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}

function textOf({ status, headers, body = '' }: Reply, { vary, open }: Delivery): string {
  const fields = [
    ...fieldsOf(headers, vary),
    ...['content-length', Buffer.byteLength(body)],
    // The origin is not known: it may not have arrived.
    ...(open ? ['access-control-allow-origin', '*'] : []),
    ...['date', new Date().toUTCString(), 'connection', 'close'],
  ]
  const lines = fields.map((field, i) => (i % 2 === 0 ? `${field}: ` : `${field}\r\n`))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
