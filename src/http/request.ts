// A request to the API as the gateway sees it, and its body: read lazily, bounded, decompressed. And the HTTP mistakes that Node's
// parser accepts, for which both planes look first.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { Context } from 'koa'
import {
  type BodyRead,
  type ClientCertificate,
  type Leaving,
  NO_HEADERS,
  type Problem,
  problems,
  type Request,
} from '../kernel/http.ts'
import { attempted } from '../kernel/memo.ts'

export class DataRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  readonly prefix: string
  readonly hasBody: boolean
  readonly #context: Context
  readonly #readBody: (context: Context, maxBytes: number) => Promise<BodyRead>
  #body: Promise<BodyRead> | undefined
  #streamed: StreamedBody | undefined

  constructor(context: Context, prefix: string, readBody: (context: Context, maxBytes: number) => Promise<BodyRead>) {
    const { url = '', method = '', headers } = context.req
    const target = url.startsWith('/') ? url : originForm(url)
    const query = target.indexOf('?')
    this.method = method
    this.path = query === -1 ? target : target.slice(0, query)
    this.query = query === -1 ? '' : target.slice(query + 1)
    this.headers = headers
    this.prefix = prefix
    const { 'content-length': length, 'transfer-encoding': coding } = headers
    this.hasBody = coding !== undefined || (length !== undefined && length !== '0')
    this.#context = context
    this.#readBody = readBody
  }

  readBody(maxBytes: number): Promise<BodyRead> {
    this.#body ??=
      this.#streamed?.hasBegun !== true
        ? this.#readBody(this.#context, maxBytes)
        : this.#readCopy(this.#streamed, maxBytes)
    return this.#body
  }

  get arrived(): boolean {
    return this.#body !== undefined || this.#streamed?.isComplete === true
  }

  stream(): AsyncIterable<Uint8Array> {
    if (this.#body !== undefined) return sentAgain(this.#body)
    this.#streamed = new StreamedBody(this.#context)
    return this.#streamed
  }

  /** Decodes the copy of a body that was passed on. */
  async #readCopy(streamed: StreamedBody, maxBytes: number): Promise<BodyRead> {
    const { headers } = this.#context.req
    const coding = CODINGS.get((headers['content-encoding'] ?? '').trim().toLowerCase())
    if (coding === undefined) return UNSUPPORTED
    await streamed.end()
    const { chunks, bytes, isComplete } = streamed
    if (!isComplete) return CUT
    if (bytes > Math.min(maxBytes, MOST_COPIED)) return tooLarge(maxBytes)
    return readDecoded(Readable.from(chunks), coding, maxBytes)
  }

  get signal(): Leaving {
    const { res } = this.#context
    return {
      get aborted() {
        return res.destroyed
      },
      addEventListener: (_, task) => res.once('close', task),
      removeEventListener: (_, task) => res.off('close', task),
    }
  }

  hint(link: readonly string[]): void {
    const { req, res } = this.#context
    // A client of HTTP/1.0 would take it for the reply. Node throws at what is no link.
    if (req.httpVersionMinor > 0 && !res.headersSent) attempted(() => res.writeEarlyHints({ link: [...link] }))
  }

  get address(): string {
    return this.#context.req.socket.remoteAddress ?? ''
  }

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#context.req.socket)
  }
}

/** A larger body that is passed on is not kept to be judged, in bytes. */
const MOST_COPIED = 1_000_000

/**
 * A body that is passed on, and the beginning of it that is kept. The request is not destroyed with it, because its client still
 * needs a reply.
 */
class StreamedBody extends Readable {
  readonly chunks: Uint8Array[] = []
  bytes = 0
  isComplete = false
  readonly #context: Context
  hasBegun = false

  constructor(context: Context) {
    super()
    this.#context = context
    // The error is known to the one who reads it.
    this.on('error', () => {})
  }

  /** Resolves when the body has ended, also if it is not passed on any more. */
  async end(): Promise<void> {
    const { req } = this.#context
    if (this.isComplete || req.destroyed) return
    req.resume()
    await new Promise(resolve => {
      req.once('end', resolve)
      req.once('close', resolve)
    })
  }

  /** Asks the client for its body with the first read, when the other server is connected. */
  override _read(): void {
    const { req, res } = this.#context
    if (this.hasBegun) return void req.resume()
    this.hasBegun = true
    if (req.headers.expect !== undefined && req.httpVersionMinor > 0) res.writeContinue()
    req.on('data', (chunk: Uint8Array) => {
      this.bytes += chunk.length
      if (this.bytes <= MOST_COPIED) this.chunks.push(chunk)
      else this.chunks.length = 0
      if (!this.destroyed && !this.push(chunk)) req.pause()
    })
    req.once('end', () => {
      this.isComplete = true
      this.push(null)
    })
    req.once('close', () => void (req.complete || this.destroy(new Error('the client has gone'))))
  }
}

