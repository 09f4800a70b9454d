// Makes tokens.

import type { Json } from '../../kernel/json.ts'
import type { Client, OwnIssuer, User } from './block.ts'
import { ACCESS_TOKEN } from './examine.ts'
import { type Login, type Logins, secretText } from './logins.ts'
import type { TokenService } from './observe.ts'

/** The content of a token. */
export interface Granted {
  readonly issuer: OwnIssuer
  readonly iss: string
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly grant: string
  readonly client: Pick<Client, 'id'> | undefined
  /** `undefined` where the client got it for itself. */
  readonly user: Pick<User, 'name' | 'claims'> | undefined
  readonly scopes: readonly string[]
  /** Seconds since the epoch. */
  readonly authTime: number | undefined
}

/** Returns the claims of an access token (RFC 9068 §2.2). */
export function accessClaims({ issuer, iss, now, grant, client, user, scopes, authTime }: Granted) {
  const iat = Math.floor(now / 1000)
  const claims: Record<string, Json | undefined> = {
    ...issuer.claims,
    iss,
    sub: user?.name ?? client?.id,
    aud: issuer.audience ?? iss,
    client_id: client?.id,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    auth_time: authTime,
    iat,
    exp: Math.ceil((now + issuer.lifetime) / 1000),
    jti: `${grant}.${secretText()}`,
  }
  return claims
}

/** Returns the claims of an ID token (OpenID Connect Core §2). */
export const idClaims = ({ issuer, iss, now, client, user, authTime }: Granted, nonce: string | undefined) => ({
  ...issuer.claims,
  ...user?.claims,
  iss,
  sub: user?.name,
  aud: client?.id,
  nonce,
  auth_time: authTime,
  iat: Math.floor(now / 1000),
  exp: Math.ceil((now + issuer.lifetime) / 1000),
})

/** Returns the reply with the tokens of a login. */
export async function giveLogin(service: TokenService, logins: Logins, granted: Granted, login: Login) {
  const { issuer, scopes, now } = granted
  const isOpenId = scopes.includes('openid')
  const keys = await service.keys
  return {
    ...(await giveAccess(service, granted)),
    id_token: isOpenId ? await keys.sign(issuer, idClaims(granted, login.nonce), 'JWT') : undefined,
    refresh_token:
      issuer.refresh === undefined ? undefined : logins.add('refreshes', { ...login, until: now + issuer.refresh }),
  }
}

/** Returns the reply with an access token (RFC 6749 §5.1). */
export async function giveAccess(service: TokenService, granted: Granted): Promise<Record<string, Json | undefined>> {
  const keys = await service.keys
  const { issuer, scopes } = granted
  return {
    access_token: await keys.sign(issuer, accessClaims(granted), ACCESS_TOKEN),
    token_type: 'Bearer',
    expires_in: Math.floor(issuer.lifetime / 1000),
    scope: scopes.join(' '),
  }
}
