// Requests, replies and refusals, as the code below HTTP sees them.

import { isUtf8 } from 'node:buffer'
import { mapValues } from './json.ts'

/** A kind of refusal, with the fields that `errors.body` can use besides the detail. */
export interface Problem {
  /** Stable, in snake_case. Clients may branch on it. */
  readonly code: string
  /** The usual HTTP status; a contract that documents another may change it per operation. */
  readonly status: number
  readonly title: string
}

/** The status of each problem. */
const STATUSES = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  conflict: 409,
  in_flight: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  key_reused: 422,
  precondition_required: 428,
  too_many_requests: 429,
  header_fields_too_large: 431,
  internal_error: 500,
  invalid_reply: 500,
  not_simulated: 501,
  bad_gateway: 502,
  unavailable: 503,
  overloaded: 503,
  brown_out: 503,
  gateway_timeout: 504,
  version_not_supported: 505,
  insufficient_storage: 507,
} as const satisfies Record<string, number>

/** The titles that are not the code in words. */
const TITLES: Readonly<Record<string, string>> = {
  header_fields_too_large: 'Request header fields too large',
  unavailable: 'Service unavailable',
  brown_out: 'Brown-out',
  version_not_supported: 'HTTP version not supported',
}

const titleOf = (code: string): string => (code.charAt(0).toUpperCase() + code.slice(1)).replaceAll('_', ' ')

export const problems = mapValues(STATUSES, (status, code) => ({
  code,
  status,
  title: TITLES[code] ?? titleOf(code),
})) as Readonly<Record<keyof typeof STATUSES, Problem>>

/** Returns the problem for an error status, or the closest one. */
export function problemOf(status: number): Problem {
  // Most invalid requests that are a 422 have no key that could be reused.
  if (status === problems.key_reused.status) return problems.invalid_request
  const exact = Object.values(problems).find(one => one.status === status)
  return exact ?? (status < 500 ? problems.invalid_request : problems.unavailable)
}

/** A rule that a request breaks. */
export interface BrokenRule {
  /** The part of the request that breaks it. */
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body'
  /** In the body a JSON Pointer, `/items/0/name`; elsewhere the parameter's name, with a pointer into its value: `ids/0`. */
  readonly path: string
  /** The JSON Schema keyword, such as `required`, or one of our own, such as `reference`. */
  readonly rule: string
  /** The rest of a sentence that begins with the path: `is required`. */
  readonly message: string
}

/** Formats a broken rule: `query parameter limit must be at most 100`, `/name is required`. */
export function describeRule({ in: place, path, rule, message }: BrokenRule): string {
  if (place === 'body') return `${path || (rule === 'required' ? 'a body' : 'the body')} ${message}`
  return path === '' ? `the ${place} ${message}` : `${place} parameter ${path.replace('/', ' /')} ${message}`
}

/** A refusal of a request. The detail is a sentence for the client. */
export interface Refusal {
  readonly problem: Problem
  readonly status: number
  readonly detail: string
  /** The rules that an invalid request breaks; absent for other refusals. */
  readonly errors?: readonly BrokenRule[]
}

/** Header fields by lower-case name. */
export type Headers = Readonly<Record<string, string>>

/** The reply to a request. It is written to the wire after the whole chain has run. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array | undefined
  /** The length of the body in bytes, if it is already known. */
  readonly bytes?: number
  /** The refusal of a reply without a body. The behaviour `errors` writes the body. */
  readonly refusal?: Refusal
  /** This value answers many requests, so results computed from it are cached. */
  readonly standing?: boolean
  /** The fault that is applied to this reply on the wire. */
  readonly wire?: Wire
  /** The body of a reply that is passed on as it arrives; `body` is unset then. It is read once. */
  readonly stream?: ReplyStream
}

/** The body of another server's reply, and what only its wire can say. */
export interface ReplyStream {
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** Takes the body, if all of it has arrived. */
  readonly whole?: (() => Uint8Array | undefined) | undefined
  /** Further fields, of names that may be repeated: `set-cookie`. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The fields after the body, known when it has ended. */
  trailers(): Headers
  /** Set if the reply may be judged. */
  readonly judging?: Judging
  /** Set if the reply is judged; resolves once its body has been passed on. */
  readonly judged?: Promise<Judgement>
}

/** The time that judging the replies of a server may take, and the last bodies that were judged. */
export interface Judging {
  /** The server, in sentences: `the real API`. */
  readonly by: string
  /** Whether there is time left. */
  has(): boolean
  spend(milliseconds: number): void
  /** As they were sent, with their content encoding, and decoded. */
  readonly recent: (readonly [sent: Uint8Array, coding: string | undefined, body: Uint8Array])[]
}

/** Why a body was not read: the rest of a sentence that begins with it. */
export interface Unread {
  readonly why: string
  /** Whether it is not in its content encoding. */
  readonly corrupt: boolean
}

