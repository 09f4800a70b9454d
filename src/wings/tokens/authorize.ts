// The authorization endpoint (RFC 6749 §4.1, RFC 7636, OpenID Connect Core §3.1.2).

import { cookieValues } from '../../contract/document/parameters.ts'
import { firstOf, type Reply } from '../../kernel/http.ts'
import { attempted } from '../../kernel/memo.ts'
import type { Client, User } from './block.ts'
import type { Session } from './logins.ts'
import { choicePage, messagePage } from './page.ts'
import { OAuthError, Parameters, type Visit } from './visit.ts'

/** A code holds for a minute of the world. */
const CODE_LIFETIME = 60_000
const SESSION_LIFETIME = 86_400_000

/** Answers a request in the query. */
export const answerAuthorize = (visit: Visit): Promise<Reply> =>
  authorize(visit, new Parameters(visit.query), undefined)

/** Answers the choice of the page, or a request in a form. */
export async function answerDecision(visit: Visit): Promise<Reply> {
  const form = await visit.readForm()
  const isDecision = form.get('user') !== undefined || form.get('deny') !== undefined
  return authorize(visit, isDecision ? new Parameters(visit.query) : form, isDecision ? form : undefined)
}

async function authorize(visit: Visit, request: Parameters, decision: Parameters | undefined): Promise<Reply> {
  const client = visit.issuers.clients.get(request.get('client_id') ?? '')
  if (client === undefined) return messagePage('Unknown client', 'client_id names no client.', 400)
  const sent = request.get('redirect_uri')
  const redirect = findRedirect(client, sent)
  if (redirect === undefined) {
    // RFC 6749 §4.1.2.4: never redirect there.
    return messagePage('Unknown redirect', `redirect_uri is not registered for ${client.id}.`, 400)
  }
  const back = (fields: Readonly<Record<string, string | undefined>>, cookie?: string): Reply => {
    const all = { ...fields, state: request.get('state'), iss: visit.iss }
    const pairs = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined)
    const location = `${redirect}${redirect.includes('?') ? '&' : '?'}${new URLSearchParams(pairs)}`
    const headers = { location, 'cache-control': 'no-store', ...(cookie !== undefined && { 'set-cookie': cookie }) }
    return { status: visit.exchange.request.method === 'POST' ? 303 : 302, headers, body: undefined }
  }
  try {
    const wish = readWish(visit, request, client)
    if (decision?.get('deny') !== undefined) throw new OAuthError('access_denied', 'the user has denied access')
    const { session, cookie } = logIn(visit, wish, decision?.get('user'))
    if (session === undefined)
      return choicePage({ ...wish, client: client.id, users: [...visit.issuers.users.keys()], query: `${request}` })
    const user = visit.issuers.users.get(session.user) as User
    visit.exchange.consumer = user.name
    const code = visit.logins.add('codes', {
      grant: '',
      client: client.id,
      user: user.name,
      scopes: wish.scopes.filter(scope => visit.mayHave(user, scope)),
      authTime: session.authTime,
      until: visit.now + CODE_LIFETIME,
      nonce: request.get('nonce'),
      redirect: sent,
      challenge: wish.challenge,
      plain: wish.isPlain,
    })
    return back({ code }, cookie)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return back({ error: error.code, error_description: error.message })
  }
}

/** The parts of an authorization request. */
interface Wish {
  readonly scopes: readonly string[]
  readonly challenge: string | undefined
  readonly isPlain: boolean
  readonly prompts: readonly string[]
  readonly hint: string | undefined
  /** In seconds. */
  readonly maxAge: number
}

/** Reads an authorization request, or refuses it. */
function readWish(visit: Visit, request: Parameters, client: Client): Wish {
  const type = request.need('response_type')
  if (type !== 'code') throw new OAuthError('unsupported_response_type', 'response_type must be code')
  for (const name of ['request', 'request_uri']) {
    if (request.get(name) !== undefined) throw new OAuthError(`${name}_not_supported`, `${name} is not supported`)
  }
  const refuse = (description: string): never => {
    throw new OAuthError('invalid_request', description)
  }
  if ((request.get('response_mode') ?? 'query') !== 'query') refuse('response_mode must be query')
  const challenge = request.get('code_challenge')
  const method = request.get('code_challenge_method') ?? 'plain'
  if (challenge === undefined && client.secret === undefined) refuse('a client without a secret must use PKCE')
  if (challenge !== undefined && !/^[\w.~-]{43,128}$/.test(challenge)) refuse('code_challenge is malformed')
  if (method !== 'plain' && method !== 'S256') refuse('code_challenge_method must be S256 or plain')
  const prompts = request.get('prompt')?.split(' ') ?? []
  if (prompts.includes('none') && prompts.length > 1) refuse('prompt=none excludes others')
  const maxAge = Number(request.get('max_age') ?? Number.POSITIVE_INFINITY)
  if (!(maxAge >= 0)) refuse('max_age must be a number of seconds')
  const scopes = visit.scopesOf(request.get('scope'), client)
  return { scopes, challenge, isPlain: method === 'plain', prompts, hint: request.get('login_hint'), maxAge }
}

/** Returns the session of the user, and the cookie of a new one; no session where the user has to choose. */
function logIn(
  visit: Visit,
  { prompts, hint, maxAge }: Wish,
  chosen: string | undefined,
): { readonly session: Session | undefined; readonly cookie?: string } {
  const { logins, now, issuer, issuers } = visit
  const existing = logins.sessionOf(sessionCookie(visit), now)
  const isFresh = existing !== undefined && now <= (existing.authTime + maxAge) * 1000
  const isMeant = isFresh && (hint === undefined || hint === existing.user) && issuers.users.has(existing.user)
  const user = chosen ?? (issuer.hints ? hint : undefined)
  if (chosen === undefined && isMeant && !prompts.some(prompt => prompt !== 'none')) return { session: existing }
  if (prompts.includes('none')) throw new OAuthError('login_required', 'the user is not logged in')
  if (user === undefined || !issuers.users.has(user)) return { session: undefined }
  const session: Session = { user, authTime: Math.floor(now / 1000), until: now + SESSION_LIFETIME }
  return { session, cookie: cookieOf(visit, logins.startSession(session)) }
}

const nameOf = ({ issuer }: Visit): string => `understudy-login-${issuer.name}`

export const sessionCookie = (visit: Visit): string | undefined =>
  cookieValues(firstOf(visit.exchange.request.headers.cookie), nameOf(visit))[0]

/** @param secret empty to remove it */
export const cookieOf = (visit: Visit, secret: string): string => {
  const secure = visit.issuers.scheme === 'https' ? '; Secure' : ''
  const age = secret === '' ? '; Max-Age=0' : ''
  return `${nameOf(visit)}=${secret}; Path=${visit.cookiePath}; HttpOnly; SameSite=Lax${secure}${age}`
}

const LOOPBACK = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/

/** Returns a URI that is registered: the one that was sent, or the only one. */
export function findRedirect({ redirects }: Client, sent: string | undefined): string | undefined {
  if (sent === undefined) return redirects.length === 1 ? redirects[0] : undefined
  return redirects.some(registered => registered === sent || isLoopbackOf(registered, sent)) ? sent : undefined
}

/** RFC 8252 §7.3: a native client listens at any port of the loopback interface. */
function isLoopbackOf(registered: string, sent: string): boolean {
  const [a, b] = [registered, sent].map(text => attempted(() => new URL(text)))
  if (a === undefined || b === undefined || a.protocol !== 'http:' || !LOOPBACK.test(a.hostname)) return false
  b.port = a.port
  return a.href === b.href && !sent.includes('#') && b.username === ''
}
