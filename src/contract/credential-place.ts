// The place of a request where a security scheme has its credential.

import type { SecurityScheme } from './contract.ts'

export type CredentialPlace =
  /** The field `Authorization` with a scheme before the credential (RFC 9110 §11.6.2). */
  | { readonly in: 'authorization'; readonly word: string }
  | { readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  /** The client certificate of the connection. */
  | { readonly in: 'certificate' }
  /** The scheme is not supported: every request satisfies it. */
  | { readonly in: 'nowhere' }

/** @param scheme `undefined` where a requirement names a scheme that the contract lacks */
export function placeOf(scheme: SecurityScheme | undefined): CredentialPlace {
  if (scheme === undefined) return { in: 'nowhere' }
  switch (scheme.type) {
    case 'http':
      return { in: 'authorization', word: scheme.scheme.charAt(0).toUpperCase() + scheme.scheme.slice(1) }
    case 'oauth2':
    case 'openIdConnect':
      return { in: 'authorization', word: 'Bearer' }
    case 'apiKey':
      return { in: scheme.in, name: scheme.name }
    case 'mutualTLS':
      return { in: 'certificate' }
    case 'other':
      return { in: 'nowhere' }
    default:
      return scheme satisfies never
  }
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
export function carryCredentials(given: Iterable<readonly [CredentialPlace, string]>): CarriedCredentials {
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
