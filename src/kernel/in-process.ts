// Requests that are sent in process, without a socket.

import { type ClientCertificate, NO_HEADERS, problems, type Request } from './http.ts'

/** The parts of a request that is sent in process. */
interface RequestParts {
  readonly method: string
  /** Base path included. */
  readonly path: string
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly certificate?: ClientCertificate | undefined
  readonly examined?: unknown
}

export interface InProcessRequest extends Request {
  readonly headers: Readonly<Record<string, string>>
  /** Its body; empty if it has none. */
  readonly text: string
}

export function inProcess({ query = '', body, ...parts }: RequestParts): InProcessRequest {
  const bytes = new TextEncoder().encode(body ?? '')
  return {
    ...parts,
    query,
    text: body ?? '',
    address: '127.0.0.1',
    hasBody: body !== undefined,
    async readBody(maxBytes) {
      if (bytes.length <= maxBytes) return { bytes }
      const detail = `the body is larger than ${maxBytes} bytes`
      return { problem: problems.payload_too_large, detail, headers: NO_HEADERS }
    },
  }
}
