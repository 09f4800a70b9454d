// The answer to a request, as a value: nothing is written before the whole chain has had its say.

import type { Problem, Refusal } from './problem.ts'

/** Header fields by lower-case name. */
export type Headers = Readonly<Record<string, string>>

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array | undefined
  /** The length of the body in bytes, where it is known already. */
  readonly bytes?: number
  /** Set where the reply is a refusal that has no body yet: `errors` gives it one. */
  readonly refusal?: Refusal
  /** Set where this very value answers many requests: what is made of it is worth keeping. */
  readonly standing?: boolean
  /** Set where the client is not to get it as it stands. */
  readonly wire?: Wire
}

/** What is done to a reply, or instead of it, on the wire. */
export type Wire =
  /** A reset, an end without a word, or bytes that are not HTTP: the rest of the reply does not matter then. */
  | { readonly kind: 'reset' | 'close' | 'garbage' }
  /** So many bytes of the body, half of it by default, below a `Content-Length` that promises all. */
  | { readonly kind: 'truncate'; readonly keep?: number }
  /** The body at so many bytes a second. */
  | { readonly kind: 'drip'; readonly rate: number }

export const NO_HEADERS: Headers = Object.freeze({})
export const JSON_TYPE = 'application/json'
export const JSON_HEADERS: Headers = Object.freeze({ 'content-type': JSON_TYPE })

/** A refusal as a reply. `status` is the problem's own unless the contract documents another. */
export function refuse(
  problem: Problem,
  detail: string,
  headers: Headers = NO_HEADERS,
  status = problem.status,
): Reply {
  return { status, headers, body: undefined, refusal: { problem, status, detail } }
}

/** A text as a header field may carry it: printable ASCII, 500 characters at most. */
export const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500)

/** The reply with a sentence more in `Understudy-Warning`. */
export const withWarning = (reply: Reply, warning: string): Reply => {
  const before = reply.headers['understudy-warning']
  return withHeaders(reply, {
    'understudy-warning': printable(before === undefined ? warning : `${before}; ${warning}`),
  })
}

/** The reply with more headers; those it has already win nothing and lose nothing but their name's twin. */
export const withHeaders = (reply: Reply, headers: Headers): Reply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
})
