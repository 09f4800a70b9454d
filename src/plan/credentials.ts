// Whose credential a request shows: the security schemes of the contract against the consumers of the simulation.

import type { Consumer, Judge, Refused, Verdict } from '../behaviours/behaviour.ts'
import type { Contract, Operation, SecurityScheme } from '../contract/contract.ts'
import { cookieValues, decodeQuery, splitQuery } from '../contract/parameters.ts'
import type { Request } from '../kernel/request.ts'

type SchemeCheck = (request: Request) => Consumer | 'missing' | 'unknown'

/** At least one alternative of the operation's security must hold. */
export function compileJudge(operation: Operation, contract: Contract, consumers: readonly Consumer[]): Judge {
  const alternatives = operation.security
    .filter(names => names.length > 0)
    .map(names => names.flatMap(name => compileScheme(name, contract, consumers)))
  return (request, now) => {
    let worst: Refused = 'missing'
    for (const checks of alternatives) {
      const verdict = judge(checks, request, now)
      if (typeof verdict !== 'string') return verdict
      if (worst === 'missing') worst = verdict
    }
    return worst
  }
}

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

function compileScheme(name: string, contract: Contract, consumers: readonly Consumer[]): SchemeCheck[] {
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
