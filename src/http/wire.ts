// Writes a reply to the wire, bounded in time, so that no client can hold the server.

import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from '../kernel/reply.ts'
import type { Delivery } from '../plan/settings.ts'
import { writeBroken } from './broken-wire.ts'
import { closeInStages } from './lingering-response.ts'
import { LONG, writeInPieces } from './long-text.ts'
import { fieldsOf } from './reply-fields.ts'

/** Writes the reply. Throws before writing if a header is invalid. */
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
  if (typeof body === 'string' && body.length > LONG) {
    void writeInPieces(res, body, encodingOf(body, length))
    watch(req, res, delivery.patience)
  } else {
    finish(res, body, length)
    watchDelivery(req, res, delivery.patience)
  }
}

/** Text in which every character is a byte need not be encoded. */
const encodingOf = (text: string, bytes: number): BufferEncoding => (bytes === text.length ? 'latin1' : 'utf8')

/** Ends the response in one write, where `end(body)` makes two, the second of them empty. */
function finish(res: ServerResponse, body: Reply['body'], length: number): void {
  if (body !== undefined) {
    res.socket?.cork()
    if (typeof body === 'string') res.write(body, encodingOf(body, length))
    else res.write(body)
    res.socket?.uncork()
  }
  res.end()
}

/** Cuts the connection of a client that has not taken its reply after `patience` milliseconds. */
export function watchDelivery(req: IncomingMessage, res: ServerResponse, patience: number): void {
  // A reply that the system has taken completely needs no watch.
  if (res.writableLength > 0) watch(req, res, patience)
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

/** The watch of each socket's replies. Of pipelined replies, only the current one learns that the socket has closed. */
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

/** Sockets that get a reply below Node's own responses; further input on them is ignored. */
const ending = new WeakSet<Socket>()

/**
 * Node keeps the response that a socket is busy with under this name, and offers no other way to ask. Without it, a reply to
 * the second of two pipelined requests would be taken for the reply to the first.
 */
export type Busy = Socket & { readonly _httpMessage?: ServerResponse | null }

/**
 * Replies to what Node's parser gave up on, there being no response object then, and ends the connection. A request that has
 * had its reply already gets no second one, which would be taken for the reply to the next.
 *
 * @param make makes the reply; called only if the connection is writable
 */
export function writeRaw(socket: Socket, make: () => Promise<Reply>, delivery: Delivery): void {
  // The parser complains of every further piece that arrives.
  if (ending.has(socket)) return
  ending.add(socket)
  writeInTurn(socket, make, delivery)
}

function writeInTurn(socket: Socket, make: () => Promise<Reply>, delivery: Delivery): void {
  const before = (socket as Busy)._httpMessage
  if (before?.req.complete === true) {
    before.once('close', () => writeInTurn(socket, make, delivery))
    return
  }
  if (before?.headersSent === true || !socket.writable) {
    closeInStages(socket)
    return
  }
  make().then(
    reply => {
      // The request may have been refused meanwhile, for what its headers say.
      if (socket.writable && before?.headersSent !== true) socket.write(textOf(reply, delivery))
      closeInStages(socket)
    },
    () => socket.destroy(),
  )
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
