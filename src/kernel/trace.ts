// Reads which trace a request belongs to (W3C Trace Context). No span is made: the fields are passed on as they are.

import type { Request } from './http.ts'

/** The version, the ids of trace and parent, the flags, and what later versions add (§3.2.2). */
const TRACEPARENT = /^(?!ff|00-.{53})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/

/** Returns the id of the trace; `undefined` without a valid `traceparent`. */
export function traceOf({ traceparent }: Request['headers']): string | undefined {
  return traceparent === undefined ? undefined : TRACEPARENT.exec(`${traceparent}`)?.[1]
}

/** The fields that belong to a trace. */
export const TRACE_FIELDS: readonly string[] = ['traceparent', 'tracestate']

export const isTraceId = (text: string): boolean => /^(?!0{32})[\da-f]{32}$/.test(text)

export const TRACEPARENT_IGNORED =
  'traceparent was ignored; it must be 00-, 32 digits for the trace, 16 for its parent and 2 flags, in lower-case hexadecimal'
