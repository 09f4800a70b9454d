// The fields that RFC 9110 requires of a reply by its status: `Allow` of 405, `WWW-Authenticate` of 401. For replies that a
// client or the configuration chooses.

import { quotedString } from '../kernel/field-text.ts'
import { type Headers, NO_HEADERS } from '../kernel/reply.ts'
import type { Contract, Operation, SecurityScheme } from './contract.ts'
import { placeOf } from './credential-place.ts'
import { nameless } from './paths.ts'

/**
 * Returns the fields that a reply of this status must have (RFC 9110 §15.5.2, §15.5.6). Without a scheme of `Authorization`
 * there is no challenge to name.
 */
export function requiredFields(status: number, operation: Operation, contract: Contract): Headers {
  if (status === 405) return { allow: allowOf(methodsAt(operation.path, contract)) }
  if (status !== 401) return NO_HEADERS
  const challenge = challengesOf(schemesOf(contract, operation), contract.title)
  return challenge === '' ? NO_HEADERS : { 'www-authenticate': challenge }
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
  return names.flatMap(name => contract.securitySchemes.get(name) ?? [])
}

/** Returns the challenges of the schemes that are in `Authorization`. @param parameters of Bearer, each after a comma */
export function challengesOf(schemes: readonly SecurityScheme[], realm: string, parameters = ''): string {
  const quoted = `realm=${quotedString(realm)}`
  const challenges = schemes.flatMap(schemeWord).map(word => {
    if (word === 'Bearer') return `Bearer ${quoted}${parameters}`
    return word === 'Basic' ? `Basic ${quoted}, charset="UTF-8"` : `${word} ${quoted}`
  })
  return [...new Set(challenges)].join(', ')
}

/** The scheme name at the beginning of an `Authorization` field. */
export function schemeWord(scheme: SecurityScheme): string[] {
  const place = placeOf(scheme)
  return place.in === 'authorization' ? [place.word] : []
}

/** The methods by path. The names of its parameters do not count. */
const methodsByPath = new WeakMap<Contract, Map<string, string[]>>()

function methodsAt(path: string, contract: Contract): readonly string[] {
  let methods = methodsByPath.get(contract)
  if (methods === undefined) {
    methods = new Map()
    for (const { method, path: other } of contract.operations) {
      const known = methods.get(nameless(other))
      if (known === undefined) methods.set(nameless(other), [method])
      else known.push(method)
    }
    methodsByPath.set(contract, methods)
  }
  return methods.get(nameless(path)) ?? []
}
