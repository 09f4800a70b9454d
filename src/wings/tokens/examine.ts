// Examines the claims of a token whose signature holds: by the clock of a world, and by what that world has granted.

import type { World } from '../../world/world.ts'
import type { ForeignIssuer, Issuers, OwnIssuer } from './block.ts'
import type { SignedToken, TokenFault } from './keys.ts'
import { Logins } from './logins.ts'

/** The type of an access token (RFC 9068 §2.1). */
export const ACCESS_TOKEN = 'at+jwt'

/** A token that is accepted. */
export interface AcceptedToken {
  readonly consumer: string
  readonly scopes: ReadonlySet<string>
}

export interface RefusedToken extends TokenFault {
  readonly isExpired: boolean
}

const refused = (fault: string, isExpired = false): RefusedToken => ({ fault, isExpired })

/** @param now milliseconds since the epoch; −∞ accepts an expired token */
export function examine(
  token: SignedToken | TokenFault,
  issuers: Issuers,
  now: number,
  world: World | undefined,
): AcceptedToken | RefusedToken {
  if ('fault' in token) return refused(token.fault)
  const { issuer, claims, type } = token
  const { exp, nbf, aud, sub, jti, scope, iss } = claims
  if (typeof exp !== 'number' || now >= exp * 1000) return refused('has expired', true)
  if (typeof nbf === 'number' && now < nbf * 1000 && now > 0) return refused('does not hold yet')
  if (issuer.audience !== undefined && ![aud].flat().includes(issuer.audience))
    return refused('is for another audience')
  const scopes = scopesIn(scope ?? claims.scp)
  if ('jwks' in issuer) return { consumer: consumerOf(issuer, claims), scopes }
  if (!isIssuedBy(issuer, iss)) return refused('is of another issuer')
  if (type !== ACCESS_TOKEN) return refused('is not an access token')
  if (world !== undefined && !new Logins(world).holds(jti)) return refused('was revoked, or is of another world')
  // A token that a client got for itself has no time of a login.
  const client = claims.auth_time === undefined ? issuers.clients.get(`${sub}`) : undefined
  return { consumer: client?.consumer ?? `${sub}`, scopes }
}

/** An issuer without `url` has the address by which a request came: any host, and any world. */
function isIssuedBy({ url, base }: OwnIssuer, iss: unknown): boolean {
  if (url !== undefined) return iss === url
  return typeof iss === 'string' && /^https?:\/\/[^/]+/.test(iss) && iss.endsWith(base)
}

const scopesIn = (scope: unknown): ReadonlySet<string> =>
  new Set(Array.isArray(scope) ? scope.map(String) : String(scope ?? '').split(' '))

/** Fills the claims into `${claims.azp}`. */
const consumerOf = ({ consumer }: ForeignIssuer, claims: Readonly<Record<string, unknown>>): string =>
  consumer.replace(/\$\{ *claims\.([\w-]+) *\}/g, (_, name: string) => String(claims[name] ?? ''))
