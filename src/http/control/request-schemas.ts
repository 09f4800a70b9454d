// The schemas of the journal's requests, as the description of the control plane shows them.

import { count, list, object, words } from './schemas.ts'

const milliseconds = { type: 'number', minimum: 0 }
const timestamp = { type: 'string', format: 'date-time' }
const bodySchema = object({ text: { ...words, description: 'The beginning.' }, bytes: count })

export const requestSchema = object(
  {
    id: { type: 'integer', minimum: 1, description: 'The number of the request in this process.' },
    at: { ...timestamp, description: 'When the reply was ready, by the real clock.' },
    time: { ...timestamp, description: "The same by the world's clock." },
    world: words,
    operation: { type: ['string', 'null'], description: 'null if the request matched no operation.' },
    consumer: { type: ['string', 'null'], description: 'null if the consumer is unknown.' },
    method: words,
    path: words,
    query: { ...words, description: 'Credentials are masked, here and everywhere.' },
    status: { type: 'integer', description: '0 if a fault left the client without a reply.' },
    durationMs: milliseconds,
    position: { ...count, description: 'Of its changes in the history of its world: see GET /worlds/{name}/history.' },
    refusal: object({ code: words, rule: { ...words, description: 'What was violated.' } }),
    injected: object(
      { weather: words, delayMs: milliseconds, queued: { const: true }, fault: words, notes: list(words) },
      ...['weather', 'delayMs', 'queued', 'fault', 'notes'],
    ),
    explanation: object({
      route: words,
      operation: words,
      world: words,
      real: { type: 'boolean', description: 'Whether the clock showed real time.' },
      ordinal: { ...count, description: 'Which request of the operation it was in its world.' },
      passed: { ...list(words), description: 'The behaviours that the request passed; the last one replied.' },
      replied: words,
      draws: { type: 'object', additionalProperties: { type: 'number' }, description: 'By purpose.' },
    }),
    headers: { type: 'object', additionalProperties: words, description: 'The headers of the request that are kept.' },
    replyHeaders: { type: 'object', additionalProperties: words, description: 'Kept while a client watches.' },
    requestBody: bodySchema,
    replyBody: bodySchema,
  },
  ...['position', 'refusal', 'injected', 'explanation', 'headers', 'replyHeaders', 'requestBody', 'replyBody'],
)

const evicted = { ...count, description: 'The number of requests that were removed to make room.' }

export const pageSchema = object({
  requests: list(requestSchema),
  total: { ...count, description: 'The number of matching requests, shown or not.' },
  more: { type: 'boolean', description: 'Whether more match than are shown; `limit` shows more of them.' },
  evicted,
})

export const verdictSchema = object(
  {
    ok: { type: 'boolean', description: 'Whether as many matched as should have.' },
    matched: count,
    min: count,
    max: count,
    evicted,
    nearest: list(
      object({ differs: list(object({ key: words, wanted: words, found: words })), request: requestSchema }),
    ),
    requests: { ...list(requestSchema), description: 'If too many matched: the last of them.' },
  },
  'max',
)
