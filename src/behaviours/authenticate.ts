// Who calls: the contract's security schemes, against the consumers of the simulation. Before the body is read.

import type { SecurityScheme } from '../contract/contract.ts'
import { cookieValues, decodeQuery, splitQuery } from '../contract/parameters.ts'
import { problems } from '../kernel/problem.ts'
import { type Reply, refuse } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import type { Behaviour, Consumer, Site } from './behaviour.ts'

export interface AuthenticateConfig {
  readonly realm?: string
}

export const authenticate: Behaviour<AuthenticateConfig> = {
  name: 'authenticate',
  problems: [problems.unauthorized],
  schema: {
    type: 'object',
    description: "Holds callers to the contract's security; null lets everybody in.",
    additionalProperties: false,
    properties: {
      realm: { type: 'string', description: 'In `WWW-Authenticate`. Default: the title of the contract.' },
    },
  },
  compile(config, site) {
    const { security } = site.operation
    if (security.length === 0) return undefined
    const anonymous = security.some(alternative => alternative.length === 0)
    const checks = security
      .filter(alternative => alternative.length > 0)
      .map(alternative => alternative.flatMap(name => compileScheme(name, site)))
    const refusal = compileRefusals(config?.realm ?? site.contract.title, site)
    return next => exchange => {
      let worst: Verdict | undefined
      for (const alternative of checks) {
        const verdict = judge(alternative, exchange.request, exchange.clock.now())
        if (typeof verdict !== 'string') {
          exchange.consumer = verdict.name
          return next(exchange)
        }
        if (worst === undefined || worst === 'missing') worst = verdict
      }
      return anonymous ? next(exchange) : Promise.resolve(refusal(worst as Refused))
    }
  },
}

type Refused = 'missing' | 'unknown' | 'expired'
type Verdict = Consumer | Refused
type SchemeCheck = (request: Request) => Consumer | 'missing' | 'unknown'

/** All schemes of an alternative must name one and the same consumer. */
function judge(checks: readonly SchemeCheck[], request: Request, now: number): Verdict {
  let consumer: Consumer | undefined
  for (const check of checks) {
    const found = check(request)
    if (typeof found === 'string') return found
    if (consumer !== undefined && consumer !== found) return 'unknown'
    consumer = found
  }
  if (consumer === undefined) return 'missing'
  return consumer.expires !== undefined && now >= consumer.expires ? 'expired' : consumer
}

/** Where no consumers are configured, every well-formed credential is somebody's. */
const ANYBODY: Consumer = { name: 'anybody', credentials: new Map(), expires: undefined }

function compileScheme(name: string, { contract, consumers }: Site): SchemeCheck[] {
  const scheme = contract.securitySchemes.get(name)
  if (scheme === undefined) return []
  const read = compileCredential(scheme)
  if (consumers.length === 0) {
    const wellFormed = scheme.type === 'http' && scheme.scheme === 'basic' ? /^[^:]*:/s : /./s
    return [request => (wellFormed.test(read(request) ?? '') ? ANYBODY : 'missing')]
  }
  // One look-up in a hash table seeded per process: the same work for every key, and no key's beginning shows in it.
  const byKey = new Map<string, Consumer>()
  for (const consumer of consumers) {
    const key = consumer.credentials.get(name)
    if (key !== undefined) byKey.set(key, consumer)
  }
  return [
    request => {
      const key = read(request)
      return key === undefined ? 'missing' : (byKey.get(key) ?? 'unknown')
    },
  ]
}

/** How a credential is taken from a request; `undefined` where there is none. */
function compileCredential(scheme: SecurityScheme): (request: Request) => string | undefined {
  if (scheme.type === 'apiKey') {
    const { name } = scheme
    if (scheme.in === 'header') return ({ headers }) => single(headers[name])
    if (scheme.in === 'cookie') return ({ headers }) => cookieValues(single(headers.cookie), name)[0]
    return ({ query }) => decodeQuery(splitQuery(query).get(name)?.[0] ?? '') || undefined
  }
  // RFC 9110 §11.4: the scheme in any case, one or more spaces, the credential.
  const form = scheme.scheme === 'bearer' ? /^bearer +(\S+) *$/i : /^basic +([A-Za-z0-9+/]+=*) *$/i
  const credential = ({ headers }: Request) => form.exec(single(headers.authorization) ?? '')?.[1]
  if (scheme.scheme === 'bearer') return credential
  return request => {
    const text = credential(request)
    return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8')
  }
}

const single = (field: string | string[] | undefined): string | undefined => (Array.isArray(field) ? field[0] : field)

/** Each reason is one reply, made at load (RFC 6750 §3: an error only where a token was sent). */
function compileRefusals(realm: string, { contract, operation }: Site): (why: Refused) => Reply {
  const quoted = `realm="${realm.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`
  const names = [...new Set(operation.security.flat())]
  const schemes = names.flatMap(name => contract.securitySchemes.get(name) ?? [])
  const challenges = (parameters: string) =>
    schemes.flatMap(scheme => {
      if (scheme.type !== 'http') return []
      return scheme.scheme === 'bearer' ? [`Bearer ${quoted}${parameters}`] : [`Basic ${quoted}, charset="UTF-8"`]
    })
  const where = schemes.map(describeScheme).join(' or ')
  const reply = (detail: string, parameters: string): Reply => {
    const challenge = challenges(parameters).join(', ')
    return refuse(problems.unauthorized, detail, challenge === '' ? {} : { 'www-authenticate': challenge })
  }
  const replies: Record<Refused, Reply> = {
    missing: reply(`a credential is missing: ${where}`, ''),
    unknown: reply('the credential is not known', ', error="invalid_token"'),
    expired: reply(
      'the credential has expired',
      ', error="invalid_token", error_description="the credential has expired"',
    ),
  }
  return why => replies[why]
}

const describeScheme = (scheme: SecurityScheme): string =>
  scheme.type === 'apiKey'
    ? `the ${scheme.in} ${scheme.in === 'query' ? 'parameter ' : ''}${scheme.name}`
    : scheme.scheme === 'bearer'
      ? 'Authorization: Bearer <key>'
      : 'Authorization: Basic <user:password>'
