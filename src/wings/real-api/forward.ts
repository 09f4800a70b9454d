// Answers with the reply of the real API, which is passed on as it arrives (RFC 9110 §7.6).

import { type Exchange, type Handler, type PassOn, type Site, Slot, setting } from '../../behaviours/behaviour.ts'
import type { KeysOf } from '../../behaviours/respond/config.ts'
import type { Responder } from '../../behaviours/responder.ts'
import { inTurns } from '../../behaviours/turns.ts'
import { decodeQuery } from '../../contract/document/parameters.ts'
import { type Headers, problems, type Reply, refuse } from '../../kernel/http.ts'
import { joinFields } from '../../kernel/received.ts'
import { TRACE_FIELDS, traceOf } from '../../kernel/trace.ts'
import { monotonic } from '../../world/real-time.ts'
import { realApiObserver } from './observe.ts'
import { upstreamBlock } from './settings.ts'
import {
  type Upstream,
  UpstreamFailure,
  type UpstreamReply,
  type UpstreamRequest,
  type UpstreamSettings,
  whyUnsent,
} from './upstream.ts'

/** Fields of one connection (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

const VIA = '1.1 understudy'

const keys = {
  forward: setting.block(
    'The reply of the real API that `upstream` names. Deprecation, latency, faults, limits and rules apply to it.',
    {
      else: setting.choice(
        ['simulate'],
        'What answers if the real API does not, and to methods that are not sent to it: `simulate` is the reply beside `forward`, such as `create: books`, or else that of the contract. Default: 502, 504 or 501.',
      ),
      safe: setting.flag(
        'Whether the request changes nothing, as a log-in: then every world sends it, by a method in `upstream.methods`.',
      ),
    },
  ),
}
type ForwardConfig = KeysOf<typeof keys>

/** Set if the stand-in answers in place of the real API. */
const standsIn = new Slot<true>('stands-in')

/** Thrown where the stand-in answers in place of the real API, and the request must be checked for it. */
const INSTEAD = new Error('the stand-in answers')

/** `forward: {}`: the reply of the real API, instead of that of the stand-in or before it. */
export const forward: Responder<ForwardConfig> = {
  kind: 'forward',
  keys,
  changes: false,
  general: true,
  around: { written: 'forward: { else: simulate }', applies: config => config.forward?.else !== undefined },
  passesOn: config => (config.forward?.else === undefined ? passing => passing : passOnFirst),
  compile: (config, site, inner) => compileForward(config, inner(), site),
  describe: ({ forward }, inner) =>
    forward?.else === undefined ? 'forward' : `forward, else ${inner ?? forward.else}`,
}

const passOnFirst: PassOn = (passing, own, { recorded, maxBody, resources }) => {
  const simulate = recorded ? inTurns(maxBody, resources)(own) : own
  return async exchange => {
    exchange.passing = true
    try {
      return await passing(exchange)
    } catch (error) {
      if (error !== INSTEAD) throw error
      exchange.release?.()
      exchange.passing = false
      exchange.set(standsIn, true)
      return simulate(exchange)
    }
  }
}

/** @param simulate answers in its place, if the configuration says so: for methods that are not sent, and when there is no reply */
function compileForward({ forward = {} }: ForwardConfig, simulate: Handler, site: Site): Handler | undefined {
  const instead = forward.else === 'simulate'
  const upstream = site.settings(upstreamBlock)
  if (upstream === undefined) {
    site.error(
      'no-upstream',
      'there is no real API to forward to',
      ['forward'],
      'add upstream: { url: https://… }',
      'key',
    )
    return undefined
  }
  return async exchange => {
    const { headers } = exchange.request
    if (headers.upgrade !== undefined && /\bupgrade\b/i.test(`${headers.connection}`)) {
      return refuse(problems.not_simulated, 'a change of protocol is not sent to the real API')
    }
    const realApi = exchange.state(realApiObserver)
    const client = realApi?.client
    const answerInstead = () => {
      if (exchange.passing) throw INSTEAD
      return simulate(exchange)
    }
    // A trial in process has no way to the real API.
    if (client === undefined || exchange.get(standsIn)) return answerInstead()
    const why = whyUnsent(exchange, upstream, forward.safe)
    if (why !== undefined) {
      return instead ? answerInstead() : refuse(problems.not_simulated, `${why}, or forward: { else: simulate }`)
    }
    if (hasDotSegment(exchange.request.path)) return refuse(problems.invalid_request, DOT_SEGMENT_REFUSED)
    try {
      return await askRealApi(exchange, client, upstream)
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      exchange.note(`forward: ${error.message}`)
      if (instead) return answerInstead()
      return refuse(error.late ? problems.gateway_timeout : problems.bad_gateway, error.message)
    }
  }
}

async function askRealApi(exchange: Exchange, client: Upstream, settings: UpstreamSettings): Promise<Reply> {
  const { request } = exchange
  const body = request.hasBody ? request.stream?.() : undefined
  const started = monotonic()
  try {
    const hint = (fields: readonly string[]) => request.hint?.(linksOf(fields, exchange, settings))
    const sent = { ...upstreamRequest(exchange, settings), body, signal: request.signal, hint }
    return replyOf(await client.send(sent, settings), exchange, settings)
  } finally {
    exchange.awaited += monotonic() - started
  }
}

