// Finds HTTP mistakes that Node's parser accepts, and requests that must be the last of their connection. Both planes check
// this first.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Problem, problems } from '../kernel/http.ts'

export type MessageFault = readonly [problem: Problem, detail: string]

/** Finds the fault of a request; `undefined` for a sound one. */
export function findMessageFault(req: IncomingMessage, res: ServerResponse): MessageFault | undefined {
  const { httpVersionMajor, httpVersionMinor, rawHeaders, headers } = req
  if (httpVersionMajor !== 1) {
    // The peer frames its messages by other rules.
    res.shouldKeepAlive = false
    return OTHER_VERSION
  }
  const { host, 'transfer-encoding': coding, upgrade, connection } = headers
  // No protocol is switched to (RFC 9110 §7.8), but Node's parser drops the bytes that arrived behind such a request.
  if (upgrade !== undefined && /\bupgrade\b/i.test(connection ?? '')) res.shouldKeepAlive = false
  if (host === undefined) {
    if (httpVersionMinor > 0) return [problems.invalid_request, 'the request has no Host field']
  } else if (!HOST.test(host)) return [problems.invalid_request, 'the Host field is not a valid host']
  // Node keeps the first of several; a proxy in front of it may have gone by another (RFC 9112 §3.2).
  if (hasTwoHosts(rawHeaders)) return [problems.invalid_request, 'the request has more than one Host field']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    // Nothing says where such a body ends, so that no further request can be found behind it (RFC 9112 §6.3).
    if (!/(?:^|,)\s*chunked\s*$/i.test(coding)) res.shouldKeepAlive = false
    return [problems.not_simulated, 'the transfer coding is not supported; use chunked']
  }
  if ((req.url as string).includes('#')) return [problems.invalid_request, 'the request target has a fragment']
  return undefined
}

const OTHER_VERSION: MessageFault = [problems.version_not_supported, 'the HTTP version is not supported; use HTTP/1.1']

const MALFORMED: MessageFault = [problems.invalid_request, 'the request is not well-formed HTTP']

/** The refusal of bytes that Node's parser gave up on, by its error. */
export function faultOfParser({ code, reason }: NodeJS.ErrnoException & { readonly reason?: string }): MessageFault {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [problems.header_fields_too_large, 'the request line and headers are too large']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [problems.request_timeout, 'the request did not arrive in time']
    case 'HPE_INVALID_METHOD':
      return [problems.not_simulated, 'unknown method']
    case 'HPE_PAUSED_H2_UPGRADE':
      // `PRI * HTTP/2.0`, the first line of an HTTP/2 client without TLS (RFC 9113 §3.4).
      return OTHER_VERSION
    case 'HPE_INVALID_VERSION':
      // The parser has the same code for a version that is followed by a bare line feed.
      return reason?.includes('CRLF') ? MALFORMED : OTHER_VERSION
    default:
      return MALFORMED
  }
}

/** RFC 9110 §7.2: `uri-host [ ":" port ]`, which may be empty. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  // Few other names are as long, so that most requests need no comparison.
  let candidates = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if ((rawHeaders[i] as string).length === 4) candidates += 1
  return candidates > 1 && rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1
}
