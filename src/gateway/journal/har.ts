// Writes the requests of the journal, and other exchanges, as HAR 1.2.

import type { Entry } from 'har-format'
import type { Headers } from '../../kernel/http.ts'
import { parseTime, timestamp } from '../../world/dates.ts'
import type { RecordedBody, RecordedRequest } from './entry.ts'

/** A request and its reply, as a recording has them. */
export interface HarExchange {
  /** When it began, in milliseconds. */
  readonly at: number
  /** Milliseconds until the reply began; of the whole exchange, if only that is known. */
  readonly latency: number
  readonly method: string
  /** `https://api.example.com:8443` */
  readonly origin: string
  /** The path as sent, still percent-encoded. */
  readonly path: string
  /** Without the question mark. */
  readonly query: string
  readonly request: HarMessage
  readonly reply: HarMessage & { readonly status: number }
  /** The name of the consumer that sent it: `_consumer` in an entry. */
  readonly consumer?: string | undefined
}

export interface HarMessage {
  /** By lower-case name; repeated fields are joined by a comma. */
  readonly headers: Headers
  /** As text if it is UTF-8, without its content encoding; unset if there is none. */
  readonly body: string | Uint8Array | undefined
  /** Whether it had a body that the recording does not contain. */
  readonly isPartial: boolean
}

/** Returns an exchange as an entry of HAR. */
export function entryOf(exchange: HarExchange): Entry {
  const { at, method, origin, path, query, latency, request, reply, consumer } = exchange
  const listOf = (headers: Headers) => Object.entries(headers).map(([name, value]) => ({ name, value }))
  const common = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 }
  const [sent, got] = [harContentOf(request), harContentOf(reply)]
  const mimeType = (message: HarMessage) => message.headers['content-type'] ?? ''
  // A request has no encoding in HAR 1.2, so bytes that are not text are left out.
  const { text, size, ...more } = sent
  const postData = size === 0 ? {} : { postData: { mimeType: mimeType(request), text: text ?? '', ...more } }
  const timings = { send: 0, wait: latency, receive: 0 }
  return {
    startedDateTime: timestamp(at),
    time: latency,
    request: {
      ...common,
      method,
      url: `${origin}${path}${query === '' ? '' : `?${query}`}`,
      headers: listOf(request.headers),
      queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
      bodySize: size,
      ...postData,
    },
    response: {
      ...common,
      status: reply.status,
      statusText: '',
      redirectURL: reply.headers.location ?? '',
      headers: listOf(reply.headers),
      content: { mimeType: mimeType(reply), ...got },
      bodySize: got.size,
    },
    cache: {},
    timings,
    ...(consumer === undefined ? {} : { _consumer: consumer }),
  }
}

/** The body of a message, as HAR has it. */
function harContentOf({ body, isPartial }: HarMessage) {
  if (body === undefined) return { size: isPartial ? -1 : 0 }
  if (typeof body === 'string') return { size: Buffer.byteLength(body), text: body }
  return { size: body.length, text: Buffer.from(body).toString('base64'), encoding: 'base64' }
}

/** The text after the last entry. */
export const END = '\n]}}\n'

/** The text of a HAR before its first entry. */
export const harHead = (version: string): string =>
  `{"log":{"version":"1.2","creator":{"name":"understudy","version":${JSON.stringify(version)}},"entries":[`

/** Returns the text of a whole HAR. */
export const writeHar = (entries: readonly Entry[], version: string): string =>
  `${harHead(version)}\n${entries.map(entry => JSON.stringify(entry)).join(',\n')}${END}`

/** The entry of a HAR for a request of the journal. */
export function harEntryOf(request: RecordedRequest): Entry {
  const { at, durationMs, method, path, query, status, headers, replyHeaders, requestBody, replyBody, consumer } =
    request
  const messageOf = (fields: RecordedRequest['headers'] = {}, body: RecordedBody | undefined): HarMessage => {
    const isWhole = body !== undefined && Buffer.byteLength(body.text) === body.bytes
    // The fields of replies are kept while somebody watches.
    const type = fields['content-type'] ?? (isWhole && /^\s*[[{]/.test(body.text) ? 'application/json' : undefined)
    return {
      headers: type === undefined ? fields : { ...fields, 'content-type': type },
      body: isWhole && body.bytes > 0 ? body.text : undefined,
      isPartial: !isWhole,
    }
  }
  return entryOf({
    at: parseTime(at) - durationMs,
    latency: durationMs,
    method,
    path,
    query,
    origin: `http://${headers?.host ?? 'localhost'}`,
    request: messageOf(headers, requestBody),
    reply: { ...messageOf(replyHeaders, replyBody), status },
    consumer: consumer ?? undefined,
  })
}
