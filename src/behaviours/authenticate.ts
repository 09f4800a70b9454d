// Who calls: the contract's security schemes, against the consumers of the simulation. Before the body is read.

import type { SecurityScheme } from '../contract/contract.ts'
import { problems } from '../kernel/problem.ts'
import { type Reply, refuse } from '../kernel/reply.ts'
import type { Behaviour, Refused, Site } from './behaviour.ts'

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
    const { judge } = site
    const refusal = compileRefusals(config?.realm ?? site.contract.title, site)
    return next => exchange => {
      const verdict = judge(exchange.request, exchange.clock.now())
      if (typeof verdict === 'string') return anonymous ? next(exchange) : Promise.resolve(refusal(verdict))
      exchange.consumer = verdict.name
      return next(exchange)
    }
  },
}

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
