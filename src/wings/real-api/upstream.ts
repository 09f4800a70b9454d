// The real API as the wing sees it: how it is reached, what is sent to it, what comes back, and what is never sent. The client is
// behind this.

import type { Exchange } from '../../behaviours/exchange.ts'
import type { Headers, Leaving } from '../../kernel/http.ts'

/** How the real API is reached, from `upstream` of gateway.yaml. It may contain credentials: never show it. */
export interface UpstreamSettings {
  /** `https://staging.example.com`. */
  readonly origin: string
  /** The path of its operations: `/v1`, empty if they are at the root. */
  readonly path: string
  /** Milliseconds in which it must connect, and then send the head of its reply, and then each further piece. */
  readonly timeout: number
  /** The methods that may be sent to it. */
  readonly methods: ReadonlySet<string>
  /** The header fields of a request that are sent on, by lower-case name. */
  readonly send: ReadonlySet<string>
  /** The query parameters that carry API keys of the contract and that `send` does not name. They are not sent on. */
  readonly withheld: ReadonlySet<string>
  /** Header fields that every request to it has. */
  readonly set: Headers
  /** The certificates that it is trusted by (PEM). Default: those of Node. */
  readonly ca: string | undefined
  /** The client certificate that it is shown, and its key (PEM). */
  readonly pair: { readonly key: string; readonly cert: string } | undefined
  /** Whether addresses of it in headers of replies become ours. */
  readonly rewrite: boolean
  /** The name of the only world whose requests may change it. */
  readonly world: string
}

/** A request to the real API. */
export interface UpstreamRequest {
  readonly method: string
  /** Below `UpstreamSettings.path`, with the query: `/books?limit=2`. */
  readonly path: string
  readonly headers: Headers
  readonly body?: AsyncIterable<Uint8Array> | Uint8Array | undefined
  /** Ends the request when the caller goes away. */
  readonly signal?: Leaving | undefined
  /** Called with the fields of each 103 (Early Hints) before the reply, names and values in turn. */
  readonly hint?: ((fields: readonly string[]) => void) | undefined
}

/** The head of a reply of the real API; its body follows. */
export interface UpstreamReply {
  readonly status: number
  /** Names and values in turn, as they were sent. */
  readonly fields: readonly string[]
  readonly body: AsyncIterable<Uint8Array>
  /** Takes the body, if all of it has arrived. */
  readonly whole?: (() => Uint8Array | undefined) | undefined
  /** The fields after the body, known when it has ended. */
  trailers(): Headers
}

/** The client of the real API. */
export interface Upstream {
  /** Resolves with the head of the reply. Rejects with an `UpstreamFailure`. */
  send(request: UpstreamRequest, settings: UpstreamSettings): Promise<UpstreamReply>
  /** Ends all connections. */
  close(): Promise<void>
}

/** The real API gave no reply. The message is for the client. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure'
  /** Whether it was too slow, and did not fail. */
  readonly late: boolean

  constructor(message: string, late: boolean) {
    super(message)
    this.late = late
  }
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])

/**
 * Returns why a request must not be sent to the real API, with what permits it; `undefined` if it may.
 *
 * @param isSafe whether the configuration says that the request changes nothing, as a log-in
 */
export function whyUnsent(
  { request: { method }, operation, world }: Exchange,
  { methods, world: writes }: UpstreamSettings,
  isSafe = false,
): string | undefined {
  if (!methods.has(method) && !methods.has(operation.method))
    return `${method} is not sent to the real API; add it to upstream.methods`
  if (isSafe || SAFE.has(method) || world.name === writes) return undefined
  return 'a world never writes to the real API; write forward: { safe: true } if this changes nothing'
}
