// Exchanges as they were kept: by a journal, or in a HAR file.

import type { RecordedBody, RecordedRequest } from '../../gateway/journal/entry.ts'
import type { HarMessage } from '../../gateway/journal/har.ts'
import { parseTime } from '../../world/dates.ts'
import type { RecordedExchange } from '../project/har.ts'
import type { KeptBody, KeptExchange } from './judge.ts'

/** Returns an entry of a journal as a kept exchange. */
export function keptOfEntry(entry: RecordedRequest): KeptExchange {
  const { method, path, query, consumer, headers, replyHeaders, requestBody, replyBody, status, at } = entry
  const length = headers?.['content-length'] ?? (headers?.['transfer-encoding'] === undefined ? '0' : '1')
  const mayHaveBody = headers === undefined ? !/^(?:GET|HEAD|DELETE)$/.test(method) : length !== '0'
  return {
    method,
    path,
    query,
    headers,
    status,
    replyHeaders,
    consumer: consumer ?? undefined,
    at: parseTime(at),
    body: requestBody === undefined ? (mayHaveBody ? NOT_KEPT : undefined) : keptText(requestBody),
    replyBody: replyBody === undefined ? NOT_KEPT : keptText(replyBody),
  }
}

const NOT_KEPT = { lost: 'not kept' }

const keptText = ({ text, bytes }: RecordedBody): KeptBody =>
  Buffer.byteLength(text) < bytes && !text.includes('***') ? { lost: 'cut' } : text

/** Returns an exchange of a recording. Where it does not name the caller, the credential tells. */
export function keptOfRecording({ method, path, query, at, request, reply, consumer }: RecordedExchange): KeptExchange {
  const bodyOf = ({ body, isPartial }: HarMessage): KeptBody =>
    isPartial ? NOT_KEPT : typeof body === 'object' ? { lost: 'not text' } : body
  return {
    method,
    path,
    query,
    at,
    consumer,
    status: reply.status,
    headers: request.headers,
    replyHeaders: reply.headers,
    body: bodyOf(request),
    replyBody: bodyOf(reply),
  }
}
