// The credential that a request to an operation has, and the request without it.

import type { Operation } from '../../contract/contract.ts'
import type { ClientCertificate } from '../../kernel/request.ts'
import type { Plan } from '../../plan/plan.ts'
import { parseSubject } from '../../plan/tls.ts'

/** The parts of a request that may hold a credential. */
interface CredentialParts {
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly certificate: ClientCertificate | undefined
}

/** Whether every alternative requires a credential that can be left out. */
export const asksForCredential = ({ security }: Operation, { contract }: Plan): boolean =>
  security.length > 0 &&
  security.every(alternative =>
    alternative.some(({ scheme }) => contract.securitySchemes.get(scheme)?.type !== 'other'),
  )

export function credentialFor({ security }: Operation, { contract, simulation }: Plan): CredentialParts {
  let certificate: ClientCertificate | undefined
  const query: [string, string][] = []
  const headers: Record<string, string> = {}
  const consumers = Object.values(simulation.file.consumers ?? {}).filter(one => one.expires === undefined)
  const alternative = security[0] ?? []
  const consumer = consumers.find(one =>
    alternative.every(
      ({ scheme, scopes }) => one[scheme] !== undefined && scopes.every(scope => one.scopes?.includes(scope)),
    ),
  )
  for (const { scheme: name } of alternative) {
    const scheme = contract.securitySchemes.get(name)
    const key = String(consumer?.[name] ?? 'self:check')
    if (scheme?.type === 'apiKey') {
      if (scheme.in === 'query') query.push([scheme.name, encodeURIComponent(key)])
      else if (scheme.in === 'header') headers[scheme.name] = key
      else headers.cookie = `${scheme.name}=${key}`
    } else if (scheme?.type === 'http' && scheme.scheme === 'basic') {
      headers.authorization = `Basic ${Buffer.from(key).toString('base64')}`
    } else if (scheme?.type === 'mutualTLS') {
      certificate = { verified: true, subject: parseSubject(key) ?? [] }
    } else if (scheme?.type !== 'other') {
      headers.authorization = `${scheme?.type === 'http' ? scheme.scheme : 'Bearer'} ${key}`
    }
  }
  return { query, headers, certificate }
}

export function withoutCredential(draft: CredentialParts, operation: Operation, plan: Plan): Partial<CredentialParts> {
  const { query, headers } = credentialFor(operation, plan)
  const given = new Set(query.map(([name]) => name))
  return {
    query: draft.query.filter(([name]) => !given.has(name)),
    headers: Object.fromEntries(Object.entries(draft.headers).filter(([name]) => !(name in headers))),
    certificate: undefined,
  }
}
