// The credential of a consumer as a request carries it.

import type { Operation } from '../contract/contract.ts'
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
  const given = consumer === undefined ? undefined : (simulation.file.consumers?.[consumer] ?? {})
  const keyOf = (scheme: string): unknown =>
    given === undefined ? 'any:any' : (given as Readonly<Record<string, unknown>>)[scheme]
  const alternative = security.find(
    schemes => schemes.length > 0 && schemes.every(({ scheme }) => typeof keyOf(scheme) === 'string'),
  )
  const headers: Record<string, string> = {}
  const query: string[] = []
  const cookies: string[] = []
  for (const { scheme: name } of alternative ?? []) {
    const scheme = contract.securitySchemes.get(name)
    const key = keyOf(name) as string
    if (scheme === undefined || scheme.type === 'other' || scheme.type === 'mutualTLS') continue
    if (scheme.type !== 'apiKey') {
      const basic = scheme.type === 'http' && scheme.scheme === 'basic'
      const word = scheme.type === 'http' && !basic && scheme.scheme !== 'bearer' ? scheme.scheme : 'Bearer'
      headers.authorization = basic ? `Basic ${Buffer.from(key).toString('base64')}` : `${word} ${key}`
    } else if (scheme.in === 'header') headers[scheme.name] = key
    else if (scheme.in === 'cookie') cookies.push(`${scheme.name}=${encodeURIComponent(key)}`)
    else query.push(`${encodeURIComponent(scheme.name)}=${encodeURIComponent(key)}`)
  }
  if (cookies.length > 0) headers.cookie = cookies.join('; ')
  return { headers, query }
}
