import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { Logins } from '../../../src/wings/tokens/logins.ts'
import { BASIC, ISSUERS, withIssuer } from './login.ts'

const VERIFIER = 'a-verifier-of-at-least-forty-three-characters-01'
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')
const CALLBACK = 'http://localhost:3000/callback'
const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
const REQUEST = {
  response_type: 'code',
  client_id: 'shop',
  redirect_uri: CALLBACK,
  scope: 'openid pets:read pets:write',
  state: 'a state',
  nonce: 'n1',
  ...PKCE,
}
type Fields = Readonly<Record<string, string>>
type Issuer = ReturnType<typeof withIssuer>

const without = (fields: Fields, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

const authorize = ({ ask }: Issuer, fields: Fields = REQUEST, headers: Fields = {}) =>
  ask(`GET /oauth2/authorize?${new URLSearchParams(fields)}`, { headers })
const decide = ({ form }: Issuer, choice: Fields, fields: Fields = REQUEST) =>
  form(`POST /oauth2/authorize?${new URLSearchParams(fields)}`, choice)
const answerOf = (reply: { readonly headers: Fields }): Fields =>
  Object.fromEntries(new URL(reply.headers.location ?? 'http://none').searchParams)

/** Logs ada in, and returns the code and the cookie. */
async function logIn(issuer: Issuer, fields: Fields = REQUEST) {
  const reply = await decide(issuer, { user: 'ada' }, fields)
  const cookie = reply.headers['set-cookie']?.split(';')[0] ?? ''
  return { code: answerOf(reply).code ?? '', cookie }
}

const redeem = (issuer: Issuer, code: string, more: Fields = {}, headers: Fields = BASIC) =>
  issuer.token(
    { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...more },
    headers,
  )
const refresh = (issuer: Issuer, token: string, more: Fields = {}) =>
  issuer.token({ grant_type: 'refresh_token', refresh_token: token, ...more })

test('a user logs in on a page, and the client gets tokens', async () => {
  const issuer = withIssuer()
  const page = await authorize(issuer)
  assert.equal(page.status, 200)
  assert.match(page.text, /<button name="user" value="ada">Continue as ada<\/button>/)
  assert.match(page.headers['content-security-policy'] ?? '', /frame-ancestors 'none'/)
  const chosen = await decide(issuer, { user: 'ada' })
  const { code, state, iss } = answerOf(chosen)
  assert.deepEqual([chosen.status, state, iss], [303, 'a state', 'http://localhost/oauth'])
  const { json } = await redeem(issuer, code ?? '')
  assert.equal(json.scope, 'openid pets:read')
  const { aud, nonce, sub, email, auth_time: time } = decodeJwt(json.id_token)
  assert.deepEqual([aud, nonce, sub, email], ['shop', 'n1', 'ada', 'ada@example.com'])
  const pets = await issuer.call('GET /v1/pets', json.access_token)
  assert.equal(pets.status, 200)
  issuer.gateway.worlds.default.clock.adjust({ shift: 60_000 })
  const renewed = await refresh(issuer, json.refresh_token)
  assert.equal(decodeJwt(renewed.json.id_token).auth_time, time)
  assert.equal(decodeJwt(renewed.json.access_token).sub, 'ada')
})

test('a session logs in without the page, until it ends', async () => {
  const issuer = withIssuer()
  const { cookie } = await logIn(issuer)
  assert.match(cookie, /^understudy-login-default=/)
  const again = await authorize(issuer, { ...REQUEST, prompt: 'none' }, { cookie })
  assert.notEqual(answerOf(again).code, undefined)
  assert.equal((await authorize(issuer, { ...REQUEST, prompt: 'login' }, { cookie })).status, 200)
  assert.equal((await authorize(issuer, { ...REQUEST, login_hint: 'bob' }, { cookie })).status, 200)
  issuer.gateway.worlds.default.clock.adjust({ shift: 100_000 })
  assert.equal((await authorize(issuer, { ...REQUEST, max_age: '60' }, { cookie })).status, 200)
  const parameters = new URLSearchParams({ client_id: 'shop', post_logout_redirect_uri: CALLBACK, state: 's' })
  const logout = await issuer.ask(`GET /oauth/logout?${parameters}`, { headers: { cookie } })
  assert.equal(logout.headers.location, `${CALLBACK}?state=s`)
  assert.match(logout.headers['set-cookie'] ?? '', /Max-Age=0/)
  const after = await authorize(issuer, { ...REQUEST, prompt: 'none' }, { cookie })
  assert.deepEqual([answerOf(after).error, answerOf(after).state], ['login_required', 'a state'])
})

test('a reset logs everybody out, a fork keeps its logins, and time expires them', async () => {
  const issuer = withIssuer()
  const { worlds } = issuer.gateway
  const { code, cookie } = await logIn(issuer)
  const { json } = await redeem(issuer, code)
  worlds.create('fork', worlds.default)
  const inFork = (fields: Fields) =>
    authorize(issuer, { ...REQUEST, ...fields }, { cookie, 'understudy-world': 'fork' })
  assert.notEqual(answerOf(await inFork({ prompt: 'none' })).code, undefined)
  worlds.get('fork')?.clock.adjust({ shift: 31 * 86_400_000 })
  assert.equal(answerOf(await inFork({ prompt: 'none' })).error, 'login_required')
  issuer.gateway.reset()
  assert.equal((await refresh(issuer, json.refresh_token)).json.error, 'invalid_grant')
  assert.equal(answerOf(await authorize(issuer, { ...REQUEST, prompt: 'none' }, { cookie })).error, 'login_required')
})

test('login_hint logs in without the page where the issuer says so', async () => {
  const issuer = withIssuer(ISSUERS.replace('lifetime: 10m', 'login: hint'))
  assert.notEqual(answerOf(await authorize(issuer, { ...REQUEST, login_hint: 'ada' })).code, undefined)
  assert.equal((await authorize(issuer, { ...REQUEST, login_hint: 'nobody' })).status, 200)
})

test('a public client redirects to loopback at any port, and needs no secret', async () => {
  const issuer = withIssuer()
  const fields = { ...REQUEST, client_id: 'page', redirect_uri: 'http://127.0.0.1:49152/callback', scope: 'pets:read' }
  const { code } = await logIn(issuer, fields)
  const { json } = await redeem(issuer, code, { client_id: 'page', redirect_uri: fields.redirect_uri }, {})
  assert.deepEqual([json.scope, json.id_token], ['pets:read', undefined])
})

test('no refresh token is given where they are off', async () => {
  const issuer = withIssuer(ISSUERS.replace('30d', 'off'))
  const { code } = await logIn(issuer)
  assert.equal((await redeem(issuer, code)).json.refresh_token, undefined)
})

for (const [what, fields] of [
  ['an unknown client', { ...REQUEST, client_id: 'nobody' }],
  ['a redirect that is not registered', { ...REQUEST, redirect_uri: 'http://evil.example/callback' }],
  ['another path of a loopback', { ...REQUEST, redirect_uri: 'http://localhost:3000/callback/x' }],
  ['a loopback with a user', { ...REQUEST, redirect_uri: 'http://evil@localhost:3000/callback' }],
  ['no redirect where two are registered', without(REQUEST, 'redirect_uri')],
] as const) {
  test(`an authorization request with ${what} is never redirected`, async () => {
    const reply = await authorize(withIssuer(), fields)
    assert.deepEqual([reply.status, reply.headers.location], [400, undefined])
  })
}

for (const [what, fields, error] of [
  ['no response type', without(REQUEST, 'response_type'), 'invalid_request'],
  ['another response type', { ...REQUEST, response_type: 'token' }, 'unsupported_response_type'],
  ['a scope that no scheme has', { ...REQUEST, scope: 'cats' }, 'invalid_scope'],
  ['a malformed challenge', { ...REQUEST, code_challenge: 'short' }, 'invalid_request'],
  ['an unknown challenge method', { ...REQUEST, code_challenge_method: 'S512' }, 'invalid_request'],
  ['a fragment as its response', { ...REQUEST, response_mode: 'fragment' }, 'invalid_request'],
  ['a request object', { ...REQUEST, request: 'x.y.z' }, 'request_not_supported'],
  ['the URI of a request object', { ...REQUEST, request_uri: 'http://x' }, 'request_uri_not_supported'],
  ['two prompts with none', { ...REQUEST, prompt: 'none login' }, 'invalid_request'],
  ['a bad age', { ...REQUEST, max_age: 'x' }, 'invalid_request'],
  ['no session and no prompt', { ...REQUEST, prompt: 'none' }, 'login_required'],
  [
    'a public client without PKCE',
    without({ ...REQUEST, client_id: 'page', redirect_uri: 'http://127.0.0.1/callback' }, 'code_challenge'),
    'invalid_request',
  ],
] as const) {
  test(`an authorization request with ${what} is redirected with its error`, async () => {
    const reply = await authorize(withIssuer(), fields)
    assert.deepEqual([reply.status, answerOf(reply).error, answerOf(reply).state], [302, error, 'a state'])
  })
}

test('a user denies access', async () => {
  assert.equal(answerOf(await decide(withIssuer(), { deny: 'deny' })).error, 'access_denied')
})

test('a page escapes what a request says', async () => {
  const { text } = await authorize(withIssuer(), { ...REQUEST, state: '"><script>alert(1)</script>' })
  assert.equal(text.includes('<script'), false)
})

for (const [what, more, headers] of [
  ['a wrong verifier', { code_verifier: VERIFIER.replace('01', '02') }, BASIC],
  ['a verifier that is too short', { code_verifier: 'short' }, BASIC],
  ['an empty verifier', { code_verifier: '' }, BASIC],
  ['another redirect', { redirect_uri: 'http://localhost:3001/callback' }, BASIC],
  ['an unknown code', { code: 'x' }, BASIC],
  ['another client', { client_id: 'page' }, {}],
] as const) {
  test(`a code with ${what} is refused`, async () => {
    const issuer = withIssuer()
    const { code } = await logIn(issuer)
    const reply = await redeem(issuer, code, more, headers)
    assert.deepEqual([reply.status, reply.json.error], [400, 'invalid_grant'])
  })
}

test('a verifier without a challenge is refused', async () => {
  const issuer = withIssuer()
  const { code } = await logIn(issuer, without(REQUEST, 'code_challenge', 'code_challenge_method'))
  assert.equal((await redeem(issuer, code)).json.error, 'invalid_grant')
})

test('a code expires after a minute of its world', async () => {
  const issuer = withIssuer()
  const { code } = await logIn(issuer)
  issuer.gateway.worlds.default.clock.adjust({ shift: 61_000 })
  assert.equal((await redeem(issuer, code)).json.error, 'invalid_grant')
})

test('a code used twice revokes its tokens', async () => {
  const issuer = withIssuer()
  const { code } = await logIn(issuer)
  const { json } = await redeem(issuer, code)
  assert.equal((await redeem(issuer, code)).json.error, 'invalid_grant')
  assert.equal((await issuer.call('GET /v1/pets', json.access_token)).status, 401)
  assert.equal((await refresh(issuer, json.refresh_token)).json.error, 'invalid_grant')
})

test('a refresh token used twice revokes the login', async () => {
  const issuer = withIssuer()
  const { code } = await logIn(issuer)
  const { json: first } = await redeem(issuer, code)
  const { json: second } = await refresh(issuer, first.refresh_token, { scope: 'pets:read' })
  assert.equal(second.scope, 'pets:read')
  assert.equal((await refresh(issuer, second.refresh_token, { scope: 'pets:write' })).json.error, 'invalid_scope')
  assert.equal((await refresh(issuer, first.refresh_token)).json.error, 'invalid_grant')
  assert.equal((await refresh(issuer, second.refresh_token)).json.error, 'invalid_grant')
  assert.equal((await issuer.call('GET /v1/pets', second.access_token)).status, 401)
})

test('100,000 codes take bounded memory', () => {
  const { gateway } = withIssuer()
  const logins = new Logins(gateway.worlds.default)
  const login = { grant: '', client: 'shop', user: 'ada', scopes: [], authTime: 0, until: Number.POSITIVE_INFINITY }
  const codes = Array.from({ length: 100_000 }, () => logins.add('codes', login))
  const kept = codes.filter(code => logins.find('codes', code, 0) !== undefined)
  assert.deepEqual([kept.length, kept.at(-1)], [10_000, codes.at(-1)])
})

test('no number of codes ends a login', async () => {
  const issuer = withIssuer(ISSUERS.replace('lifetime: 10m', 'login: hint'))
  const { code } = await logIn(issuer)
  const { json } = await redeem(issuer, code)
  for (let i = 0; i < 10_001; i++) await authorize(issuer, { ...REQUEST, login_hint: 'ada' })
  assert.equal((await issuer.call('GET /v1/pets', json.access_token)).status, 200)
})
