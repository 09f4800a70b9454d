// A request as the floors below HTTP see it: what arrived, with the body still on the wire.

import type { Problem } from './problem.ts'
import type { Headers } from './reply.ts'

export interface Request {
  readonly method: string
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string
  /** The query as sent, without the question mark; empty where there is none. */
  readonly query: string
  /** By lower-case name, as Node has them: repeated fields joined by a comma. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Whether a body follows (RFC 9112 §6.3). */
  readonly hasBody: boolean
  /** Reads the body, decompressed, up to so many bytes. To be called once; never rejects. */
  readBody(maxBytes: number): Promise<BodyRead>
  /** Where it comes from: the peer's IP address. */
  readonly address: string
  /** The certificate that the client showed in the TLS handshake, if any. */
  readonly certificate?: ClientCertificate | undefined
  /** Aborts when the client goes away before its reply; made when first asked for. Absent: nobody can go away. */
  readonly signal?: AbortSignal
}

export interface ClientCertificate {
  /** Whether it comes from one of the authorities that are trusted. */
  readonly verified: boolean
  /** The attributes of its subject, their names in upper case: `['CN', 'ann']`. */
  readonly subject: readonly (readonly [name: string, value: string])[]
}

export type BodyRead =
  | { readonly bytes: Uint8Array }
  | { readonly problem: Problem; readonly detail: string; readonly headers: Headers }

/** The first of a header's occurrences, where Node keeps them apart. */
export const firstOf = (field: string | string[] | undefined): string | undefined =>
  Array.isArray(field) ? field[0] : field

/** A request that is handed on with something of it changed: a subclass says what. */
export class ForwardedRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  /** The request as it was handed over. */
  readonly sent: Request

  constructor(sent: Request, query = sent.query) {
    this.method = sent.method
    this.path = sent.path
    this.query = query
    this.headers = sent.headers
    this.sent = sent
  }

  get hasBody(): boolean {
    return this.sent.hasBody
  }

  get address(): string {
    return this.sent.address
  }

  get certificate(): ClientCertificate | undefined {
    return this.sent.certificate
  }

  get signal(): AbortSignal | undefined {
    return this.sent.signal
  }

  readBody(maxBytes: number): Promise<BodyRead> {
    return this.sent.readBody(maxBytes)
  }
}

/** The same request with another query. */
export const withQuery = (request: Request, query: string): Request => new ForwardedRequest(request, query)
