// Security: reads schemes and requirements (OpenAPI "Security Requirement Object"), puts credentials into requests, and gives
// replies the fields that RFC 9110 requires of their status.

import { suggest } from '../kernel/diagnostic.ts'
import { type Headers, NO_HEADERS, quotedString } from '../kernel/http.ts'
import { isObject } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import type { Contract, Operation, SecurityRequirement, SecurityScheme } from './contract.ts'
import type { ContractReading } from './document/reading.ts'
import { childOf, isGiven, itemsOf, membersOf, type Node } from './documents.ts'
import { nameless } from './paths.ts'

/** @param knowsClients whether clients send certificates; otherwise `mutualTLS` is always satisfied */
export function readSecuritySchemes(reading: ContractReading, knowsClients = false): Map<string, SecurityScheme> {
  const declared = membersOf(reading.within(reading.root, 'components', 'securitySchemes'))
  return new Map(
    declared.map(([name, entry]) => [name, readScheme(name, reading.resolve(entry), reading, knowsClients)]),
  )
}

const NOWHERE: SecurityScheme = { in: 'nowhere' }

/** Returns a scheme that a requirement of the contract names. */
export const schemeNamed = (name: string, { securitySchemes }: Contract): SecurityScheme =>
  securitySchemes.get(name) ?? NOWHERE

function readScheme(
  name: string,
  node: Node | undefined,
  reading: ContractReading,
  knowsClients: boolean,
): SecurityScheme {
  if (node === undefined) return NOWHERE
  const { type: written, scheme, in: place, name: key } = isObject(node.value) ? node.value : {}
  const type = String(written).toLowerCase()
  const word = typeof scheme === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(scheme) ? scheme.toLowerCase() : undefined
  if (type === 'http' && word !== undefined) {
    return { in: 'authorization', word: word.charAt(0).toUpperCase() + word.slice(1), scoped: false }
  }
  if (type === 'oauth2' || type === 'openidconnect') return { in: 'authorization', word: 'Bearer', scoped: true }
  // The name in Swagger 2.0, found in documents that were converted by hand.
  if (type === 'basic') return { in: 'authorization', word: 'Basic', scoped: false }
  if (type === 'apikey') {
    if (typeof key === 'string' && (place === 'query' || place === 'cookie')) return { in: place, name: key }
    if (typeof key === 'string' && place === 'header') return { in: place, name: key.toLowerCase() }
    reading.warn('invalid-security-scheme', `the apiKey scheme ${name} needs "name" and "in"`, node, 'key')
    return NOWHERE
  }
  const isTls = type === 'mutualtls'
  if (isTls && knowsClients) return { in: 'certificate' }
  const hint = isTls ? 'configure listen.tls.clients' : 'one of: http, apiKey, oauth2, openIdConnect, mutualTLS'
  const why = isTls ? 'needs client certificates, but clients are not asked for one' : 'has an unknown type'
  const message = `the security scheme ${name} ${why}; every request satisfies it`
  reading.warn('unsupported-security', message, node, 'key', hint)
  return NOWHERE
}

/** Alternatives, each a list of schemes that must all be satisfied; empty for a public operation. */
export function readSecurity(operation: Node, reading: ContractReading): SecurityRequirement[][] {
  const own = childOf(operation, 'security')
  const list = isGiven(own) ? own : childOf(reading.root, 'security')
  const declared = reading.within(reading.root, 'components', 'securitySchemes')
  const read = (alternative: Node): SecurityRequirement[] =>
    membersOf(alternative).flatMap(([name, node]) => {
      if (childOf(declared, name).value === undefined) {
        const known = membersOf(declared).map(([key]) => key)
        const message = `there is no security scheme "${name}"; every request satisfies it`
        reading.warn('unknown-security-scheme', message, node, 'key', suggest(name, known))
        return []
      }
      return [{ scheme: name, scopes: itemsOf(node).map(({ value }) => String(value)) }]
    })
  // A common mistake: one alternative without the list around it.
  if (isObject(list.value)) {
    reading.invalid('"security" must be a list', list)
    return [read(list)]
  }
  return itemsOf(list).map(read)
}

