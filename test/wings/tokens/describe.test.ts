import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASIC, withIssuer } from './login.ts'

const PASSWORD = { grant_type: 'password', username: 'ada', password: 'ada-password', scope: 'openid pets:read' }

test('userinfo has the claims of the user', async () => {
  const { token, call } = withIssuer()
  const { json } = await token(PASSWORD)
  for (const method of ['GET', 'POST']) {
    const { json: info } = await call(`${method} /oauth/userinfo`, json.access_token)
    assert.deepEqual(info, { email: 'ada@example.com', sub: 'ada' })
  }
})

test('userinfo refuses as RFC 6750 says', async () => {
  const { token, call, ask, gateway } = withIssuer()
  const bare = await ask('GET /oauth/userinfo')
  assert.deepEqual([bare.status, bare.headers['www-authenticate']], [401, 'Bearer realm="default"'])
  const challengeOf = async (text: string) => {
    const { status, headers } = await call('GET /oauth/userinfo', text)
    return [status, /error="(\w+)"/.exec(headers['www-authenticate'] ?? '')?.[1]]
  }
  assert.deepEqual(await challengeOf('nothing'), [401, 'invalid_token'])
  const { json: lacking } = await token({ ...PASSWORD, scope: 'pets:read' })
  assert.deepEqual(await challengeOf(lacking.access_token), [403, 'insufficient_scope'])
  const { json } = await token(PASSWORD)
  assert.deepEqual(await challengeOf(json.id_token), [401, 'invalid_token'])
  gateway.worlds.default.clock.adjust({ shift: 601_000 })
  assert.deepEqual(await challengeOf(json.access_token), [401, 'invalid_token'])
})

test('introspection describes tokens that hold', async () => {
  const { token, form, gateway } = withIssuer()
  const introspect = (text: string) => form('POST /oauth/introspect', { token: text }, BASIC)
  const { json } = await token(PASSWORD)
  const { json: access } = await introspect(json.access_token)
  assert.deepEqual(
    [access.active, access.sub, access.client_id, access.scope, access.tenant],
    [true, 'ada', 'shop', 'openid pets:read', 'acme'],
  )
  assert.equal((await introspect(json.refresh_token)).json.active, true)
  for (const text of [json.id_token, 'x', `${json.access_token}x`, 'x'.repeat(900_000)]) {
    assert.deepEqual((await introspect(text)).json, { active: false })
  }
  gateway.worlds.default.clock.adjust({ shift: 601_000 })
  assert.deepEqual((await introspect(json.access_token)).json, { active: false })
})

test('introspection needs a client with a secret, and a token', async () => {
  const { form } = withIssuer()
  const asked = async (fields: Readonly<Record<string, string>>, headers = {}) => {
    const { status, json } = await form('POST /oauth/introspect', fields, headers)
    return [status, json.error]
  }
  assert.deepEqual(await asked({ token: 'x' }), [401, 'invalid_client'])
  assert.deepEqual(await asked({ token: 'x', client_id: 'page' }), [401, 'invalid_client'])
  assert.deepEqual(await asked({}, BASIC), [400, 'invalid_request'])
})

test('a revoked token is refused, and no other one', async () => {
  const { token, form, call } = withIssuer()
  const [first, second] = [(await token(PASSWORD)).json, (await token(PASSWORD)).json]
  const revoke = (text: string, fields = {}, headers = BASIC) =>
    form('POST /oauth/revoke', { token: text, ...fields }, headers)
  assert.equal((await revoke(first.access_token)).status, 200)
  assert.equal((await call('GET /v1/pets', first.access_token)).status, 401)
  assert.equal((await call('GET /v1/pets', second.access_token)).status, 200)
  const renewed = await token({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  assert.equal(renewed.status, 200)
  assert.equal((await revoke(second.refresh_token)).status, 200)
  assert.equal((await call('GET /v1/pets', second.access_token)).status, 401)
  assert.equal((await revoke('unknown')).status, 200)
  const foreign = await form('POST /oauth/revoke', { token: renewed.json.access_token, client_id: 'page' })
  assert.deepEqual([foreign.status, foreign.json.error], [400, 'invalid_grant'])
  const nobody = await form('POST /oauth/revoke', { token: 'x' })
  assert.deepEqual([nobody.status, nobody.json.error], [401, 'invalid_client'])
})

test('a logout redirects to registered addresses only', async () => {
  const { ask, token } = withIssuer()
  const to = (fields: Readonly<Record<string, string>>) => ask(`GET /oauth/logout?${new URLSearchParams(fields)}`)
  assert.equal((await to({})).status, 200)
  const evil = await to({ client_id: 'shop', post_logout_redirect_uri: 'http://evil.example' })
  assert.deepEqual([evil.status, evil.headers.location], [400, undefined])
  const { json } = await token(PASSWORD)
  const fields = { id_token_hint: json.id_token, post_logout_redirect_uri: 'http://localhost:9/callback' }
  assert.equal((await to(fields)).headers.location, 'http://localhost:9/callback')
})
