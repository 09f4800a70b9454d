// Requests that the control plane sends itself, in process: a try of an operation, or a request of the journal once more.

import { Vouched } from '../../behaviours/consumer.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { describeEntry, type RecordedRequest } from '../../gateway/journal/entry.ts'
import type { JournalEntry } from '../../gateway/journal/journal.ts'
import { decodeUtf8, ForwardedRequest, type Reply, type Request } from '../../kernel/http.ts'
import { inProcess } from '../../kernel/in-process.ts'
import { carried, credentialOf } from '../../plan/credentials.ts'
import type { Plan } from '../../plan/plan.ts'
import { sentHeaders } from './curl.ts'
import type { Sending, SendResult } from './types.ts'

/** Sends a request through the gateway. The journal keeps all of it. */
export async function send(gateway: Gateway, sending: Sending): Promise<SendResult> {
  const request = requestFrom(withCredential(sending, gateway.plan))
  let recorded: RecordedRequest | null = null
  const stopWatching = gateway.journal.watch()
  const stopListening = gateway.journal.listen((entry, met) => {
    if (senderOrigin(met) === request) recorded = describeEntry(entry)
  })
  try {
    const reply = await gateway.handle(request)
    return { request: recorded, reply: describeReply(reply) }
  } finally {
    stopListening()
    stopWatching()
  }
}

function requestFrom({ method, path, query = '', headers = {}, body, world, time, consumer }: Sending): Request {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return inProcess({
    method,
    path,
    query,
    body,
    examined: consumer === undefined ? undefined : new Vouched(consumer),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...Object.fromEntries(given),
      ...(world === undefined ? {} : { 'understudy-world': world }),
      ...(time === undefined ? {} : { 'understudy-time': time }),
    },
  })
}

/** Adds the credential of a consumer if the operation requires one. */
function withCredential(sending: Sending, plan: Plan): Sending {
  const { consumer, credential: wanted, method, path, headers = {}, query = '' } = sending
  const operation = plan.find(method, path)?.target.planned.operation
  if ((consumer === undefined && wanted === undefined) || operation === undefined) return sending
  const credential = carried(credentialOf(consumer, operation, plan))
  const pairs = credential.query.map(pair => pair.map(encodeURIComponent).join('='))
  return {
    ...sending,
    headers: { ...headers, ...credential.headers },
    query: [query, ...pairs].filter(part => part !== '').join('&'),
  }
}

/** Returns the request as it was before it was passed on. */
function senderOrigin(request: Request): Request {
  let origin = request
  while (origin instanceof ForwardedRequest) origin = origin.sent
  return origin
}

function describeReply({ status, headers, body, wire }: Reply): SendResult['reply'] {
  const text = typeof body === 'object' ? decodeUtf8(body) : body
  const isBinary = typeof body === 'object' && text === undefined
  return {
    status,
    headers,
    body: isBinary ? Buffer.from(body).toString('base64') : (text ?? null),
    ...(isBinary ? { base64: true as const } : {}),
    wire: wire?.kind,
  }
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Sends a request of the journal again.
 *
 * @param world the world to send it to; default: its world
 * @returns a sentence if the journal lacks data for it
 */
export async function replay(gateway: Gateway, entry: JournalEntry, world = entry.world): Promise<SendResult | string> {
  const { method, path, query, requestBody, consumer } = entry
  const headers = sentHeaders(entry)
  const kept = headers?.host !== undefined || entry.headers?.host !== undefined
  if (requestBody?.cut) return 'only the beginning of its body was kept'
  if (requestBody === undefined && WITH_BODY.has(method) && !kept) {
    return 'the journal did not keep its headers and body; configure journal: { headers: true, bodies: 64kB }, or watch with GET /requests/stream?headers=true'
  }
  const sending: Sending = {
    method,
    path,
    query,
    world,
    headers,
    body: requestBody?.text,
    // Headers that were kept hold the credential already.
    consumer: kept ? undefined : consumer,
  }
  return send(gateway, sending)
}
