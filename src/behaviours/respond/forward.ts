// Answers with the reply of the real API, which is passed on as it arrives (RFC 9110 §7.6).

import { type Headers, problems, type Reply, refuse } from '../../kernel/http.ts'
import { monotonic } from '../../world/clock.ts'
import type { Exchange, Handler, Site, UpstreamSettings } from '../behaviour.ts'
import { UpstreamFailure, type UpstreamReply } from '../exchange.ts'

/** Fields of one connection (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])

const VIA = '1.1 understudy'

/**
 * Compiles the responder.
 *
 * @param simulate answers in its place: for methods that are not sent, and if `instead` says so when there is no reply
 */
export function compileForward(instead: boolean, simulate: Handler, site: Site): Handler | undefined {
  const { upstream, operation } = site
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
  const { method } = operation
  const unsent = (why: string): Reply =>
    refuse(problems.not_simulated, `${why}; add it to upstream.methods, or write forward: { else: simulate }`)
  return async exchange => {
    const { method: sent, headers } = exchange.request
    if (headers.upgrade !== undefined && /\bupgrade\b/i.test(`${headers.connection}`)) {
      return refuse(problems.not_simulated, 'a change of the protocol is not sent to the real API')
    }
    if (!upstream.methods.has(sent) && !upstream.methods.has(method)) {
      return instead ? simulate(exchange) : unsent(`${sent} is not sent to the real API`)
    }
    if (!SAFE.has(sent) && exchange.world.name !== upstream.world) {
      return instead ? simulate(exchange) : unsent(`a world never writes to the real API`)
    }
    try {
      return await askRealApi(exchange, upstream)
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      exchange.note(`forward: ${error.message}`)
      if (instead) return simulate(exchange)
      return refuse(error.late ? problems.gateway_timeout : problems.bad_gateway, error.message)
    }
  }
}

async function askRealApi(exchange: Exchange, settings: UpstreamSettings): Promise<Reply> {
  const { request, upstream } = exchange
  if (upstream === undefined) throw new UpstreamFailure('the real API cannot be reached from here', false)
  const base = exchange.basePath.slice((request.prefix ?? '').length)
  const path = request.path.startsWith(base) ? request.path.slice(base.length) : request.path
  const target = `${path || '/'}${request.query === '' ? '' : `?${request.query}`}`
  const body = request.hasBody ? request.stream?.() : undefined
  const { method, signal } = request
  const started = monotonic()
  try {
    const sent = { method, path: target, headers: headersOf(exchange, settings), body, signal }
    return replyOf(await upstream.send(sent, settings), exchange, settings)
  } finally {
    exchange.awaited += monotonic() - started
  }
}

/** Returns the fields that are sent on. */
export function headersOf({ request }: Exchange, { send, set }: UpstreamSettings): Headers {
  const headers: Record<string, string> = {}
  const dropped = namesListed(request.headers.connection)
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || !send.has(name) || HOP_BY_HOP.has(name) || dropped.has(name)) continue
    headers[name] = Array.isArray(value) ? value.join(name === 'cookie' ? '; ' : ', ') : value
  }
  if (request.hasBody && request.headers['content-length'] !== undefined) {
    headers['content-length'] = String(request.headers['content-length'])
  }
  headers.via = request.headers.via === undefined ? VIA : `${request.headers.via}, ${VIA}`
  return Object.assign(headers, set)
}

const namesListed = (field: string | string[] | undefined): ReadonlySet<string> =>
  new Set([field ?? []].flat().flatMap(one => one.toLowerCase().split(/[\s,]+/)))

function replyOf(
  { status, fields, body, trailers }: UpstreamReply,
  exchange: Exchange,
  settings: UpstreamSettings,
): Reply {
  const headers: Record<string, string> = {}
  const repeated: (readonly [string, string])[] = []
  const at = (name: string) =>
    fields.flatMap((field, i) => (i % 2 === 0 && field.toLowerCase() === name ? [fields[i + 1] as string] : []))
  const dropped = namesListed(at('connection'))
  const readdress = settings.rewrite ? addressing(exchange, settings) : undefined
  for (let i = 0; i < fields.length; i += 2) {
    const name = (fields[i] as string).toLowerCase()
    if (HOP_BY_HOP.has(name) || dropped.has(name)) continue
    const value = readdress?.(name, fields[i + 1] as string) ?? (fields[i + 1] as string)
    if (headers[name] === undefined && name !== 'set-cookie') headers[name] = value
    else repeated.push([name, value])
  }
  headers.via = headers.via === undefined ? VIA : `${headers.via}, ${VIA}`
  headers['understudy-replied'] = 'upstream'
  return { status, headers, body: undefined, stream: { chunks: body, fields: repeated, trailers } }
}

/** Returns a function that makes addresses of the real API in a field ours; `undefined` where there are none. */
function addressing(
  exchange: Exchange,
  { origin, path }: UpstreamSettings,
): (name: string, value: string) => string | undefined {
  const ours = (address: string): string => {
    const local = address.startsWith(`${origin}/`) || address === origin ? address.slice(origin.length) : address
    if (!local.startsWith('/') || local.startsWith('//')) return address
    if (path !== '' && local !== path && !/^[/?#]/.test(local.slice(path.length))) return address
    return local.startsWith(path) ? exchange.basePath + local.slice(path.length) : address
  }
  return (name, value) => {
    if (name === 'location' || name === 'content-location') return ours(value)
    if (name === 'link') return value.replace(/<([^>]*)>/g, (_, address: string) => `<${ours(address)}>`)
    if (name === 'set-cookie') return value.replace(/;\s*domain=[^;]*/i, '')
    return undefined
  }
}