/**
 * Matches `..` and `.` between the characters that a server may read as the ends of a segment: `/a/..`, `/a/%2e%2e%2fb`, `/a/..\b`,
 * and `/a/..;x`, of which some servers drop the parameter first.
 */
const DOT_SEGMENT = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\;#]|%2f|%5c|%3b|$)/i

/** Whether a path has a segment that would leave the path of the real API, or reach another operation of it (RFC 3986 §5.2.4). */
export const hasDotSegment = (path: string): boolean => DOT_SEGMENT.test(path)

export const DOT_SEGMENT_REFUSED = 'the path has a "." or ".." segment, which is not sent to the real API'

/** Returns a query without the API keys that are not sent on. */
export function sentQuery(query: string, { withheld }: UpstreamSettings): string {
  if (withheld.size === 0 || query === '') return query
  const isSent = (pair: string) => !withheld.has(decodeQuery(pair.split('=', 1)[0] as string) ?? '')
  return query.split('&').filter(isSent).join('&')
}

/** Returns a request as it is sent on, but for its body. */
export function upstreamRequest(exchange: Exchange, settings: UpstreamSettings): UpstreamRequest {
  const { request, basePath } = exchange
  const base = basePath.slice((request.prefix ?? '').length)
  const below = request.path.startsWith(base) ? request.path.slice(base.length) : request.path
  const query = sentQuery(request.query, settings)
  const path = `${below || '/'}${query === '' ? '' : `?${query}`}`
  return { method: request.method, path, headers: headersOf(exchange, settings) }
}

/** Returns the fields that are sent on. */
export function headersOf({ request }: Exchange, { send, set }: UpstreamSettings): Headers {
  const headers: Record<string, string> = {}
  const dropped = namesListed(request.headers.connection)
  // The fields of a valid trace have no credential.
  const traceFields = traceOf(request.headers) === undefined ? [] : TRACE_FIELDS
  const isSent = (name: string) =>
    send.has(name) || (send.has('*') && !OWN_FIELDS.has(name)) || traceFields.includes(name)
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && isSent(name) && !HOP_BY_HOP.has(name) && !dropped.has(name)) headers[name] = `${value}`
  headers.via = request.headers.via === undefined ? VIA : `${request.headers.via}, ${VIA}`
  return Object.assign(headers, set)
}

/** Fields of a request that are made anew for the real API. */
const OWN_FIELDS = new Set(['host', 'expect'])

const namesListed = (field: string | string[] | undefined): ReadonlySet<string> =>
  field === undefined || field === 'keep-alive' || field === 'close'
    ? NO_NAMES
    : new Set(`${field}`.toLowerCase().split(/[\s,]+/))
const NO_NAMES: ReadonlySet<string> = new Set()

function replyOf(
  { status, fields, body, whole, trailers }: UpstreamReply,
  exchange: Exchange,
  settings: UpstreamSettings,
): Reply {
  const headers: Record<string, string> = {}
  const judging = exchange.state(realApiObserver)?.judging
  const repeated: (readonly [string, string])[] = []
  let connection: string | undefined
  for (let i = 0; i < fields.length; i += 2) {
    const name = (fields[i] as string).toLowerCase()
    const value = fields[i + 1] as string
    if (name === 'connection') connection = connection === undefined ? value : `${connection}, ${value}`
    if (HOP_BY_HOP.has(name)) continue
    const ours = readdress(name, value, exchange, settings)
    if (headers[name] === undefined && name !== 'set-cookie') headers[name] = ours
    else repeated.push([name, ours])
  }
  const dropped = namesListed(connection)
  for (const name of dropped) delete headers[name]
  headers.via = headers.via === undefined ? VIA : `${headers.via}, ${VIA}`
  headers['understudy-replied'] = 'upstream'
  const others = repeated.filter(([name]) => !dropped.has(name))
  return {
    status,
    headers,
    body: undefined,
    stream: { chunks: body, whole, fields: others, trailers, ...(judging && { judging }) },
  }
}

/** Returns the links of a 103. */
function linksOf(fields: readonly string[], exchange: Exchange, settings: UpstreamSettings): readonly string[] {
  const { link = '' } = joinFields(fields)
  const links = readdress('link', link, exchange, settings).split(/,\s*(?=<)/)
  return links.map(text => text.trimEnd())
}

/** The fields that may have addresses of the real API. */
const ADDRESSES = new Set(['location', 'content-location', 'link', 'set-cookie'])

/** Makes addresses of the real API in a field ours, if `upstream.rewrite` says so. */
function readdress(
  name: string,
  value: string,
  { basePath }: Exchange,
  { origin, path, rewrite }: UpstreamSettings,
): string {
  if (!rewrite || !ADDRESSES.has(name)) return value
  const ours = (address: string): string => {
    const local = address.startsWith(origin) ? address.slice(origin.length) : address
    const rest = local.slice(path.length)
    return local.startsWith(path) && /^\/(?!\/)/.test(local) && /^(?:$|[/?#])/.test(rest) ? basePath + rest : address
  }
  if (name === 'link') return value.replace(/<([^<>]*)>/g, (_, address: string) => `<${ours(address)}>`)
  if (name !== 'set-cookie') return ours(value)
  const local = value.replace(/;\s*domain=[^;]*/i, '')
  return local.replace(/(;\s*path=)(\/[^;\s]+)/i, (_, before: string, at: string) => before + (ours(at) || '/'))
}
