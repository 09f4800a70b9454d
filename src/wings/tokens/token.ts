// The token endpoint (RFC 6749 §3.2).

import { createHash } from 'node:crypto'
import type { Reply } from '../../kernel/http.ts'
import type { Client } from './block.ts'
import { giveAccess, giveLogin } from './give.ts'
import type { Login } from './logins.ts'
import { json, OAuthError, type Parameters, type Visit } from './visit.ts'

type AnswerGrant = (visit: Visit, form: Parameters, client: Client) => Promise<object>

/** By `grant_type`. */
export const GRANTS: Readonly<Record<string, AnswerGrant>> = {
  authorization_code: giveForCode,
  refresh_token: giveForRefresh,
  client_credentials: giveToClient,
  password: giveForPassword,
}

export async function answerToken(visit: Visit): Promise<Reply> {
  const form = await visit.readForm()
  const type = form.need('grant_type')
  const client = visit.authenticateClient(form)
  const give = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined
  if (give === undefined || (type === 'password' && !visit.issuers.hasPasswords)) {
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of: ${Object.keys(GRANTS).join(', ')}`)
  }
  return json(await give(visit, form, client))
}

async function giveToClient(visit: Visit, form: Parameters, client: Client): Promise<object> {
  if (client.secret === undefined) {
    throw new OAuthError('unauthorized_client', 'a client without a secret cannot get a token for itself')
  }
  const { issuer, iss, now, logins } = visit
  const scopes = visit.scopesOf(form.get('scope'), client)
  const grant = logins.clientsGrant()
  return giveAccess(visit.service, { issuer, iss, now, grant, client, user: undefined, scopes, authTime: undefined })
}

async function giveForPassword(visit: Visit, form: Parameters, client: Client): Promise<object> {
  const user = visit.issuers.users.get(form.need('username'))
  if (form.need('password') !== user?.password || user === undefined) {
    throw new OAuthError('invalid_grant', 'the user is unknown, or the password is wrong')
  }
  const scopes = visit.scopesOf(form.get('scope'), client).filter(scope => visit.mayHave(user, scope))
  return give(visit, client, {
    grant: visit.logins.newGrant(),
    client: client.id,
    user: user.name,
    scopes,
    authTime: Math.floor(visit.now / 1000),
    until: 0,
  })
}

async function giveForCode(visit: Visit, form: Parameters, client: Client): Promise<object> {
  const code = form.need('code')
  const login = findLogin(visit, 'codes', code, client)
  if (login.redirect !== form.get('redirect_uri')) {
    throw new OAuthError('invalid_grant', 'redirect_uri is not that of the authorization request')
  }
  const verifier = form.get('code_verifier')
  if (!isVerified(login, verifier)) {
    throw new OAuthError('invalid_grant', 'code_verifier does not fit the code_challenge')
  }
  const granted = { ...login, grant: visit.logins.newGrant() }
  visit.logins.use('codes', code, granted)
  return give(visit, client, granted)
}

/** RFC 7636 §4.6. A verifier without a challenge is a downgrade attack (RFC 9700 §4.8.2). */
function isVerified({ challenge, plain }: Login, verifier: string | undefined): boolean {
  if (challenge === undefined || verifier === undefined) return challenge === verifier
  const made = plain === true ? verifier : createHash('sha256').update(verifier).digest('base64url')
  return /^[\w.~-]{43,128}$/.test(verifier) && made === challenge
}

async function giveForRefresh(visit: Visit, form: Parameters, client: Client): Promise<object> {
  const token = form.need('refresh_token')
  const login = findLogin(visit, 'refreshes', token, client)
  const scopes = form.get('scope')?.split(' ') ?? login.scopes
  if (!scopes.every(scope => login.scopes.includes(scope))) {
    throw new OAuthError('invalid_scope', 'a refresh cannot ask for further scopes')
  }
  visit.logins.use('refreshes', token, login)
  return give(visit, client, { ...login, nonce: undefined }, scopes)
}

function findLogin(visit: Visit, kind: 'codes' | 'refreshes', secret: string, client: Client): Login {
  const login = visit.logins.find(kind, secret, visit.now)
  if (login?.client !== client.id) {
    throw new OAuthError('invalid_grant', 'it is unknown, was used or revoked, has expired, or is of another client')
  }
  return login
}

function give(visit: Visit, client: Client, login: Login, scopes = login.scopes): Promise<object> {
  const { issuer, issuers, iss, now, service, logins, exchange } = visit
  const user = issuers.users.get(login.user)
  if (user === undefined) throw new OAuthError('invalid_grant', 'the user is gone')
  exchange.consumer = user.name
  const { grant, authTime } = login
  return giveLogin(service, logins, { issuer, iss, now, grant, client, user, scopes, authTime }, login)
}