/** The outcome for a reply that was passed on. */
export interface Judgement {
  /** Its mistake, or why its body was not judged; unset if it conforms. */
  readonly text: string | undefined
  readonly breaks: boolean
  /** Without its content encoding. */
  readonly body: Uint8Array | Unread
}

/** A fault that is applied to a reply, or replaces it, on the wire. */
export type Wire =
  /** Reset the connection, end it without a reply, or send bytes that are not HTTP. The reply itself is not sent. */
  | { readonly kind: 'reset' | 'close' | 'garbage' }
  /** Send this many bytes of the body (default: half) under a `Content-Length` that announces all of it. */
  | { readonly kind: 'truncate'; readonly keep?: number }
  /** Send the body at this many bytes per second. */
  | { readonly kind: 'drip'; readonly rate: number }

export const NO_HEADERS: Headers = Object.freeze({})
export const JSON_TYPE = 'application/json'
export const JSON_HEADERS: Headers = Object.freeze({ 'content-type': JSON_TYPE })

/** Returns a `Retry-After` header in whole seconds (RFC 9110 §10.2.3). */
export const retryAfter = (milliseconds: number): Headers => ({ 'retry-after': `${Math.ceil(milliseconds / 1000)}` })

/** Makes a reply of a refusal. `status` is the problem's default unless the contract documents another. */
export function refuse(
  problem: Problem,
  detail: string,
  headers: Headers = NO_HEADERS,
  status = problem.status,
): Reply {
  return { status, headers, body: undefined, refusal: { problem, status, detail } }
}

/** Returns the reply with a sentence added to `Understudy-Warning`. */
export const withWarning = (reply: Reply, warning: string): Reply => {
  const before = reply.headers['understudy-warning']
  return withHeaders(reply, {
    'understudy-warning': fieldSentence(before === undefined ? warning : `${before}; ${warning}`),
  })
}

/** Returns the reply with `headers` added. On the same name the new value wins. */
export const withHeaders = (reply: Reply, headers: Headers): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})

/** Returns header fields by their lower-case names. */
export const lowerNames = (headers: object): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))

/** Returns the text with a question mark for each character that a header field must not contain (RFC 9110 §5.5). */
export const fieldText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

/** The same for a sentence: at most 500 characters. */
export const fieldSentence = (text: string): string => fieldText(text).slice(0, 500)

/** Returns a text as a quoted string (RFC 9110 §5.6.4). */
export const quotedString = (text: string): string => `"${fieldText(text).replace(/["\\]/g, '\\$&')}"`

/** A request. Its body has not been read yet. */
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
  /** Returns the body as it was sent, still compressed, while it arrives. `readBody` then returns a copy, once all has arrived. */
  readonly stream?: (() => AsyncIterable<Uint8Array>) | undefined
  /** Whether the whole body has arrived. Absent for a request without a wire. */
  readonly arrived?: boolean | undefined
  /** The peer's IP address. */
  readonly address: string
  /** The client's certificate from the TLS handshake, if any. */
  readonly certificate?: ClientCertificate | undefined
  /** The credential that an observer has examined, for the wing that brings both: see `Observer.prepare`. */
  readonly examined?: unknown
  /** Aborts when the client disconnects. Absent for a client that cannot disconnect. */
  readonly signal?: Leaving
  /** Sends the client a 103 (Early Hints) with these links, if it understands one. Absent for a client without a wire. */
  readonly hint?: ((links: readonly string[]) => void) | undefined
}

/** Says when a client leaves, as an `AbortSignal` does; making one of those takes 3 µs. */
export interface Leaving {
  readonly aborted: boolean
  addEventListener(event: 'abort', task: () => void): void
  removeEventListener(event: 'abort', task: () => void): void
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
  | {
      readonly bytes: Uint8Array
      /** The same before it was decompressed, if it was. */
      readonly raw?: Uint8Array | undefined
    }
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

  get examined(): unknown {
    return this.sent.examined
  }

  get signal(): Leaving | undefined {
    return this.sent.signal
  }

  get hint(): Request['hint'] {
    return this.sent.hint?.bind(this.sent)
  }

  readBody(maxBytes: number): Promise<BodyRead> {
    return this.sent.readBody(maxBytes)
  }

  get stream(): Request['stream'] {
    return this.sent.stream?.bind(this.sent)
  }

  get arrived(): boolean | undefined {
    return this.sent.arrived
  }
}

/** Returns the request with another query. */
export const withQuery = (request: Request, query: string): Request => new ForwardedRequest(request, query)

/** Without a byte order mark; what is not UTF-8 becomes U+FFFD. */
export const UTF8 = new TextDecoder()

/** Returns the text of some bytes without a byte order mark; `undefined` if they are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => (isUtf8(bytes) ? UTF8.decode(bytes) : undefined)
