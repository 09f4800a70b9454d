// The client of the real API: Node's own, whose parser is native and passes on what arrives without a copy.

import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { OnReadOpts, Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { Environment } from '../../kernel/file/source.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { joinFields } from '../../kernel/received.ts'
import {
  type Upstream,
  UpstreamFailure,
  type UpstreamReply,
  type UpstreamRequest,
  type UpstreamSettings,
} from './upstream.ts'

/** How an origin is reached. */
interface Way {
  readonly request: (options: RequestOptions) => ClientRequest
  readonly target: RequestOptions & { readonly agent: Agent }
  /** The authority: `localhost:8080`. */
  readonly host: string
}

/**
 * Makes a client. It keeps connections, by origin and by certificates; proxies are those of the environment
 * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`), from Node 22.21 and 24.5 on. It follows no redirect and decodes nothing.
 */
export function createUpstream(environment: Environment = {}): Upstream {
  const ways = new Map<string, Promise<Way>>()
  return {
    async send(request, settings) {
      // A reload makes new settings, mostly of the same origin.
      const { origin, ca = '', pair } = settings
      const way = await getOrMake(ways, origin + ca + (pair?.cert ?? ''), () => openWay(settings, environment))
      // A kept connection may have been closed at the same moment; repeating a read changes nothing.
      const mayRepeat = request.body === undefined && /^(?:GET|HEAD)$/.test(request.method)
      for (;;) {
        try {
          return await sendOnce(way, request, settings)
        } catch (error) {
          if (!mayRepeat || (error as UpstreamFailure).cause !== STALE) throw error
        }
      }
    },
    async close() {
      for (const { target } of await Promise.all(ways.values())) target.agent.destroy()
    },
  }
}

async function openWay({ origin, ca, pair }: UpstreamSettings, environment: Environment): Promise<Way> {
  const url = new URL(origin)
  const isSecure = url.protocol === 'https:'
  // The modules of TLS are read where they are needed only.
  const { Agent, request } = await (isSecure ? import('node:https') : import('node:http'))
  // Node 20 has no `proxyEnv`.
  const options = {
    keepAlive: true,
    proxyEnv: environment,
    ...(ca && { ca }),
    ...pair,
    ...(!isSecure && { onread: readInto(Buffer.alloc(65_536)) }),
  }
  const agent: Agent = new Agent(options)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const target = { agent, protocol: url.protocol, host, port: url.port || (isSecure ? 443 : 80) }
  return { request, target, host: url.host }
}

/**
 * Reads all connections into one buffer, from which Node's parser copies the parts of a body. Without it Node allocates 64 kB for each
 * read, as much garbage again as those parts.
 */
function readInto(buffer: Uint8Array): OnReadOpts {
  return {
    buffer,
    callback(this: Socket, length: number) {
      this.emit('data', buffer.subarray(0, length))
      return true
    },
  }
}

/** The cause of a failure of a connection that was kept. */
const STALE = Object.assign(new Error('closed'), { code: 'ECONNRESET' })

/** Rejects with an `UpstreamFailure`, whose cause is the error. */
function sendOnce(
  { request, target, host }: Way,
  asking: UpstreamRequest,
  settings: UpstreamSettings,
): Promise<UpstreamReply> {
  const { method, path, body, signal, hint } = asking
  return new Promise((resolve, reject) => {
    let reply: IncomingMessage | undefined
    const fail = (error: Error): void => {
      // Bytes behind the reply are none of it.
      if (reply?.complete) return
      reject(upstreamFailureOf(isStale(asked, error) ? STALE : error, settings))
      if (reply === undefined) asked?.destroy()
      else reply.destroy(error)
    }
    const leave = () => fail(new Error('the client has gone'))
    let asked: ClientRequest | undefined
    try {
      if (signal?.aborted) return leave()
      asked = request({ ...target, method, path: settings.path + path, headers: fieldsOf(asking, host) })
    } catch (error) {
      return fail(error as Error)
    }
    const sent = asked
    // Node drops the fields beyond 2000 otherwise.
    sent.maxHeadersCount = 0
    signal?.addEventListener('abort', leave)
    sent.on('response', received => {
      // Node takes a 101 without `Upgrade` for the reply, and 099 too.
      if ((received.statusCode ?? 0) < 200) return fail(Object.assign(new Error('status'), { code: 'INVALID_STATUS' }))
      reply = received
      timer.refresh()
      read = received.socket.bytesRead
      // Bytes behind the head are parsed first: if they are not HTTP, there is no reply.
      queueMicrotask(() => resolve(replyOf(received)))
    })
    sent.on('information', ({ statusCode, rawHeaders }) => void (statusCode === 103 && hint?.(rawHeaders)))
    sent.on('upgrade', (_, socket) => {
      socket.destroy()
      fail(new Error('switched'))
    })
    let read = 0
    const timer = setTimeout(() => {
      const { socket, writableEnded } = sent
      const before = read
      read = socket?.bytesRead ?? 0
      // A body that the caller still sends, or does not read, is not the real API's delay.
      const isOurs = reply === undefined ? socket?.connecting === false && !writableEnded : reply.readableLength > 0
      if (isOurs || (reply !== undefined && read !== before)) timer.refresh()
      else if (reply?.complete) sent.destroy()
      else fail(Object.assign(new Error('late'), { code: 'ETIMEDOUT' }))
    }, settings.timeout)
    sent.on('error', fail)
    sent.on('close', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    })
    sendBody(sent, body, () => timer.refresh())
  })
}

