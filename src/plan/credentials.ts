// Chooses the credential that a request to an operation carries.

import type { Operation, SecurityRequirement, SecurityScheme } from '../contract/contract.ts'
import { type CarriedCredentials, carryCredentials, schemeNamed } from '../contract/security.ts'
import type { Plan } from './plan.ts'

/** The credential for one alternative of an operation's `security`. */
export interface Credential {
  /** Its keys, one for each security scheme that needs one. */
  readonly keys: readonly CredentialKey[]
  /** Whether all of them may be printed. */
  readonly known: boolean
}

interface CredentialKey {
  readonly place: SecurityScheme
  readonly key: string
  /** The key as it is printed: itself, `$VARIABLE`, or `<SCHEME of CONSUMER>` if it is secret. */
  readonly shown: string
}

export const NO_CREDENTIAL: Credential = { keys: [], known: true }

/**
 * Returns the credential for the first alternative that a consumer has all keys for; none where there is no such alternative.
 *
 * @param consumer `undefined` for a generated credential, which is accepted if no consumers are configured
 */
export const credentialOf = (consumer: string | undefined, operation: Operation, plan: Plan): Credential =>
  alternativesFor(consumer, operation, plan, () => true)[0] ?? NO_CREDENTIAL

/**
 * Returns a credential that the operation accepts, preferably one that may be printed; `undefined` if no consumer has one that
 * does not expire.
 */
export function acceptedCredential(operation: Operation, plan: Plan): Credential | undefined {
  const { security } = operation
  if (security.length === 0 || security.some(alternative => alternative.length === 0)) return NO_CREDENTIAL
  const { consumerNames, file } = plan.simulation
  const callers = consumerNames.length === 0 ? [undefined] : consumerNames
  const all = callers.flatMap(name => {
    const { expires, scopes = [] } = file.consumers?.[name ?? ''] ?? {}
    const isAllowed = (scope: string) => name === undefined || scopes.includes(scope)
    return expires === undefined ? alternativesFor(name, operation, plan, isAllowed) : []
  })
  return all.find(({ known }) => known) ?? all[0]
}

/** The credentials for those alternatives that a consumer has all keys and scopes for. */
function alternativesFor(
  consumer: string | undefined,
  { security }: Operation,
  { contract, simulation: { file, shownKeys } }: Plan,
  isAllowed: (scope: string) => boolean,
): Credential[] {
  const isGenerated = consumer === undefined
  const own = file.consumers?.[consumer ?? ''] as Record<string, unknown> | undefined
  const isHeld = ({ scheme, scopes }: SecurityRequirement): boolean =>
    (isGenerated || typeof own?.[scheme] === 'string') && scopes.every(isAllowed)
  return security
    .filter(alternative => alternative.length > 0 && alternative.every(isHeld))
    .map(alternative => {
      const needed = alternative
        .map(({ scheme }) => ({ scheme, place: schemeNamed(scheme, contract) }))
        .filter(({ place }) => place.in !== 'nowhere')
      const keys = needed.map(({ scheme, place }): CredentialKey => {
        const made = place.in === 'authorization' && place.word === 'Basic' ? 'any:any' : 'any'
        if (isGenerated) return { place, key: made, shown: made }
        const shown = shownKeys.get(`${consumer} ${scheme}`) ?? `<${scheme} of ${consumer}>`
        return { place, key: String(own?.[scheme]), shown }
      })
      return { keys, known: isGenerated || needed.every(({ scheme }) => shownKeys.has(`${consumer} ${scheme}`)) }
    })
}

/** The parts of a request that carry a credential; the pairs of the query are not encoded. */
export const carried = ({ keys }: Credential): CarriedCredentials =>
  carryCredentials(keys.map(({ place, key }) => [place, key]))
