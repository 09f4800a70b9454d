// Reads security schemes, and the requirements of operations (OpenAPI "Security Requirement Object").

import { suggest } from '../../kernel/diagnostic.ts'
import { isObject } from '../../kernel/json.ts'
import type { SecurityRequirement, SecurityScheme } from '../contract.ts'
import { childOf, entriesOf, itemsOf, type Node } from '../documents.ts'
import type { ContractReading } from './reading.ts'

/** @param knowsClients whether clients send certificates; otherwise `mutualTLS` is always satisfied */
export function readSecuritySchemes(
  root: Node,
  reading: ContractReading,
  knowsClients = false,
): Map<string, SecurityScheme> {
  const schemes = new Map<string, SecurityScheme>()
  for (const [name, entry] of entriesOf(childOf(root, 'components', 'securitySchemes'))) {
    const node = reading.documents.resolve(entry)
    schemes.set(name, node === undefined ? { type: 'other' } : readScheme(name, node, reading, knowsClients))
  }
  return schemes
}

function readScheme(name: string, node: Node, reading: ContractReading, knowsClients: boolean): SecurityScheme {
  const value = isObject(node.value) ? node.value : {}
  const type = String(value.type).toLowerCase()
  if (type === 'http' && typeof value.scheme === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value.scheme)) {
    return { type: 'http', scheme: value.scheme.toLowerCase() }
  }
  if (type === 'apikey') {
    const { in: location, name: key } = value
    if ((location === 'header' || location === 'query' || location === 'cookie') && typeof key === 'string') {
      return { type: 'apiKey', in: location, name: location === 'header' ? key.toLowerCase() : key }
    }
    reading.warn('invalid-security-scheme', `the apiKey scheme ${name} needs "name" and "in"`, node, 'key')
    return { type: 'other' }
  }
  if (type === 'oauth2') return { type: 'oauth2' }
  if (type === 'openidconnect') return { type: 'openIdConnect' }
  // The name in Swagger 2.0, found in documents that were converted by hand.
  if (type === 'basic') return { type: 'http', scheme: 'basic' }
  const tls = type === 'mutualtls'
  if (tls && knowsClients) return { type: 'mutualTLS' }
  const hint = tls ? 'configure listen.tls.clients' : 'one of: http, apiKey, oauth2, openIdConnect, mutualTLS'
  const message = tls ? 'needs client certificates, but clients are not asked for one' : 'has an unknown type'
  reading.warn(
    'unsupported-security',
    `the security scheme ${name} ${message}; every request satisfies it`,
    node,
    'key',
    hint,
  )
  return { type: 'other' }
}

/** Alternatives, each a list of schemes that must all be satisfied; empty for a public operation. */
export function readSecurity(operation: Node, root: Node, reading: ContractReading): SecurityRequirement[][] {
  const own = childOf(operation, 'security')
  const list = own.value === undefined || own.value === null ? childOf(root, 'security') : own
  const declared = childOf(root, 'components', 'securitySchemes')
  const read = (alternative: Node): SecurityRequirement[] =>
    entriesOf(alternative).flatMap(([name, node]) => {
      if (childOf(declared, name).value === undefined) {
        const known = entriesOf(declared).map(([key]) => key)
        const message = `there is no security scheme "${name}"; every request satisfies it`
        reading.warn('unknown-security-scheme', message, node, 'key', suggest(name, known))
        return []
      }
      return [{ scheme: name, scopes: itemsOf(node).map(({ value }) => String(value)) }]
    })
  // A common mistake: one alternative without the list around it.
  if (isObject(list.value)) {
    reading.warn('invalid-contract', '"security" must be a list', list)
    return [read(list)]
  }
  return itemsOf(list).map(read)
}
