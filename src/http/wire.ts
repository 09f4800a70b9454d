// Writes replies to the wire: bounded in time, so that no client can hold the server; ended so that a reply is not lost while
// its request is still arriving; or broken, as a fault wants it.

import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Headers, Reply, Wire } from '../kernel/http.ts'
import type { Delivery } from '../plan/settings.ts'
import { breathe } from '../world/real-time.ts'
import { breakOff, drained, passOn } from './streamed.ts'

/** A request and its response; a context of Koa is one. */
interface Pair {
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

/** Writes the reply. Throws before writing if a header is invalid. */
export function writeReply({ req, res }: Pair, reply: Reply, delivery: Delivery): void {
  const { body, bytes } = reply
  if (res.headersSent || res.destroyed) return
  if (reply.wire !== undefined) {
    writeBroken(req, res, reply, reply.wire, delivery.vary)
    return
  }
  if (reply.stream !== undefined) {
    writeStreamedHead(res, reply, delivery.vary)
    passOn(res, reply.stream, delivery.patience)
    watchDelivery(req, res, delivery.patience)
    return
  }
  const length = bytes ?? (body === undefined ? 0 : Buffer.byteLength(body))
  writeHead(res, reply, delivery.vary, length)
  // Text in which every character is a byte need not be encoded.
  const encoding = body?.length === length ? 'latin1' : 'utf8'
  if (typeof body === 'string' && body.length > LONG) {
    writeInPieces(res, body, encoding).catch(() => res.destroy())
    watch(req, res, delivery.patience)
    return
  }
  if (body !== undefined) {
    // One write, where `end(body)` makes two, the second of them empty.
    res.socket?.cork()
    res.write(body, encoding)
    res.socket?.uncork()
  }
  res.end()
  watchDelivery(req, res, delivery.patience)
}

function writeHead(res: ServerResponse, { status, headers }: Reply, vary: string, length: number): void {
  const fields = headerFields(headers, vary)
  if (status !== 204 && status !== 304) fields.push('content-length', length)
  res.writeHead(status, fields as string[])
}

/** The length is among the headers of another server's reply, if it is known. */
function writeStreamedHead(res: ServerResponse, { status, headers, stream }: Reply, vary: string): void {
  const fields = headerFields(headers, vary)
  for (const field of stream?.fields ?? []) fields.push(...field)
  res.writeHead(status, fields as string[])
}

/** A longer text, in characters, is written in pieces: encoding it holds the event loop for 2 ms a megabyte. */
const LONG = 4_000_000
/** Characters of a piece. */
const PIECE = 1_000_000

/** Writes a text and ends the response, each piece when the client has taken the one before. */
async function writeInPieces(res: ServerResponse, text: string, encoding: BufferEncoding): Promise<void> {
  for (let from = 0; from < text.length && !res.destroyed; ) {
    let to = from + PIECE
    // Not within a surrogate pair.
    const last = text.charCodeAt(to - 1)
    if (last >= 0xd800 && last <= 0xdbff) to += 1
    if (!res.write(text.slice(from, to), encoding)) await drained(res)
    await breathe()
    from = to
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
  const timers = watchesOf(socket)
  timers.add(timer)
  res.once('close', () => {
    clearTimeout(timer)
    timers.delete(timer)
  })
}

/** The watch of each socket's replies. Of pipelined replies, only the current one learns that the socket has closed. */
const watching = new WeakMap<Socket, Set<NodeJS.Timeout>>()

function watchesOf(socket: Socket): Set<NodeJS.Timeout> {
  const existing = watching.get(socket)
  if (existing !== undefined) return existing
  const timers = new Set<NodeJS.Timeout>()
  socket.once('close', () => {
    for (const timer of timers) clearTimeout(timer)
  })
  watching.set(socket, timers)
  return timers
}

/**
 * Returns the header fields of a reply as `writeHead` takes them: names and values in turn, the reply's own and those that
 * every reply has.
 *
 * A reply may be kept by a cache only where the contract or the configuration says so: a 404, 405, 410 or 501 is cacheable by
 * itself (RFC 9110 §15.1), and a browser would go on showing it when the mock has moved on. A reply with an entity tag may be
 * stored, but must be revalidated.
 *
 * @param vary the request headers that may change any reply
 */
export function headerFields(headers: Headers, vary: string): (string | number)[] {
  // A list that is filled in a loop: an object spread here costs 3 µs of a request that costs 15.
  const fields: (string | number)[] = []
  let caching = 'no-store'
  let varying = vary
  for (const name in headers) {
    const value = headers[name] as string
    if (name === 'vary') varying = joinVary(value, vary)
    else {
      if (name === 'cache-control') caching = ''
      else if (name === 'etag' && caching !== '') caching = 'no-cache'
      fields.push(name, value)
    }
  }
  if (caching !== '') fields.push('cache-control', caching)
  if (varying !== '') fields.push('vary', varying)
  return fields
}

/** Returns both lists as one, each name once; `*` already covers every name. */
function joinVary(names: string, common: string): string {
  if (names.trim() === '*') return '*'
  const byLowerCase = new Map(
    `${names},${common}`.split(',').map(name => [name.trim().toLowerCase(), name.trim()] as const),
  )
  byLowerCase.delete('')
  return [...byLowerCase.values()].join(', ')
}

/** Headers that a page may read without being allowed to (Fetch Standard, "CORS-safelisted response-header name"). */
const SAFELISTED = new Set([
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
  // No page may ever read it.
  'set-cookie',
])

/** Returns the value of `Access-Control-Expose-Headers`: every header of the reply that needs it. */
export const exposedNames = (headers: Headers): string =>
  [...new Set([...Object.keys(headers).filter(name => !SAFELISTED.has(name)), 'date', 'vary'])].join(', ')

/** Not HTTP in any version, and not TLS either. */
const GARBAGE = Buffer.from('\u0000\u0001}{ this is no reply \u00ff\u00fe\r\n\r\n', 'latin1')

/** Simulates a bad network or a dying server on a reply. Clients should reject the output. */
function writeBroken(req: IncomingMessage, res: ServerResponse, reply: Reply, wire: Wire, vary: string): void {
  const { socket } = req
  if (wire.kind === 'reset') {
    socket.resetAndDestroy()
    return
  }
  req.resume()
  if (wire.kind === 'truncate' || wire.kind === 'drip') {
    const { stream, headers } = reply
    const body = Buffer.from(reply.body ?? '')
    if (stream === undefined) writeHead(res, reply, vary, body.length)
    else writeStreamedHead(res, reply, vary)
    const chunks = stream?.chunks ?? (req.method === 'HEAD' ? [] : [body])
    const length = stream === undefined ? body.length : Number(headers['content-length'])
    breakOff(socket, res, chunks, wire, length).catch(() => socket.destroy())
    return
  }
  if (wire.kind === 'garbage') socket.write(GARBAGE)
  socket.destroySoon()
}

/** After its half of the connection is closed, the server reads on for this many milliseconds, then closes the rest. */
const LINGER = 1000

/** A client that got no 100 and sends nothing for this many milliseconds is assumed not to send its body. */
const NO_BODY_FOLLOWS = 250

/** The responses of each connection in their order, from the one that it is busy with on. */
const responses = new WeakMap<Socket, ServerResponse[]>()

/** Returns the responses that a connection has not finished, in the order of their requests. */
export function unfinishedOn(socket: Socket): readonly ServerResponse[] {
  return responses.get(socket)?.filter(response => !response.writableFinished) ?? []
}

/**
 * The class of every response, for `createServer({ ServerResponse })`. It may be complete before its request is: it then ends
 * once the rest of the request has been read and dropped (RFC 9112 §9.6). A connection that is closed while unread bytes wait
 * in it is reset, and a reset takes the reply along.
 */
export class LingeringResponse<Req extends IncomingMessage = IncomingMessage> extends ServerResponse<Req> {
  #continued = false
  #waits = false

  constructor(...args: ConstructorParameters<typeof ServerResponse<Req>>) {
    super(...args)
    const { socket } = args[0]
    const line = responses.get(socket)
    if (line === undefined) responses.set(socket, [this])
    else {
      while (line[0]?.writableFinished) line.shift()
      line.push(this)
    }
  }

  override writeContinue(...callback: [(() => void)?]): void {
    this.#continued = true
    super.writeContinue(...callback)
  }

  /**
   * Writes what is left of the reply at once. Where the request is still arriving, the response ends with it: after that the
   * connection serves the next request, or is closed with nothing unread. Node's request time-out bounds the wait.
   */
  override end(...parts: readonly unknown[]): this {
    if (this.req.complete || this.destroyed) return super.end(...(parts as []))
    if (this.#waits) return this
    this.#waits = true
    const [chunk, encoding] = parts
    if (typeof chunk === 'string') this.write(chunk, encoding as BufferEncoding)
    else if (chunk instanceof Uint8Array) this.write(chunk)
    else this.flushHeaders()
    const { req } = this
    // The reader of the body has stopped, and would hold up the rest.
    req.unpipe()
    req.once('end', () => super.end())
    req.on('data', req.headers.expect === undefined || this.#continued ? () => {} : closeUnlessSent(req.socket))
    req.resume()
    return this
  }
}

/**
 * Closes the connection of a client that waits for a 100 in vain. Returns a function to call if it sends its body
 * nevertheless.
 */
function closeUnlessSent(socket: Socket): () => void {
  const timer = setTimeout(() => closeInStages(socket), NO_BODY_FOLLOWS)
  socket.once('close', () => clearTimeout(timer))
  return () => void timer.refresh()
}

/** Closes the writing half, reads on for `LINGER`, and closes the rest. */
export function closeInStages(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}

/** Sockets that get a reply below Node's own responses; further input on them is ignored. */
const ending = new WeakSet<Socket>()

/**
 * Replies to bytes that Node's parser gave up on, there being no response object then, and ends the connection. A request that
 * has had its reply already gets no second one, which would be taken for the reply to the next.
 *
 * @param make makes the reply; called only if the connection is writable
 */
export function writeRaw(socket: Socket, make: () => Promise<Reply>, delivery: Delivery): void {
  // The parser complains of every further piece that arrives.
  if (ending.has(socket)) return
  ending.add(socket)
  writeAfterOthers(socket, make, delivery)
}

function writeAfterOthers(socket: Socket, make: () => Promise<Reply>, delivery: Delivery): void {
  const [before] = unfinishedOn(socket)
  if (before?.req.complete === true) {
    before.once('close', () => writeAfterOthers(socket, make, delivery))
    return
  }
  if (before?.headersSent === true || !socket.writable) {
    closeInStages(socket)
    return
  }
  make().then(
    reply => {
      // The request may have been refused meanwhile, because of its headers.
      if (socket.writable && before?.headersSent !== true) socket.write(rawText(reply, delivery))
      closeInStages(socket)
    },
    () => socket.destroy(),
  )
}

function rawText({ status, headers, body = '' }: Reply, { vary, open }: Delivery): string {
  const fields = [
    ...headerFields(headers, vary),
    'content-length',
    Buffer.byteLength(body),
    // The origin is not known: it may not have arrived.
    ...(open ? ['access-control-allow-origin', '*'] : []),
    'date',
    new Date().toUTCString(),
    'connection',
    'close',
  ]
  const lines = fields.map((field, i) => (i % 2 === 0 ? `${field}: ` : `${field}\r\n`))
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`
}