/** A body that was read before it is passed on. */
async function* sentAgain(body: Promise<BodyRead>): AsyncIterable<Uint8Array> {
  const read = await body
  if (!('bytes' in read)) throw new Error(read.detail)
  yield read.raw ?? read.bytes
}

/** A proxy's client sends the whole URL (RFC 9112 §3.2.2); the authority is then Node's `host`. */
const originForm = (target: string): string => {
  const rest = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(target)?.[1]
  return rest === undefined ? target : rest.startsWith('/') ? rest : `/${rest}`
}

const certificates = new WeakMap<Socket, ClientCertificate | undefined>()

/** The certificate that a client showed, read once per connection; `undefined` where it showed none, or without TLS. */
function certificateOf(socket: Socket): ClientCertificate | undefined {
  if (!('getPeerCertificate' in socket)) return undefined
  if (certificates.has(socket)) return certificates.get(socket)
  const secure = socket as TLSSocket
  const { subject } = secure.getPeerCertificate()
  const attributes = Object.entries(subject ?? {}).flatMap(([name, values]) =>
    [values].flat().map(value => [name.toUpperCase(), String(value)] as const),
  )
  const certificate = subject === undefined ? undefined : { verified: secure.authorized, subject: attributes }
  certificates.set(socket, certificate)
  return certificate
}

/**
 * Reads a body: an uncompressed one with Content-Length directly, others through the parser.
 *
 * @param maxBytes the largest body, after decompression
 * @param awaited whether a client that expects `100 Continue` is waiting for it still
 */
export async function readBody({ req, res }: Context, maxBytes: number, awaited = true): Promise<BodyRead> {
  const { expect, 'content-encoding': written = '', 'content-length': length } = req.headers
  const coding = CODINGS.get(written.trim().toLowerCase())
  if (coding === undefined) return UNSUPPORTED
  if (coding === 'identity' && Number(length) > maxBytes) return tooLarge(maxBytes)
  // The client waits for this before it sends anything, so that a refusal costs it nothing; a client of HTTP/1.0 would
  // take it for the reply (RFC 9110 §10.1.1).
  if (awaited && expect !== undefined && req.httpVersionMinor > 0) res.writeContinue()
  if (coding === 'identity' && length !== undefined) return readAsItIs(req)
  // A decompressor does not notice that the client disconnected, and would wait for the rest for ever.
  const gone = new Promise<BodyRead>(resolve => req.once('close', () => void (req.complete || resolve(CUT))))
  return Promise.race([readDecoded(req, coding, maxBytes), gone])
}

/** Reads a body that arrives in pieces, without a wire. @param written its `Content-Encoding` */
export async function readSentBody(
  pieces: AsyncIterable<Uint8Array>,
  written: string | undefined,
  maxBytes: number,
): Promise<BodyRead> {
  const coding = CODINGS.get((written ?? '').trim().toLowerCase())
  if (coding === undefined) return UNSUPPORTED
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const piece of pieces) {
      chunks.push(piece)
      bytes += piece.length
      if (bytes > maxBytes) return tooLarge(maxBytes)
    }
  } catch {
    return CUT
  }
  return coding === 'identity' ? { bytes: Buffer.concat(chunks) } : readDecoded(Readable.from(chunks), coding, maxBytes)
}

/** Reads a body that is compressed or has no Content-Length; what few requests need is loaded with the first. */
async function readDecoded(req: Readable, coding: Coding, maxBytes: number): Promise<BodyRead> {
  const { createBrotliDecompress, createUnzip } = await import('node:zlib')
  const { default: bodyParser } = await import('koa-bodyparser')
  // Every body is undecoded "text": the contract decides about the meaning of the bytes.
  const parse = bodyParser({ enableTypes: ['text'], textLimit: maxBytes, encoding: null } as never)
  const request: { is(): boolean; body?: unknown } = { is: () => true }
  const decoder = coding === 'identity' ? new PassThrough() : coding === 'br' ? createBrotliDecompress() : createUnzip()
  const sent: Uint8Array[] = []
  if (coding !== 'identity') req.on('data', (chunk: Uint8Array) => sent.push(chunk))
  const decoded = Object.assign(req.pipe(decoder), { headers: {} })
  try {
    await parse({ req: decoded, request } as never, async () => {})
  } catch (error) {
    const { type } = error as { type?: string }
    if (type === 'entity.too.large') return tooLarge(maxBytes)
    // Errors of the decompression have no type.
    return type === undefined ? UNREADABLE : CUT
  }
  const raw = sent.length === 0 ? undefined : Buffer.concat(sent)
  return { bytes: request.body instanceof Uint8Array ? request.body : new Uint8Array(), raw }
}

