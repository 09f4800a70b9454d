// Whose credential a request shows: the security schemes of the contract against the consumers of the simulation.

import type { Consumer, Judge, Refused, Verdict } from '../behaviours/behaviour.ts'
import {
  type Contract,
  isOauth,
  type Operation,
  type SecurityRequirement,
  type SecurityScheme,
} from '../contract/contract.ts'
import { cookieValues, decodeQuery, splitQuery } from '../contract/parameters.ts'
import { firstOf, type Request } from '../kernel/request.ts'
import { parseSubject } from './tls.ts'

type SchemeCheck = (request: Request) => Consumer | 'missing' | 'unknown'

/** Schemes that hold together. */
interface Alternative {
  readonly checks: readonly SchemeCheck[]
  /** The scopes that are asked for. */
  readonly scopes: readonly string[]
}

/** Of several alternatives, the one that came nearest has the word. */
const GRAVITY: Readonly<Record<Refused, number>> = { missing: 0, unknown: 1, expired: 2, unscoped: 3 }

/**
 * Compiles the schemes, once, and answers with what compiles the judge of an operation: at least one alternative of its
 * security must hold; those that ask for nothing are not looked at here.
 */
export function compileJudges(contract: Contract, consumers: readonly Consumer[]): (operation: Operation) => Judge {
  const checks = new Map(
    [...contract.securitySchemes.keys()].map(name => [name, compileScheme(name, contract, consumers)]),
  )
  const compileAlternative = (alternative: readonly SecurityRequirement[]): Alternative => {
    const scoped = alternative.filter(({ scheme }) => isOauth(contract.securitySchemes.get(scheme)))
    return {
      checks: alternative.flatMap(({ scheme }) => checks.get(scheme) ?? []),
      scopes: consumers.length === 0 ? [] : scoped.flatMap(({ scopes }) => scopes),
    }
  }
  return ({ security }) => judgeBy(security.map(compileAlternative).filter(({ checks }) => checks.length > 0))
}

const judgeBy =
  (alternatives: readonly Alternative[]): Judge =>
  (request, now) => {
    let worst: Refused = 'missing'
    for (const alternative of alternatives) {
      const verdict = judge(alternative, request, now)
      if (typeof verdict !== 'string') return verdict
      if (GRAVITY[verdict] > GRAVITY[worst]) worst = verdict
    }
    return worst
  }

/** All schemes of an alternative must name one and the same consumer, and it must have the scopes. */
function judge({ checks, scopes }: Alternative, request: Request, now: number): Verdict {
  let consumer: Consumer | undefined
  for (const check of checks) {
    const found = check(request)
    if (typeof found === 'string') return found
    if (consumer !== undefined && consumer !== found) return 'unknown'
    consumer = found
  }
  if (consumer === undefined) return 'missing'
  if (consumer.expires !== undefined && now >= consumer.expires) return 'expired'
  const { scopes: held } = consumer
  return scopes.every(scope => held.has(scope)) ? consumer : 'unscoped'
}

/** Where no consumers are configured, every well-formed credential is somebody's. */
const ANYBODY: Consumer = { name: 'anybody', credentials: new Map(), expires: undefined, scopes: new Set() }

function compileScheme(name: string, contract: Contract, consumers: readonly Consumer[]): SchemeCheck[] {
  const scheme = contract.securitySchemes.get(name)
  if (scheme === undefined || scheme.type === 'other') return []
  if (scheme.type === 'mutualTLS') return [compileCertificateCheck(name, consumers)]
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
  // As nearly everybody writes it, the field is found whole, without being taken apart.
  const whole = scheme.type === 'http' && scheme.scheme === 'bearer' ? [...byKey] : []
  const byField = new Map(whole.map(([key, consumer]) => [`Bearer ${key}`, consumer]))
  return [
    request => {
      const known = byField.get(request.headers.authorization as string)
      if (known !== undefined) return known
      const key = read(request)
      return key === undefined ? 'missing' : (byKey.get(key) ?? 'unknown')
    },
  ]
}

/** Of the consumers whose attributes the certificate all has, the one with the most. */
function compileCertificateCheck(name: string, consumers: readonly Consumer[]): SchemeCheck {
  const known = consumers
    .flatMap(consumer => {
      const subject = parseSubject(consumer.credentials.get(name) ?? '')
      return subject === undefined ? [] : [{ consumer, subject }]
    })
    .sort((a, b) => b.subject.length - a.subject.length)
  return ({ certificate }) => {
    if (certificate === undefined) return 'missing'
    if (!certificate.verified) return 'unknown'
    if (consumers.length === 0) return ANYBODY
    const has = ([name, value]: readonly [string, string]) =>
      certificate.subject.some(attribute => attribute[0] === name && attribute[1] === value)
    return known.find(({ subject }) => subject.every(has))?.consumer ?? 'unknown'
  }
}

/** How a credential is taken from a request; `undefined` where there is none. */
function compileCredential(
  scheme: Exclude<SecurityScheme, { type: 'mutualTLS' }>,
): (request: Request) => string | undefined {
  if (scheme.type === 'apiKey') {
    const { name } = scheme
    if (scheme.in === 'header') return ({ headers }) => firstOf(headers[name])
    if (scheme.in === 'cookie') return ({ headers }) => cookieValues(firstOf(headers.cookie), name)[0]
    return ({ query }) => decodeQuery(splitQuery(query).get(name)?.[0] ?? '') || undefined
  }
  const word = scheme.type === 'http' ? scheme.scheme : 'bearer'
  // RFC 9110 §11.4: the scheme in any case, one or more spaces, the credential.
  const credential = word === 'bearer' ? '(\\S+)' : word === 'basic' ? '([A-Za-z0-9+/]+=*)' : '(\\S.*?)'
  const form = new RegExp(`^${word.replace(/[^\w-]/g, '\\$&')} +${credential} *$`, 'i')
  const read = ({ headers }: Request) => form.exec(firstOf(headers.authorization) ?? '')?.[1]
  if (word !== 'basic') return read
  return request => {
    const text = read(request)
    return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8')
  }
}
