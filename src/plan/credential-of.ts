// The credential of a consumer as a request carries it.

import type { Operation } from '../contract/contract.ts'
import { carryCredentials, placeOf } from '../contract/credential-place.ts'
import type { Plan } from './plan.ts'

export interface SentCredential {
  readonly headers: Readonly<Record<string, string>>
  /** Pairs of the query, encoded. */
  readonly query: readonly string[]
}

/**
 * Returns what a consumer sends to an operation: the first alternative of its `security` that the consumer has all
 * credentials for. Nothing where there is none, as for a client certificate.
 *
 * @param consumer `undefined` for a generated credential, which is accepted if no consumers are configured
 */
export function credentialOf(
  consumer: string | undefined,
  { security }: Operation,
  { contract, simulation }: Plan,
): SentCredential {
  const keys = consumer === undefined ? undefined : (simulation.file.consumers?.[consumer] ?? {})
  const keyOf = (scheme: string): unknown =>
    keys === undefined ? 'any:any' : (keys as Readonly<Record<string, unknown>>)[scheme]
  const alternative = security.find(
    schemes => schemes.length > 0 && schemes.every(({ scheme }) => typeof keyOf(scheme) === 'string'),
  )
  const given = (alternative ?? []).map(
    ({ scheme }) => [placeOf(contract.securitySchemes.get(scheme)), keyOf(scheme) as string] as const,
  )
  const { headers, query } = carryCredentials(given)
  return { headers, query: query.map(pair => pair.map(encodeURIComponent).join('=')) }
}
