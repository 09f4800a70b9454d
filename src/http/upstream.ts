// The client of the real API. The only file that imports undici, which it loads when the first request is sent.

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
    const fail = (error: unknown) => {
      if (arrival.whole) return
      const failure = upstreamFailureOf(error, settings)
      reject(failure)
      arrival.end(failure)
    }
    const arrival = new Arrival(settings.timeout, fail, signal)
    if (signal?.aborted) return fail(new Error('the client has gone'))
    arrival.limit()
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
        onResponseStart: (_, status, received) => {
          // Informational replies precede the one that is passed on.
          if (status < 200) return
          const fields: string[] = []
          for (const [name, value] of Object.entries(received))
            for (const one of Array.isArray(value) ? value : [value]) fields.push(name, one as string)
          resolve({ status, fields, body: arrival, trailers: () => arrival.trailers })
          // A 304 may have the length of the body that it does not have (RFC 9110 §8.6), which undici waits for.
          if (status === 304) arrival.finish({})
          else arrival.limit()
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

/** The bytes of a body that wait to be read, at most; its connection stops then. */
const UNREAD_BYTES = 65_536

/** The body of a reply. The time between two parts is limited. */
class Arrival implements AsyncIterable<Uint8Array> {
  trailers: Headers = {}
  /** Whether all of it has arrived. */
  whole = false
  readonly #timeout: number
  readonly #fail: (error: unknown) => void
  readonly #signal: AbortSignal | undefined
  readonly #leave = () => this.#fail(new Error('the client has gone'))
  readonly #parts: Uint8Array[] = []
  #unread = 0
  #controller: Dispatcher.DispatchController | undefined
  #timer: NodeJS.Timeout | undefined
  #failure: Error | undefined
  /** Continues the one who waits for the next part. */
  #wake = () => {}

  constructor(timeout: number, fail: (error: unknown) => void, signal: AbortSignal | undefined) {
    this.#timeout = timeout
    this.#fail = fail
    this.#signal = signal
    signal?.addEventListener('abort', this.#leave)
  }

  begin(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#failure !== undefined) controller.abort(this.#failure)
  }

  /** Limits the time until the next part. */
  limit(): void {
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#fail(late()), this.#timeout)
    else this.#timer.refresh()
  }

  #rest(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  add(part: Uint8Array): void {
    this.#parts.push(part)
    this.#unread += part.length
    if (this.#unread < UNREAD_BYTES) this.limit()
    else {
      this.#controller?.pause()
      this.#rest()
    }
    this.#wake()
  }

  finish(trailers: Headers): void {
    this.whole = true
    this.trailers = trailers
    this.end()
  }

  end(failure?: Error): void {
    this.#rest()
    this.#signal?.removeEventListener('abort', this.#leave)
    this.#failure ??= failure
    if (failure !== undefined) this.#controller?.abort(failure)
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const part = this.#parts.shift()
        if (part !== undefined) {
          this.#unread -= part.length
          if (this.#controller?.paused === true) {
            this.limit()
            this.#controller.resume()
          }
          yield part
        } else if (this.whole) return
        else if (this.#failure !== undefined) throw this.#failure
        else {
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
        }
      }
    } finally {
      if (!this.whole && this.#failure === undefined) this.end(new Error('the reply is not read'))
    }
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
