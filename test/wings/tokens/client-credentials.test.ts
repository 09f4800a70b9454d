import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { BASIC, CONSUMERS, withIssuer } from './login.ts'

const GRANT = { grant_type: 'client_credentials' }

test('a client gets a token, and calls the API with it', async () => {
  const { token, call } = withIssuer()
  const { status, json, headers } = await token(GRANT)
  assert.deepEqual([status, headers['cache-control']], [200, 'no-store'])
  const { access_token: accessToken, token_type: type, expires_in: lifetime, scope } = json
  assert.deepEqual([type, lifetime, scope], ['Bearer', 600, 'pets:read pets:write'])
  const claims = decodeJwt(accessToken)
  const { iss, aud, sub, client_id: client, tenant } = claims
  const address = 'http://localhost/oauth'
  assert.deepEqual([iss, aud, sub, client, tenant], [address, address, 'shop', 'shop', 'acme'])
  assert.equal(decodeProtectedHeader(accessToken).typ, 'at+jwt')
  assert.equal('nbf' in claims, false)
  assert.equal((await call('GET /v1/pets', accessToken)).status, 200)
  assert.equal((await call('GET /v1/me', accessToken)).status, 200)
})

test('a token lacks the scopes that the client did not ask for', async () => {
  const { token, call } = withIssuer()
  const { json } = await token({ ...GRANT, scope: 'pets:read' })
  const refused = await call('POST /v1/pets', json.access_token)
  assert.equal(refused.status, 403)
  assert.match(refused.headers['www-authenticate'] ?? '', /error="insufficient_scope", scope="pets:write"/)
})

test('a token expires by the clock of its world', async () => {
  const { token, call, gateway, clock } = withIssuer()
  const { json } = await token(GRANT)
  gateway.worlds.default.clock.adjust({ shift: 601_000 })
  const refused = await call('GET /v1/pets', json.access_token)
  assert.equal(refused.status, 401)
  assert.match(refused.headers['www-authenticate'] ?? '', /^Bearer realm="Pets", error="invalid_token", .*expired/)
  assert.equal(clock.slept.length, 0)
})

test('a bearer text that is no JWT is the key of a consumer', async () => {
  const { call } = withIssuer()
  assert.equal((await call('GET /v1/me', 'bobs-old-key')).status, 200)
  assert.equal((await call('GET /v1/me', 'another')).status, 401)
  // No consumer has a key for the scheme `oauth`: only tokens count.
  assert.equal((await call('GET /v1/pets', 'another')).status, 401)
})

test('the password of a user gets a token where the contract has that flow', async () => {
  const { token, call } = withIssuer()
  const fields = { grant_type: 'password', username: 'ada', password: 'ada-password' }
  const { json } = await token({ ...fields, scope: 'pets:read pets:write' })
  assert.equal(json.scope, 'pets:read')
  assert.equal((await call('GET /v1/pets', json.access_token)).status, 200)
  assert.equal((await token({ ...fields, password: 'wrong' })).json.error, 'invalid_grant')
  assert.equal((await token({ ...fields, username: 'bob', password: '' })).json.error, 'invalid_request')
})

test('the metadata and the keys are those of the address', async () => {
  const { ask } = withIssuer()
  const host = { headers: { host: 'mock:4010' } }
  const { json } = await ask('GET /oauth/.well-known/openid-configuration', host)
  assert.equal(json.issuer, 'http://mock:4010/oauth')
  assert.equal(json.token_endpoint, 'http://mock:4010/oauth2/token')
  assert.deepEqual((await ask('GET /.well-known/oauth-authorization-server/oauth', host)).json, json)
  const { text } = await ask('GET /oauth/jwks')
  const [{ d, ...key }] = JSON.parse(text).keys
  assert.deepEqual([d, key.kty, key.alg, key.use], [undefined, 'EC', 'ES256', 'sig'])
})

for (const [what, fields, headers, status, error] of [
  ['no grant type', {}, BASIC, 400, 'invalid_request'],
  ['an unknown grant type', { grant_type: 'x' }, BASIC, 400, 'unsupported_grant_type'],
  ['an unknown client', { ...GRANT, client_id: 'x' }, {}, 401, 'invalid_client'],
  ['a wrong secret', { ...GRANT, client_id: 'shop', client_secret: 'x' }, {}, 401, 'invalid_client'],
  ['no secret', { ...GRANT, client_id: 'shop' }, {}, 401, 'invalid_client'],
  ['two ways to authenticate', { ...GRANT, client_secret: 'shop-secret' }, BASIC, 400, 'invalid_request'],
  ['another client than the authenticated', { ...GRANT, client_id: 'page' }, BASIC, 401, 'invalid_client'],
  ['a public client for itself', { ...GRANT, client_id: 'page' }, {}, 400, 'unauthorized_client'],
  ['a scope that no scheme has', { ...GRANT, scope: 'cats' }, BASIC, 400, 'invalid_scope'],
  ['no JSON', GRANT, { ...BASIC, 'content-type': 'application/json' }, 400, 'invalid_request'],
] as const) {
  test(`the token endpoint refuses ${what}`, async () => {
    const { token } = withIssuer()
    const reply = await token(fields, headers)
    assert.deepEqual([reply.status, reply.json.error], [status, error])
  })
}

test('a repeated parameter is refused', async () => {
  const { ask } = withIssuer()
  const raw = new TextEncoder().encode('grant_type=client_credentials&scope=a&scope=b')
  const headers = { ...BASIC, 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await ask('POST /oauth2/token', { raw, headers })).json.error, 'invalid_request')
})

test('without issuers there is neither an operation nor an examination', () => {
  const { gateway } = withIssuer('consumers: { shop: { bearer: key } }')
  assert.deepEqual(
    gateway.plan.operations.map(({ operation }) => operation.id),
    ['listPets', 'createPet', 'getMe'],
  )
  assert.equal(CONSUMERS.includes('issuers'), false)
})