/** Reads the body unchanged. Node's parser limits it to its announced length. */
const readAsItIs = (req: IncomingMessage): Promise<BodyRead> =>
  new Promise(resolve => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => resolve({ bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }))
    // No more data arrives. An error has no listener and is followed by this event.
    req.on('close', () => void (req.complete || resolve(CUT)))
  })

/** RFC 9110 §8.4.1: names are compared without case; an empty field means no coding. */
const CODINGS: ReadonlyMap<string, Coding> = new Map(
  Object.entries({ '': 'identity', identity: 'identity', gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'gzip', br: 'br' }),
)
type Coding = 'identity' | 'gzip' | 'br'

const UNSUPPORTED: BodyRead = {
  problem: problems.unsupported_media_type,
  detail: 'the content encoding is not supported; use gzip, deflate or br',
  headers: { 'accept-encoding': 'gzip, deflate, br' },
}

const tooLarge = (maxBytes: number): BodyRead => ({
  problem: problems.payload_too_large,
  detail: `the body is larger than ${maxBytes} bytes`,
  headers: NO_HEADERS,
})

const invalidBody = (detail: string): BodyRead => ({ problem: problems.invalid_request, detail, headers: NO_HEADERS })
const UNREADABLE = invalidBody('the body cannot be decompressed')
const CUT = invalidBody('the body is incomplete')

export type MessageFault = readonly [problem: Problem, detail: string]

/** Finds the fault of a request; `undefined` for a sound one. One that must be the last of its connection is made so. */
export function findMessageFault(req: IncomingMessage, res: ServerResponse): MessageFault | undefined {
  const { httpVersionMajor, httpVersionMinor, rawHeaders, headers } = req
  if (httpVersionMajor !== 1) {
    // The peer frames its messages by other rules.
    res.shouldKeepAlive = false
    return OTHER_VERSION
  }
  const { host, 'transfer-encoding': coding, upgrade, connection } = headers
  let isSocket = false
  if (upgrade !== undefined && /\bupgrade\b/i.test(connection ?? '')) {
    // No protocol is switched to (RFC 9110 §7.8), but Node's parser drops the bytes that arrived behind such a request.
    res.shouldKeepAlive = false
    isSocket = /\bwebsocket\b/i.test(upgrade)
  }
  if (host === undefined) {
    if (httpVersionMinor > 0) return [problems.invalid_request, 'the request has no Host field']
  } else if (!HOST.test(host)) return [problems.invalid_request, 'the Host field is not a valid host']
  // Node keeps the first of several; a proxy in front of it may have gone by another (RFC 9112 §3.2).
  if (hasTwoHosts(rawHeaders)) return [problems.invalid_request, 'the request has more than one Host field']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    // Nothing says where such a body ends, so that no further request can be found behind it (RFC 9112 §6.3).
    if (!/(?:^|,)\s*chunked\s*$/i.test(coding)) res.shouldKeepAlive = false
    return [problems.not_simulated, 'the transfer coding is not supported; use chunked']
  }
  if ((req.url as string).includes('#')) return [problems.invalid_request, 'the request target has a fragment']
  return isSocket ? SOCKET : undefined
}

const SOCKET: MessageFault = [problems.not_simulated, 'WebSockets are not supported']

const OTHER_VERSION: MessageFault = [problems.version_not_supported, 'the HTTP version is not supported; use HTTP/1.1']

const MALFORMED: MessageFault = [problems.invalid_request, 'the request is not well-formed HTTP']

/** The refusal of bytes that Node's parser gave up on, by its error. */
export function faultOfParser({ code, reason }: NodeJS.ErrnoException & { readonly reason?: string }): MessageFault {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [problems.header_fields_too_large, 'the request line and headers are too large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [problems.request_timeout, 'the request did not arrive in time']
    case 'HPE_INVALID_METHOD':
      return [problems.not_simulated, 'unknown method']
    case 'HPE_PAUSED_H2_UPGRADE':
      // `PRI * HTTP/2.0`, the first line of an HTTP/2 client without TLS (RFC 9113 §3.4).
      return OTHER_VERSION
    case 'HPE_INVALID_VERSION':
      // The parser has the same code for a version that is followed by a bare line feed.
      return reason?.includes('CRLF') ? MALFORMED : OTHER_VERSION
    default:
      return MALFORMED
  }
}

/** RFC 9110 §7.2: `uri-host [ ":" port ]`, which may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  // Few other names are as long, so that most requests need no comparison.
  let candidates = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if ((rawHeaders[i] as string).length === 4) candidates += 1
  return candidates > 1 && rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1
}
