// The reply to a request as a value. It is written to the wire after the whole chain has run.

import type { Problem, Refusal } from './problem.ts'

/** Header fields by lower-case name. */
export type Headers = Readonly<Record<string, string>>

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

/** Returns the text with a question mark for each character that a header field must not contain (RFC 9110 §5.5). */
export const fieldText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

/** The same for a sentence: at most 500 characters. */
export const fieldSentence = (text: string): string => fieldText(text).slice(0, 500)

/** Returns a text as a quoted string (RFC 9110 §5.6.4). */
export const quotedString = (text: string): string => `"${fieldText(text).replace(/["\\]/g, '\\$&')}"`
