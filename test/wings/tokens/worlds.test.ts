import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Logins } from '../../../src/wings/tokens/logins.ts'
import { BASIC, withIssuer } from './login.ts'

const GRANT = { grant_type: 'client_credentials' }
const basicIn = (world: string) => ({ ...BASIC, 'understudy-world': world })
const statusIn = (call: ReturnType<typeof withIssuer>['call'], token: string, world: string) =>
  call('GET /v1/pets', token, { 'understudy-world': world }).then(({ status }) => status)

test('a token expires in one world, and holds in another', async () => {
  const { token, call, gateway } = withIssuer()
  const { json } = await token(GRANT)
  gateway.worlds.create('alice', gateway.worlds.default)
  gateway.worlds.get('alice')?.clock.adjust({ shift: 601_000 })
  assert.equal(await statusIn(call, json.access_token, 'alice'), 401)
  assert.equal((await call('GET /v1/pets', json.access_token)).status, 200)
})

test('a token holds in forks of its world, and in no other', async () => {
  const { token, call, gateway } = withIssuer()
  const { json } = await token(GRANT)
  const { default: origin } = gateway.worlds
  gateway.worlds.create('fork', origin)
  gateway.worlds.create('stranger')
  assert.equal(await statusIn(call, json.access_token, 'fork'), 200)
  assert.equal(await statusIn(call, json.access_token, 'stranger'), 401)
  const { json: forked } = await token(GRANT, basicIn('fork'))
  assert.equal(await statusIn(call, forked.access_token, 'fork'), 200)
  assert.equal(await statusIn(call, forked.access_token, origin.name), 401)
})

test('a reset ends the tokens of a world; its keys stay', async () => {
  const { token, call, ask, gateway } = withIssuer()
  const { json } = await token(GRANT)
  const keys = await ask('GET /oauth/jwks')
  gateway.reset()
  assert.equal((await call('GET /v1/pets', json.access_token)).status, 401)
  assert.equal((await ask('GET /oauth/jwks')).text, keys.text)
})

test('the metadata in a world name the issuer of that world', async () => {
  const { ask, form, call } = withIssuer()
  const { json } = await ask('GET /~alice/oauth/.well-known/openid-configuration')
  assert.equal(json.issuer, 'http://localhost/~alice/oauth')
  assert.equal(json.token_endpoint, 'http://localhost/~alice/oauth2/token')
  const { json: given } = await form('POST /~alice/oauth2/token', GRANT, basicIn('alice'))
  assert.equal(await statusIn(call, given.access_token, 'alice'), 200)
  assert.equal((await call('GET /v1/pets', given.access_token)).status, 401)
})

test('no number of logins ends the tokens of clients', async () => {
  const { token, call, gateway } = withIssuer()
  const { json } = await token(GRANT)
  const logins = new Logins(gateway.worlds.default)
  const grants = Array.from({ length: 10_001 }, () => logins.newGrant())
  assert.deepEqual([logins.holds(grants[0]), logins.holds(grants[1])], [false, true])
  assert.equal((await call('GET /v1/pets', json.access_token)).status, 200)
  assert.equal((await call('GET /v1/pets', (await token(GRANT)).json.access_token)).status, 200)
})
