// Reads JSON of the real API for the responders: with the credentials that `upstream` sends on, and again from what was read a
// moment ago. Only ever sends GET.

import type { Exchange } from '../../behaviours/behaviour.ts'
import { type Headers, NO_HEADERS, problemOf, problems, type Reply, refuse } from '../../kernel/http.ts'
import { type Json, parseJson } from '../../kernel/json.ts'
import { receive } from '../../kernel/received.ts'
import { TRACE_FIELDS } from '../../kernel/trace.ts'
import { DOT_SEGMENT_REFUSED, hasDotSegment, headersOf } from './forward.ts'
import { realApiObserver } from './observe.ts'
import { UpstreamFailure, type UpstreamSettings } from './upstream.ts'
import type { UpstreamRecords, UpstreamText } from './upstream-records.ts'

/** The real API has not answered as it must: the reply to the client instead. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly reply: Reply

  constructor(reply: Reply) {
    super(reply.refusal?.detail)
    this.reply = reply
  }
}

/** Refuses because of a reply that cannot be used. */
export const unusable = (path: string, why: string): UpstreamFault =>
  new UpstreamFault(refuse(problems.bad_gateway, `the real API answered GET ${path} ${why}`))

/** The bytes of the largest reply that is read. */
const LARGEST = 16_000_000

/** The fields of a request that are about its own body, or about the reply that its client has. */
const OWN_FIELDS = /^(?:content-.*|if-.*|range|accept|accept-encoding)$/

/**
 * Reads JSON of the real API. Throws `UpstreamFault` if there is no reply to use.
 *
 * @returns `value` is undefined if the real API has nothing there; `age` is that of the reply in seconds
 */
export async function readRealApi(
  path: string,
  exchange: Exchange,
  { kept }: UpstreamRecords,
  settings: UpstreamSettings,
) {
  const own = Object.entries(headersOf(exchange, settings)).filter(([name]) => !OWN_FIELDS.test(name))
  const headers = { ...Object.fromEntries(own), accept: 'application/json', 'accept-encoding': 'identity' }
  // Another caller may be shown other records, but not another trace of the same caller.
  const key = `${path}\n${JSON.stringify(own.filter(([name]) => !TRACE_FIELDS.includes(name)))}`
  const known = kept?.get(key)
  const age = known && kept ? (kept.ttl - kept.getRemainingTTL(key)) / 1000 : 0
  const reply = known ?? (await fetchText(path, exchange, headers, settings))
  const value = usableValue(reply, path)
  if (known === undefined) kept?.set(key, reply)
  return { value, headers: reply.headers, age }
}

async function fetchText(
  path: string,
  exchange: Exchange,
  headers: Headers,
  settings: UpstreamSettings,
): Promise<UpstreamText> {
  const { request } = exchange
  const client = exchange.state(realApiObserver)?.client
  if (hasDotSegment(path.split('?', 1)[0] as string)) {
    throw new UpstreamFault(refuse(problems.invalid_request, DOT_SEGMENT_REFUSED))
  }
  try {
    if (client === undefined) throw new UpstreamFailure('the real API cannot be reached from here', false)
    const sent = await client.send({ method: 'GET', path, headers, signal: request.signal }, settings)
    const { headers: received, body } = await receive(sent, LARGEST)
    if ('why' in body) throw unusable(path, `with a body that ${body.why}`)
    return { status: sent.status, headers: received, text: Buffer.from(body).toString() }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    throw new UpstreamFault(refuse(error.late ? problems.gateway_timeout : problems.bad_gateway, error.message))
  }
}

function usableValue({ status, headers, text }: UpstreamText, path: string): Json | undefined {
  if (status === 404 || status === 410) return undefined
  if (status === 401 || status === 403 || status === 429) {
    const later = headers['retry-after']
    const detail = `the real API answered GET ${path} with ${status}`
    throw new UpstreamFault(
      refuse(problemOf(status), detail, later === undefined ? NO_HEADERS : { 'retry-after': later }),
    )
  }
  if (status !== 200) throw unusable(path, `with ${status}`)
  const parsed = parseJson(text, true)
  if ('fault' in parsed) throw unusable(path, `with a body that is not JSON: it ${parsed.fault}`)
  return parsed.value
}
