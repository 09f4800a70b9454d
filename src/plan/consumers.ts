// The consumers of a configuration: checked against the security schemes of the contract, and identified by the credentials
// of a request.

import {
  ANYBODY,
  type CheckCredential,
  type Consumer,
  type Identified,
  type Identify,
  type RefusedCaller,
} from '../behaviours/consumer.ts'
import type { Contract, Operation, SecurityScheme } from '../contract/contract.ts'
import { cookieValues, decodeQuery, splitQuery } from '../contract/document/parameters.ts'
import { schemeNamed } from '../contract/security.ts'
import { reportPlaceholders } from '../expression/template.ts'
import { type Diagnostics, suggest } from '../kernel/diagnostic.ts'
import type { Source } from '../kernel/file/source.ts'
import { firstOf, type Request } from '../kernel/http.ts'
import { parseDate } from '../world/dates.ts'
import type { ConsumerFile } from './simulation-file.ts'

const CREDENTIAL_HINT = 'write the name of an environment variable in upper case: ${API_KEY}'

/** Compiles the `consumers` block and reports its mistakes. No message contains a credential. */
export function compileConsumers(
  blocks: Readonly<Record<string, ConsumerFile>>,
  contract: Contract,
  source: Source,
  report: Diagnostics,
): Consumer[] {
  const owners = new Map<string, string>()
  return Object.entries(blocks).map(([name, { expires, scopes, ...written }]) => {
    const isKey = (entry: readonly [string, unknown]): entry is [string, string] => typeof entry[1] === 'string'
    const credentials = new Map(Object.entries(written).filter(isKey))
    for (const [scheme, key] of credentials) {
      const at = (part?: 'key') => source.locate(['consumers', name, scheme], part)
      if (!contract.securitySchemes.has(scheme)) {
        const { securitySchemes: known } = contract
        const hint = known.size === 0 ? 'remove it: the contract has none' : suggest(scheme, known.keys())
        report.error('unknown-security-scheme', `the contract has no security scheme "${scheme}"`, at('key'), hint)
      }
      reportPlaceholders(key, CREDENTIAL_HINT, (code, message, _, hint) => report.error(code, message, at(), hint))
      if (contract.securitySchemes.get(scheme)?.in === 'certificate' && parseSubject(key) === undefined) {
        const message = 'a client certificate is identified by its subject'
        report.error('invalid-value', message, at(), 'write CN=ann, or CN=ann, O=Acme')
      }
      if (key === '***') report.error('masked-credential', 'this is a placeholder for a credential', at())
      const owner = owners.get(`${scheme}\n${key}`)
      if (owner !== undefined) {
        report.error('duplicate-credential', `duplicate credential: ${owner} has the same`, at('key'))
      }
      owners.set(`${scheme}\n${key}`, name)
    }
    if (Object.keys(written).length === 0) {
      report.error('no-credential', `${name} has no credential`, source.locate(['consumers', name], 'key'))
    }
    return {
      name,
      credentials,
      expires: expires === undefined ? undefined : parseDate(expires),
      scopes: new Set(scopes),
    }
  })
}

/** Returns the check of the credentials of a scheme; `undefined` where it has none. */
export type CredentialChecks = (scheme: SecurityScheme) => CheckCredential | undefined

type SchemeCheck = Identify

/** Schemes that must all be satisfied. */
interface Alternative {
  readonly checks: readonly SchemeCheck[]
  /** The required scopes. */
  readonly scopes: readonly string[]
}

/** If every alternative fails, the one that came closest words the refusal. */
const GRAVITY: Readonly<Record<RefusedCaller, number>> = { missing: 0, unknown: 1, expired: 2, unscoped: 3 }

/**
 * Compiles the security schemes once, and returns a function that compiles the identification of the consumers of an operation
 * by their credentials. At least one alternative of its `security` must be satisfied. Empty alternatives are handled by the
 * caller.
 *
 * @param others check credentials that are not keys of consumers, by the scheme
 */
export function compileIdentification(
  contract: Contract,
  consumers: readonly Consumer[],
  others: readonly CredentialChecks[] = [],
): (operation: Operation) => Identify {
  const schemes = [...contract.securitySchemes]
  const otherOf = (scheme: SecurityScheme) => others.map(checkOf => checkOf(scheme)).find(check => check !== undefined)
  const checks = new Map(
    schemes.map(([name, scheme]) => [name, compileScheme(name, scheme, consumers, otherOf(scheme))]),
  )
  const needsScopes = (name: string): boolean => {
    const scheme = schemeNamed(name, contract)
    const isChecked = consumers.length > 0 || otherOf(scheme) !== undefined
    return isChecked && scheme.in === 'authorization' && scheme.scoped
  }
  return ({ security }) => {
    const alternatives = security
      .map(
        (alternative): Alternative => ({
          checks: alternative.flatMap(({ scheme }) => checks.get(scheme) ?? []),
          scopes: alternative.flatMap(({ scheme, scopes }) => (needsScopes(scheme) ? scopes : [])),
        }),
      )
      .filter(one => one.checks.length > 0)
    return (request, now, world) => {
      let worst: RefusedCaller = 'missing'
      for (const alternative of alternatives) {
        const verdict = tryAlternative(alternative, request, now, world)
        if (typeof verdict !== 'string') return verdict
        if (GRAVITY[verdict] > GRAVITY[worst]) worst = verdict
      }
      return worst
    }
  }
}

