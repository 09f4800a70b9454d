// A request as the code below HTTP sees it. Its body has not been read yet.

import type { Problem } from './problem.ts'
import type { Headers } from './reply.ts'

export interface Request {
  readonly method: string
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string
  /** The path that the API is mounted below, which `path` does not have: `/mock`. Default: none. */
  readonly prefix?: string | undefined
  /** The query as sent, without the question mark; empty if there is none. */
  readonly query: string
  /** Header fields by lower-case name, as Node gives them: repeated fields are joined by a comma. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Whether a body follows (RFC 9112 §6.3). */
  readonly hasBody: boolean
  /** Reads and decompresses the body, up to `maxBytes`. A later call returns what the first one read. It never rejects. */
  readBody(maxBytes: number): Promise<BodyRead>
  /** The peer's IP address. */
  readonly address: string
  /** The client's certificate from the TLS handshake, if any. */
  readonly certificate?: ClientCertificate | undefined
  /** Aborts when the client disconnects before its reply. Made on first use. Absent for a client that cannot disconnect. */
  readonly signal?: AbortSignal
}

/** Replaces a request that could not be read. */
export const unreadRequest: Request = {
  method: '',
  path: '',
  query: '',
  headers: {},
  hasBody: false,
  readBody: async () => ({ bytes: new Uint8Array() }),
  address: '',
}

export interface ClientCertificate {
  /** Whether one of the trusted authorities issued it. */
  readonly verified: boolean
  /** The attributes of its subject, their names in upper case: `['CN', 'ann']`. */
  readonly subject: readonly (readonly [name: string, value: string])[]
}

export type BodyRead =
  | { readonly bytes: Uint8Array }
  | { readonly problem: Problem; readonly detail: string; readonly headers: Headers }

/** Returns the first value of a header that Node gives as a list. */
export const firstOf = (field: string | string[] | undefined): string | undefined =>
  Array.isArray(field) ? field[0] : field

/** A request that is passed on with one part changed; each subclass overrides that part. */
export class ForwardedRequest implements Request {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Request['headers']
  /** The request before the change. */
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

  get prefix(): string | undefined {
    return this.sent.prefix
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

/** Returns the request with another query. */
export const withQuery = (request: Request, query: string): Request => new ForwardedRequest(request, query)
