// The client of the real API. The only file that imports undici, which it loads when the first request is sent.

import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import {
  type Upstream,
  UpstreamFailure,
  type UpstreamReply,
  type UpstreamRequest,
  type UpstreamSettings,
} from '../behaviours/exchange.ts'
import type { Headers } from '../kernel/http.ts'
import { getOrMake } from '../kernel/memo.ts'

/** Connections kept to one origin. */
const CONNECTIONS = 128

/**
 * Makes a client. It keeps connections, by origin and by the authorities that are trusted; proxies are those of the environment
 * (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`). It follows no redirect and decodes nothing.
 */
export function createUpstream(): Upstream {
  const pools = new Map<string, Promise<Dispatcher>>()
  const poolFor = ({ timeout, ca }: UpstreamSettings) =>
    getOrMake(pools, `${timeout} ${ca ?? ''}`, async () => {
      // The bundle has its exports below `default` only.
      const { EnvHttpProxyAgent } = (await import('undici')).default
      const connect = { timeout, ...(ca === undefined ? {} : { ca }) }
      // The time-outs of undici are a second too coarse; `Arrival` has its own.
      const options = { connect, requestTls: connect, headersTimeout: 0, bodyTimeout: 0 }
      return new EnvHttpProxyAgent({ connections: CONNECTIONS, ...options })
    })
  return {
    async send(request, settings) {
      const pool = await poolFor(settings)
      return sendOnce(pool, request, settings).catch((error: unknown) => {
        // A kept connection may have been closed at the same moment; repeating a read changes nothing.
        const mayRepeat = request.body === undefined && /^(?:GET|HEAD)$/.test(request.method)
        if (mayRepeat && codeOf(error) === 'UND_ERR_SOCKET') return sendOnce(pool, request, settings)
        throw error
      })
    },
    async close() {
      const all = await Promise.all(pools.values())
      await Promise.all(all.map(pool => pool.destroy()))
    },
  }
}

/** Rejects with an `UpstreamFailure`, whose cause is the error. */
function sendOnce(
  pool: Dispatcher,
  { method, path, headers, body, signal }: UpstreamRequest,
  settings: UpstreamSettings,
): Promise<UpstreamReply> {
  return new Promise((resolve, reject) => {
    const arrival = new Arrival(settings)
    const fail = (error: unknown) => {
      if (arrival.whole) return
      const failure = upstreamFailureOf(error, settings)
      reject(failure)
      arrival.destroy(failure)
    }
    const leave = () => fail(new Error('the client has gone'))
    if (signal?.aborted) return leave()
    signal?.addEventListener('abort', leave)
    arrival.once('close', () => signal?.removeEventListener('abort', leave))
    arrival.limit(fail)
    const options = {
      ...{ origin: settings.origin, path: settings.path + path, method: method as Dispatcher.HttpMethod, headers },
      body: (body ?? null) as Dispatcher.DispatchOptions['body'],
    }
    try {
      pool.dispatch(options, {
        onRequestStart: controller => arrival.begin(controller),
        onRequestUpgrade: (_, __, ___, socket) => {
          socket.destroy()
          fail(new Error('the protocol was switched'))
        },
        onResponseStart: ({ rawHeaders }, status) => {
          // Informational replies precede the one that is passed on.
          if (status < 200) return
          const fields = (rawHeaders as Buffer[]).map(field => field.toString('latin1'))
          resolve({ status, fields, body: arrival, trailers: () => arrival.trailers })
          // A 304 may have the length of the body that it does not have (RFC 9110 §8.6), which undici waits for.
          if (status === 304) arrival.finish({})
          else arrival.limit(fail)
        },
        onResponseData: (_, part) => arrival.add(part),
        onResponseEnd: (_, trailers) => arrival.whole || arrival.finish(trailers as Headers),
        onResponseError: (_, error) => fail(error),
      })
    } catch (error) {
      fail(error)
    }
  })
}

/** The body of a reply. Its connection stops while it is not read; the time between two parts is limited. */
class Arrival extends Readable {
  trailers: Headers = {}
  /** Whether all of it has arrived. */
  whole = false
  readonly #timeout: number
  #controller: Dispatcher.DispatchController | undefined
  #timer: NodeJS.Timeout | undefined
  #fail: (error: Error) => void = () => {}

  constructor({ timeout }: UpstreamSettings) {
    super({ highWaterMark: 65_536 })
    this.#timeout = timeout
    // The failure is known to its reader, or to the one who waits for the head.
    this.on('error', () => {})
  }

  begin(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.destroyed) controller.abort(new Error('the request was given up'))
  }

  /** Limits the time until the next part. */
  limit(fail: (error: Error) => void): void {
    this.#fail = fail
    this.#rest()
    if (!this.destroyed) this.#timer = setTimeout(() => fail(late()), this.#timeout)
  }

  #rest(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  add(part: Buffer): void {
    if (this.push(part)) {
      this.#timer?.refresh()
      return
    }
    this.#controller?.pause()
    this.#rest()
  }

  finish(trailers: Headers): void {
    this.#rest()
    this.whole = true
    this.trailers = trailers
    this.push(null)
  }

  override _read(): void {
    if (this.#controller?.paused !== true) return
    this.limit(this.#fail)
    this.#controller.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#rest()
    if (!this.readableEnded) this.#controller?.abort(error ?? new Error('the reply is not read'))
    done(error)
  }
}

const late = () => Object.assign(new Error('late'), { code: 'ETIMEDOUT' })

const codeOf = (error: unknown): string => {
  const { code, cause, errors } = (error ?? {}) as { code?: string; cause?: unknown; errors?: readonly unknown[] }
  return code ?? (cause === undefined ? (errors === undefined ? '' : codeOf(errors[0])) : codeOf(cause))
}

/** The reasons by the codes of errors. */
const REASONS: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^ECONNREFUSED/, 'refuses connections'],
  [/^(?:ENOTFOUND|EAI_AGAIN)/, 'has an unknown host'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)/, 'closed the connection'],
  [/HEADER_?S?_OVERFLOW/, 'sent larger headers than can be read'],
  [/CONTENT_LENGTH_MISMATCH/, 'sent a body of another length than it announced'],
  [/^CERT_HAS_EXPIRED/, 'has an expired certificate'],
  [/^DEPTH_ZERO_SELF_SIGNED_CERT/, 'has a self-signed certificate; name its authorities in upstream.tls.ca'],
  [/^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO)/, 'has a certificate of an unknown authority; name it in upstream.tls.ca'],
  [/CERT_ALTNAME_INVALID/, 'has a certificate for another host'],
  [/^(?:ERR_SSL|ERR_TLS|EPROTO)/, 'does not speak TLS as expected'],
]

function upstreamFailureOf(error: unknown, { timeout }: UpstreamSettings): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error
  const code = codeOf(error)
  const isLate = /TIMEOUT|ETIMEDOUT/.test(code)
  const isInvalid = code.startsWith('HPE_') || (error as Error).name === 'HTTPParserError'
  const [, known = isInvalid ? 'sent what is not HTTP' : 'gave no reply'] =
    REASONS.find(([codes]) => codes.test(code)) ?? []
  const failure = new UpstreamFailure(`the real API ${isLate ? `did not answer within ${timeout} ms` : known}`, isLate)
  failure.cause = error
  return failure
}