/** All schemes of an alternative must identify the same consumer, and it must have the scopes. */
function tryAlternative({ checks, scopes }: Alternative, ...given: Parameters<Identify>): Identified {
  const [, now] = given
  let consumer: Consumer | undefined
  for (const check of checks) {
    const found = check(...given)
    if (typeof found === 'string') return found
    if (consumer !== undefined && consumer.name !== found.name) return 'unknown'
    consumer = found
  }
  if (consumer === undefined) return 'missing'
  if (consumer.expires !== undefined && now >= consumer.expires) return 'expired'
  const { scopes: held } = consumer
  return scopes.every(scope => held.has(scope)) ? consumer : 'unscoped'
}

function compileScheme(
  name: string,
  place: SecurityScheme,
  consumers: readonly Consumer[],
  other: CheckCredential | undefined,
): SchemeCheck[] {
  if (place.in === 'nowhere') return []
  if (place.in === 'certificate') return [compileCertificateCheck(name, consumers)]
  const read = compileCredential(place)
  const word = place.in === 'authorization' ? place.word : undefined
  if (consumers.length === 0 && other === undefined) {
    const wellFormed = word === 'Basic' ? /^[^:]*:/s : /./s
    return [request => (wellFormed.test(read(request) ?? '') ? ANYBODY : 'missing')]
  }
  // A look-up in a hash table with a seed per process takes the same time for every key and reveals no prefix of one.
  const byKey = new Map<string, Consumer>()
  for (const consumer of consumers) {
    const key = consumer.credentials.get(name)
    if (key !== undefined) byKey.set(key, consumer)
  }
  // The usual spelling is found without parsing the field.
  const whole = word === 'Bearer' ? [...byKey] : []
  const byField = new Map(whole.map(([key, consumer]) => [`Bearer ${key}`, consumer]))
  return [
    (request, now, world) => {
      const known = byField.get(request.headers.authorization as string) ?? other?.(request, now, world)
      if (known !== undefined) return known
      const key = read(request)
      return key === undefined ? 'missing' : (byKey.get(key) ?? 'unknown')
    },
  ]
}

/** Returns the consumer with the most attributes among those whose attributes the certificate has. */
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

/** Returns a function that reads the credential at a place of a request; it returns `undefined` if there is none. */
function compileCredential(
  place: Exclude<SecurityScheme, { in: 'certificate' | 'nowhere' }>,
): (request: Request) => string | undefined {
  switch (place.in) {
    case 'header':
      return ({ headers }) => firstOf(headers[place.name])
    case 'cookie':
      return ({ headers }) => cookieValues(firstOf(headers.cookie), place.name)[0]
    case 'query':
      return ({ query }) => decodeQuery(splitQuery(query).get(place.name)?.[0] ?? '') || undefined
    case 'authorization':
      return compileAuthorization(place.word)
    default:
      return place satisfies never
  }
}

/** RFC 9110 §11.4: the scheme in any case, one or more spaces, the credential. */
function compileAuthorization(word: string): (request: Request) => string | undefined {
  const credential = word === 'Bearer' ? '(\\S+)' : word === 'Basic' ? '([A-Za-z0-9+/]+=*)' : '(\\S.*?)'
  const form = new RegExp(`^${word.replace(/[^\w-]/g, '\\$&')} +${credential} *$`, 'i')
  const read = ({ headers }: Request) => form.exec(firstOf(headers.authorization) ?? '')?.[1]
  if (word !== 'Basic') return read
  return request => {
    const text = read(request)
    return text === undefined ? undefined : Buffer.from(text, 'base64').toString('utf8')
  }
}

/** Parses the attributes of a subject, `CN=ann, O=Acme`; `undefined` for an invalid text. */
export function parseSubject(text: string): readonly (readonly [name: string, value: string])[] | undefined {
  const parts = text.split(/,(?=\s*[\w.]+=)/)
  const read = parts.flatMap((part): [string, string][] => {
    const [, name = '', value] = /^\s*([\w.]+)=(.*\S)\s*$/.exec(part) ?? []
    return value === undefined ? [] : [[name.toUpperCase(), value]]
  })
  return read.length === parts.length ? read : undefined
}
