// Answers requests of the Fetch standard without a port: those of a test, or of a library that intercepts requests.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Gateway } from '../gateway/gateway.ts'
import {
  type BodyRead,
  type Request as GatewayRequest,
  type Leaving,
  problems,
  type Reply,
  type Wire,
} from '../kernel/http.ts'
import { readSentBody } from './request.ts'
import { brokenOff } from './streamed.ts'
import { headerFields } from './wire.ts'

/** `fetch` of the Fetch standard. It rejects with a `TypeError` where a fault leaves no reply, as a client sees a broken connection. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Returns a `fetch` that the gateway answers, whatever the host. */
export function createFetch(gateway: Gateway): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const { promise: left, forget } = leaving(request.signal)
    try {
      const reply = await Promise.race([gateway.handle(new FetchRequest(request)), left])
      try {
        return responseTo(request, reply, gateway)
      } catch (error) {
        if (error instanceof TypeError && error.message === FAILED) throw error
        // HTTP cannot carry a header of the reply.
        gateway.reportFailure(error)
        return responseTo(request, await gateway.refuse(problems.internal_error, 'internal error'), gateway)
      }
    } finally {
      forget()
    }
  }
}

/** Rejects when the client leaves, with the client's reason. */
function leaving(signal: AbortSignal) {
  let forget = () => {}
  const promise = new Promise<never>((_, reject) => {
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave)
    forget = () => signal.removeEventListener('abort', leave)
  })
  // Without a listener of its own it would end the process after the race.
  promise.catch(() => {})
  return { promise, forget: () => forget() }
}

class FetchRequest implements GatewayRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: GatewayRequest['headers']
  readonly hasBody: boolean
  readonly address = '127.0.0.1'
  readonly #request: Request
  #body: Promise<BodyRead> | undefined

  constructor(request: Request) {
    const { host, pathname, search } = new URL(request.url)
    this.method = request.method
    this.path = pathname
    this.query = search.slice(1)
    this.headers = { host, ...Object.fromEntries(request.headers) }
    this.hasBody = request.body !== null
    this.#request = request
  }

  readBody(maxBytes: number): Promise<BodyRead> {
    this.#body ??= readSentBody(this.stream(), this.headers['content-encoding'] as string | undefined, maxBytes)
    return this.#body
  }

  stream(): AsyncIterable<Uint8Array> {
    return (this.#request.body ?? []) as AsyncIterable<Uint8Array>
  }

  get signal(): Leaving {
    return this.#request.signal
  }
}

/** Statuses whose `Response` has no body (Fetch standard, "null body status"). */
const EMPTY = new Set([204, 205, 304])
const FAILED = 'fetch failed'

/** The causes that Node's own `fetch` gives to a failure. */
const CAUSES: Readonly<Record<string, readonly [code: string, message: string]>> = {
  reset: ['ECONNRESET', 'read ECONNRESET'],
  close: ['UND_ERR_SOCKET', 'other side closed'],
  garbage: ['HPE_INVALID_CONSTANT', 'Response does not match the HTTP/1.1 protocol (Expected HTTP/)'],
}

function responseTo({ method, signal }: Request, reply: Reply, gateway: Gateway): Response {
  const { status, headers, body, wire, stream } = reply
  const [code, message] = CAUSES[wire?.kind ?? ''] ?? []
  if (code !== undefined) throw new TypeError(FAILED, { cause: Object.assign(new Error(message), { code }) })
  const whole = typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array())
  const fields = headerFields(headers, gateway.plan.simulation.delivery.vary)
  const sent = new Headers([...pairs(fields), ...(stream?.fields ?? [])] as [string, string][])
  if (stream === undefined && status !== 204 && status !== 304) sent.set('content-length', `${whole.length}`)
  sent.set('date', new Date().toUTCString())
  const chunks = stream?.chunks ?? [whole]
  const isEmpty = EMPTY.has(status) || method === 'HEAD'
  const content = isEmpty ? null : bodyOf(chunks, wire, stream === undefined ? whole : undefined, sent, signal)
  return new Response(content as ConstructorParameters<typeof Response>[0], { status, headers: sent })
}

function* pairs(fields: readonly (string | number)[]): Iterable<[string, string]> {
  for (let i = 0; i < fields.length; i += 2) yield [String(fields[i]), String(fields[i + 1])]
}

function bodyOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  wire: Wire | undefined,
  whole: Uint8Array | undefined,
  headers: Headers,
  signal: AbortSignal,
): Uint8Array | ReadableStream {
  const broken = wire?.kind === 'truncate' || wire?.kind === 'drip' ? wire : undefined
  if (whole !== undefined && broken === undefined) return whole
  const length = Number(headers.get('content-length') ?? Number.NaN)
  const source = broken === undefined ? chunks : terminated(brokenOff(chunks, broken, length))
  return Readable.toWeb(Readable.from(source, { signal, objectMode: false }))
}

/** Passes on a body that may break off, and then fails as a body of Node's own `fetch` does. */
async function* terminated(pieces: AsyncGenerator<Uint8Array, boolean>): AsyncIterable<Uint8Array> {
  for (;;) {
    const { done, value } = await pieces.next()
    if (done !== true) yield value
    else if (value) return
    else throw new TypeError('terminated', { cause: new Error('other side closed') })
  }
}
