import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import type { TokenFlaw } from '../../../src/wings/tokens/mint.ts'
import { tokensObserver } from '../../../src/wings/tokens/observe.ts'
import { steerTokens } from '../../../src/wings/tokens/steering.ts'
import { ISSUERS, withIssuer } from './login.ts'

const STRICT = ISSUERS.replace('lifetime: 10m', 'audience: api')
const GRANT = { grant_type: 'client_credentials' }

/** The reason that the refusal gives. */
const WHY: Readonly<Record<TokenFlaw, string>> = {
  expired: 'has expired',
  'not-yet': 'does not hold yet',
  signature: 'has a wrong signature',
  audience: 'is for another audience',
  issuer: 'is of another issuer',
  'algorithm-none': 'is not signed',
  'key-unknown': 'is signed with an unknown key',
}

for (const flaw of Object.keys(WHY) as TokenFlaw[]) {
  test(`a token with the flaw ${flaw} is refused`, async () => {
    const { gateway, call } = withIssuer(STRICT)
    const { token } = steerTokens(gateway)
    assert.equal((await call('GET /v1/pets', await token({ consumer: 'ada' }))).status, 200)
    const refused = await call('GET /v1/pets', await token({ consumer: 'ada', flaw }))
    assert.equal(refused.status, 401)
    const challenge = refused.headers['www-authenticate'] ?? ''
    assert.match(challenge, /^Bearer realm="Pets", error="invalid_token", error_description="the credential /)
    assert.equal(challenge.includes(WHY[flaw]), true, challenge)
  })
}

test('a token has the scopes, claims and lifetime that a test asks for, in its world', async () => {
  const { gateway, call } = withIssuer()
  gateway.worlds.create('alice')
  const { token } = steerTokens(gateway)
  const order = { consumer: 'ada', scopes: ['pets:write'], claims: { role: 'admin' }, lifetime: '1h', world: 'alice' }
  const text = await token(order)
  const { scope, role, exp = 0, iat = 0 } = decodeJwt(text)
  assert.deepEqual([scope, role, exp - iat], ['pets:write', 'admin', 3600])
  assert.equal((await call('POST /v1/pets', text, { 'understudy-world': 'alice' })).status, 201)
  assert.equal((await call('POST /v1/pets', text)).status, 401)
})

test('the consumer of a token is the one that it was made for', async () => {
  const { gateway, call } = withIssuer()
  const { token } = steerTokens(gateway)
  for (const consumer of ['ada', 'bob', 'shop', 'page']) {
    await call('GET /v1/me', await token({ consumer }))
    assert.equal([...gateway.journal.each()].at(-1)?.consumer, consumer)
  }
})

for (const [what, order, message] of [
  ['consumer', { consumer: 'adda' }, 'there is no consumer adda; did you mean "ada"?'],
  ['world', { consumer: 'ada', world: 'x' }, /^there is no world x/],
  ['issuer', { consumer: 'ada', issuer: 'defualt' }, 'there is no issuer defualt; did you mean "default"?'],
  ['lifetime', { consumer: 'ada', lifetime: 'x' }, '"lifetime" must be a duration, such as 10m'],
  [
    'audience',
    { consumer: 'ada', flaw: 'audience' as const },
    'the issuer default has no audience: it accepts a token for any',
  ],
] as const) {
  test(`a token of an unknown ${what} is refused with a hint`, async () => {
    await assert.rejects(steerTokens(withIssuer().gateway).token(order), { message })
  })
}

test('a rotated key stays in the key set for a lifetime', async () => {
  const { gateway, token, call, ask } = withIssuer()
  const { json: old } = await token(GRANT)
  const { keys, issuers } = gateway.observed(tokensObserver)
  const [issuer] = issuers?.own ?? []
  assert.ok(issuer)
  const kid = await (await keys).rotate(issuer)
  const kids = async () =>
    JSON.parse((await ask('GET /oauth/jwks')).text).keys.map((key: { readonly kid: string }) => key.kid)
  const [first, ...others] = await kids()
  assert.deepEqual([first, others.length], [kid, 1])
  assert.equal((await call('GET /v1/pets', old.access_token)).status, 200)
  const { json } = await token(GRANT)
  assert.equal((await call('GET /v1/pets', json.access_token)).status, 200)
  gateway.worlds.default.clock.adjust({ shift: 601_000 })
  assert.deepEqual(await kids(), [kid])
})
