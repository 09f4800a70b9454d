// A request to the API as the gateway sees it, and its body: read lazily, bounded, decompressed.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Context } from 'koa'
import { type BodyRead, type ClientCertificate, NO_HEADERS, problems, type Request } from '../kernel/http.ts'
import type { Coding } from './decode-body.ts'

export class DataRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  readonly prefix: string
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  readonly #readBody: () => Promise<BodyRead>
  #body: Promise<BodyRead> | undefined
  #signal: AbortSignal | undefined

  constructor(req: IncomingMessage, res: ServerResponse, prefix: string, readBody: () => Promise<BodyRead>) {
    const target = originForm(req.url as string)
    const query = target.indexOf('?')
    this.method = req.method as string
    this.path = query === -1 ? target : target.slice(0, query)
    this.query = query === -1 ? '' : target.slice(query + 1)
    this.headers = req.headers
    this.prefix = prefix
    this.#req = req
    this.#res = res
    this.#readBody = readBody
  }

  get hasBody(): boolean {
    const { 'content-length': length, 'transfer-encoding': coding } = this.headers
    return coding !== undefined || (length !== undefined && length !== '0')
  }

  readBody(): Promise<BodyRead> {
    this.#body ??= this.#readBody()
    return this.#body
  }

  get address(): string {
    return this.#req.socket.remoteAddress ?? ''
  }

  get certificate(): ClientCertificate | undefined {
    return certificateOf(this.#req.socket)
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      const res = this.#res
      if (res.destroyed) controller.abort()
      // A response closes once: after it was written, or when its socket does.
      else res.once('close', () => controller.abort())
      this.#signal = controller.signal
    }
    return this.#signal
  }
}

/** A proxy's client sends the whole URL (RFC 9112 §3.2.2); the authority is then Node's `host`. */
const originForm = (target: string): string => {
  if (target.startsWith('/')) return target
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
  const found = subject === undefined ? undefined : { verified: secure.authorized, subject: attributes }
  certificates.set(socket, found)
  return found
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

async function readDecoded(req: IncomingMessage, coding: Coding, maxBytes: number): Promise<BodyRead> {
  const { decodeBody } = await import('./decode-body.ts')
  const bytes = await decodeBody(req, coding, maxBytes)
  if (bytes === 'too large') return tooLarge(maxBytes)
  return bytes === 'unreadable' ? UNREADABLE : bytes === 'cut' ? CUT : { bytes }
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
const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ...(['identity', 'gzip', 'deflate', 'br'] as const).map(coding => [coding, coding] as const),
  ['', 'identity'],
  ['x-gzip', 'gzip'],
])

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