/** The parts of a request that carry credentials. */
export interface CarriedCredentials {
  readonly headers: Readonly<Record<string, string>>
  /** Names and values, not encoded. */
  readonly query: readonly (readonly [name: string, value: string])[]
  /** The text of a certificate's subject, `CN=ann`. */
  readonly subject: string | undefined
}

/** Puts each credential into its place; that of Basic is `user:password`. */
export function carryCredentials(given: Iterable<readonly [SecurityScheme, string]>): CarriedCredentials {
  const headers: Record<string, string> = {}
  const query: [string, string][] = []
  const cookies: string[] = []
  let subject: string | undefined
  for (const [place, key] of given) {
    switch (place.in) {
      case 'authorization':
        headers.authorization = `${place.word} ${place.word === 'Basic' ? Buffer.from(key).toString('base64') : key}`
        break
      case 'header':
        headers[place.name] = key
        break
      case 'cookie':
        cookies.push(`${place.name}=${encodeURIComponent(key)}`)
        break
      case 'query':
        query.push([place.name, key])
        break
      case 'certificate':
        subject = key
        break
      case 'nowhere':
        break
      default:
        place satisfies never
    }
  }
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  return { headers, query, subject }
}

/** Returns the fields that a reply of this status must have (RFC 9110 §15.5.2, §15.5.6). */
export function requiredFields(status: number, operation: Operation, contract: Contract): Headers {
  if (status === 405) return { allow: allowOf(methodsAt(operation.path, contract)) }
  return status === 401 ? challengesOf(schemesOf(contract, operation), contract.title) : NO_HEADERS
}

/** Returns the value of `Allow` for the methods of a path: each `GET` has a `HEAD`, and each path `OPTIONS`. */
export function allowOf(documented: readonly string[]): string {
  const methods = [...documented]
  if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD')
  if (!methods.includes('OPTIONS')) methods.push('OPTIONS')
  return methods.join(', ')
}

/** Returns the schemes of an operation, each once. */
export function schemesOf(contract: Contract, { security }: Pick<Operation, 'security'>): SecurityScheme[] {
  const names = [...new Set(security.flat().map(({ scheme }) => scheme))]
  return names.map(name => schemeNamed(name, contract))
}

/** Returns the words at the beginning of an `Authorization` field. */
export const authorizationWords = (schemes: readonly SecurityScheme[]): string[] => [
  ...new Set(schemes.flatMap(scheme => (scheme.in === 'authorization' ? scheme.word : []))),
]

/**
 * Returns the field with the challenges of the schemes (RFC 9110 §11.6.1). That of a key says where it belongs; a certificate has none.
 *
 * @param parameters of Bearer, each after a comma
 */
export function challengesOf(schemes: readonly SecurityScheme[], realm: string, parameters = ''): Headers {
  const quoted = `realm=${quotedString(realm)}`
  const challenges = schemes.flatMap(scheme => {
    if (scheme.in === 'nowhere' || scheme.in === 'certificate') return []
    if (scheme.in !== 'authorization') return `ApiKey ${quoted}, in="${scheme.in}", name=${quotedString(scheme.name)}`
    if (scheme.word === 'Bearer') return `Bearer ${quoted}${parameters}`
    return scheme.word === 'Basic' ? `Basic ${quoted}, charset="UTF-8"` : `${scheme.word} ${quoted}`
  })
  return challenges.length === 0 ? NO_HEADERS : { 'www-authenticate': [...new Set(challenges)].join(', ') }
}

/** The methods by path. The names of its parameters do not count. */
const methodsByPath = new WeakMap<Contract, Map<string, string[]>>()

function methodsAt(path: string, contract: Contract): readonly string[] {
  const methods = getOrMake(methodsByPath, contract, () => {
    const known = new Map<string, string[]>()
    for (const { method, path: other } of contract.operations)
      getOrMake(known, nameless(other), (): string[] => []).push(method)
    return known
  })
  return methods.get(nameless(path)) ?? []
}
