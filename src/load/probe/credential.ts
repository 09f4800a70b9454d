// The credential that a request to an operation has, and the request without it.

import type { Operation } from '../../contract/contract.ts'
import { carryCredentials, placeOf } from '../../contract/credential-place.ts'
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
    alternative.some(({ scheme }) => placeOf(contract.securitySchemes.get(scheme)).in !== 'nowhere'),
  )

export function credentialFor({ security }: Operation, { contract, simulation }: Plan): CredentialParts {
  const consumers = Object.values(simulation.file.consumers ?? {}).filter(one => one.expires === undefined)
  const alternative = security[0] ?? []
  const consumer = consumers.find(one =>
    alternative.every(
      ({ scheme, scopes }) => one[scheme] !== undefined && scopes.every(scope => one.scopes?.includes(scope)),
    ),
  )
  const given = alternative.map(
    ({ scheme }) =>
      [placeOf(contract.securitySchemes.get(scheme)), String(consumer?.[scheme] ?? 'self:check')] as const,
  )
  const { headers, query, subject } = carryCredentials(given)
  return {
    query: query.map(([name, value]) => [name, encodeURIComponent(value)]),
    headers,
    certificate: subject === undefined ? undefined : { verified: true, subject: parseSubject(subject) ?? [] },
  }
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