/** Whether a request failed because its kept connection was closed meanwhile. */
const isStale = (asked: ClientRequest | undefined, error: Error): boolean =>
  asked?.reusedSocket === true && /^(?:ECONNRESET|EPIPE)$/.test(codeOf(error))

/** Returns the fields of a request, with those that say where its body ends. */
function fieldsOf({ method, headers, body }: UpstreamRequest, host: string): Record<string, string> {
  const fields: Record<string, string> = { host, ...headers }
  // Node would not say where the body of a DELETE ends.
  if (body instanceof Uint8Array || (body === undefined && /^P/.test(method)))
    fields['content-length'] = String(body?.length ?? 0)
  else if (body !== undefined && headers['content-length'] === undefined) fields['transfer-encoding'] = 'chunked'
  return fields
}

/** Sends the body of a request. @param finished is called when all of a stream is sent */
function sendBody(sent: ClientRequest, body: UpstreamRequest['body'], finished: () => void): void {
  if (body === undefined || body instanceof Uint8Array) return void sent.end(body)
  const source = body instanceof Readable ? body : Readable.from(body)
  source.on('error', error => sent.destroy(error))
  sent.on('close', () => source.destroy())
  sent.on('finish', finished)
  const begin = () => void source.pipe(sent)
  // Until there is a connection, the stand-in may need the body.
  sent.once('socket', socket => void (socket.connecting ? socket.once('connect', begin) : begin()))
}

const replyOf = (received: IncomingMessage): UpstreamReply => ({
  status: received.statusCode ?? 0,
  fields: received.rawHeaders,
  body: received,
  whole: () => (received.complete && received.readable ? arrivedBody(received) : undefined),
  trailers: () => joinFields(received.rawTrailers),
})

/** Node 26 reads one part at a time, older ones all of them. */
function arrivedBody(body: IncomingMessage): Uint8Array {
  const parts: Uint8Array[] = []
  for (let part = body.read(); part !== null; part = body.read()) parts.push(part)
  return parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts)
}

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? ''

/** The reasons by the codes of errors. */
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^ECONNREFUSED/, 'refuses connections'],
  [/^(?:ENOTFOUND|EAI_AGAIN)/, 'has an unknown host'],
  [/^ERR_PROXY/, 'is behind a proxy that refuses it'],
  [/^(?:ECONNRESET|EPIPE)/, 'closed the connection'],
  [/^INVALID_STATUS/, 'sent a status that no reply has'],
  [/HEADER_OVERFLOW/, 'sent larger headers than can be read'],
  [/CONTENT_LENGTH/, 'sent a body of another length than it announced'],
  [/^HPE_/, 'sent what is not HTTP'],
  [/^CERT_HAS_EXPIRED/, 'has an expired certificate'],
  [
    /SELF_SIGNED|^UNABLE_TO/,
    'has a certificate of an unknown authority; name it in upstream.tls.ca or NODE_EXTRA_CA_CERTS',
  ],
  [/CERTIFICATE_REQUIRED/, 'asks for a client certificate; name it in upstream.tls.cert and key'],
  [/CERT_ALTNAME_INVALID/, 'has a certificate for another host'],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'does not speak TLS as expected'],
]

function upstreamFailureOf(error: unknown, { timeout }: UpstreamSettings): UpstreamFailure {
  const code = codeOf(error)
  const isLate = code === 'ETIMEDOUT'
  const [, known = 'gave no reply'] = REASONS.find(([codes]) => codes.test(code)) ?? []
  const failure = new UpstreamFailure(`the real API ${isLate ? `did not answer within ${timeout} ms` : known}`, isLate)
  failure.cause = error
  return failure
}
