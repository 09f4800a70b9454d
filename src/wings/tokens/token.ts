// The token endpoint (RFC 6749 §3.2).

import type { Reply } from '../../kernel/http.ts'
import type { Client } from './block.ts'
import { giveAccess } from './give.ts'
import { json, OAuthError, type Parameters, type Visit } from './visit.ts'

type AnswerGrant = (visit: Visit, form: Parameters, client: Client) => Promise<object>

/** By `grant_type`. */
export const GRANTS: Readonly<Record<string, AnswerGrant>> = {
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
  const { issuer, iss, now, logins } = visit
  const scopes = visit.scopesOf(form.get('scope'), client).filter(scope => visit.mayHave(user, scope))
  visit.exchange.consumer = user.name
  const authTime = Math.floor(now / 1000)
  return giveAccess(visit.service, { issuer, iss, now, grant: logins.newGrant(), client, user, scopes, authTime })
}
