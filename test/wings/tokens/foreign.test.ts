import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { type JWTPayload, SignJWT } from 'jose'
import { gatewayOf, loadFiles, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'
import { CONTRACT } from './login.ts'

const YAML = `
issuers: { corp: { url: https://login.corp.example, jwks: ./jwks.json, audience: api, consumer: "\${claims.azp}" } }
consumers: { ada: { user: {} } }
`
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const JWKS = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'RS256' }] })

const CLAIMS = { iss: 'https://login.corp.example', aud: ['api'], azp: 'ada', scope: 'pets:read' }

async function statusOf(claims: JWTPayload, header: object = {}): Promise<number> {
  const clock = new FixedClock()
  const files = { 'gateway.yaml': CONTRACT + YAML, 'jwks.json': JWKS }
  const gateway = gatewayOf(loadFiles(files), clock)
  const token = await new SignJWT({ exp: clock.now() / 1000 + 60, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'first', ...header })
    .sign(privateKey)
  const reply = await gateway.handle(requestOf('GET /v1/pets', { headers: { authorization: `Bearer ${token}` } }))
  return reply.status
}

test('a token of a foreign issuer is checked by its keys', async () => {
  assert.equal(await statusOf(CLAIMS), 200)
  assert.equal(await statusOf({ ...CLAIMS, scope: 'pets:write' }), 403)
  assert.equal(await statusOf({ ...CLAIMS, aud: 'another' }), 401)
  assert.equal(await statusOf({ ...CLAIMS, azp: 'nobody' }), 401)
  assert.equal(await statusOf({ ...CLAIMS, exp: 1 }), 401)
  assert.equal(await statusOf({ ...CLAIMS, iss: 'https://other.example' }), 401)
  assert.equal(await statusOf(CLAIMS, { kid: 'another' }), 401)
})

test('a key that a token names by its address is never fetched', async () => {
  const jku = 'http://127.0.0.1:1/jwks'
  assert.equal(await statusOf(CLAIMS, { jku, x5u: jku }), 200)
  assert.equal(await statusOf(CLAIMS, { kid: 'another', jku, x5u: jku }), 401)
})
