// The endpoints that describe and end what was given: userinfo, introspection, revocation and logout.

import { quotedString, type Reply } from '../../kernel/http.ts'
import { cookieOf, findRedirect, sessionCookie } from './authorize.ts'
import { examine } from './examine.ts'
import { ExaminedToken } from './observe.ts'
import { messagePage } from './page.ts'
import { json, OAuthError, Parameters, type Visit } from './visit.ts'

/** OpenID Connect Core §5.3, with the errors of RFC 6750 §3. */
export async function answerUserinfo(visit: Visit): Promise<Reply> {
  const { exchange, issuer, issuers, world, now } = visit
  const { headers, examined } = exchange.request
  const refuse = (status: number, code?: string, description?: string, more = ''): Reply => {
    const error = code === undefined ? '' : `, error="${code}", error_description=${quotedString(description ?? '')}`
    const challenge = { 'www-authenticate': `Bearer realm=${quotedString(issuer.name)}${error}${more}` }
    return json({ error: code, error_description: description }, status, challenge)
  }
  if (headers.authorization === undefined) return refuse(401)
  const token = examined instanceof ExaminedToken ? examined.verified : { fault: 'is not a JWT' }
  const judged = examine(token, issuers, now, world)
  if ('fault' in judged || 'fault' in token) {
    return refuse(401, 'invalid_token', `the token ${'fault' in judged ? judged.fault : ''}`)
  }
  if (token.issuer.name !== issuer.name) return refuse(401, 'invalid_token', 'the token is of another issuer')
  if (!judged.scopes.has('openid')) {
    return refuse(403, 'insufficient_scope', 'the token lacks the scope openid', ', scope="openid"')
  }
  exchange.consumer = judged.consumer
  return json({ ...issuers.users.get(judged.consumer)?.claims, sub: token.claims.sub })
}

/** RFC 7662. */
export async function answerIntrospect(visit: Visit): Promise<Reply> {
  const form = await visit.readForm()
  const client = visit.authenticateClient(form)
  if (client.secret === undefined) {
    throw new OAuthError('invalid_client', 'only a client with a secret may ask about tokens', 401)
  }
  const text = form.need('token')
  const { service, issuers, issuer, now, world, logins } = visit
  const token = await service.verify(text, issuers)
  if (token !== undefined && !('fault' in token)) {
    const judged = examine(token, issuers, now, world)
    if ('fault' in judged || token.issuer.name !== issuer.name) return json({ active: false })
    return json({ active: true, token_type: 'Bearer', username: judged.consumer, ...token.claims })
  }
  const login = logins.find('refreshes', text, now, true)
  if (login === undefined) return json({ active: false })
  const { client: id, user, scopes, until } = login
  const exp = Math.floor(until / 1000)
  return json({ active: true, client_id: id, username: user, sub: user, scope: scopes.join(' '), exp })
}

/** RFC 7009. */
export async function answerRevoke(visit: Visit): Promise<Reply> {
  const form = await visit.readForm()
  const client = visit.authenticateClient(form)
  const text = form.need('token')
  const { service, issuers, issuer, logins, now } = visit
  const token = await service.verify(text, issuers)
  const own = token !== undefined && !('fault' in token) && token.issuer.name === issuer.name ? token.claims : undefined
  const login = own === undefined ? logins.find('refreshes', text, now, true) : undefined
  const owner = own?.client_id ?? login?.client
  if (owner !== undefined && owner !== client.id) {
    throw new OAuthError('invalid_grant', 'the token was given to another client')
  }
  if (own !== undefined) logins.revokeToken(`${own.jti}`)
  if (login !== undefined) logins.revokeGrant(login.grant)
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: undefined }
}

/** OpenID Connect RP-Initiated Logout 1.0. */
export async function answerLogout(visit: Visit): Promise<Reply> {
  const { exchange, service, issuers, logins } = visit
  const given = exchange.request.method === 'POST' ? await visit.readForm() : new Parameters(visit.query)
  const hint = given.get('id_token_hint')
  const token = hint === undefined ? undefined : await service.verify(hint, issuers)
  const audience = token === undefined || 'fault' in token ? undefined : [token.claims.aud].flat()[0]
  const client = issuers.clients.get(given.get('client_id') ?? audience ?? '')
  const sent = given.get('post_logout_redirect_uri')
  const redirect = sent === undefined || client === undefined ? undefined : findRedirect(client, sent)
  if (sent !== undefined && redirect === undefined) {
    return messagePage('Unknown redirect', 'post_logout_redirect_uri is not registered for this client.', 400)
  }
  const session = sessionCookie(visit)
  if (session !== undefined) logins.endSession(session)
  const cookie = { 'set-cookie': cookieOf(visit, '') }
  if (redirect === undefined) {
    const page = messagePage('Logged out', 'You are logged out.')
    return { ...page, headers: { ...page.headers, ...cookie } }
  }
  const state = given.get('state')
  const query = state === undefined ? '' : `${redirect.includes('?') ? '&' : '?'}${new URLSearchParams({ state })}`
  return { status: 303, headers: { location: redirect + query, ...cookie }, body: undefined }
}
