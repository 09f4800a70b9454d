import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { gatewayOf, loadFiles, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'
import { BASIC, CONSUMERS, CONTRACT } from './login.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded', ...BASIC }
const raw = (fields: Readonly<Record<string, string>>) => new TextEncoder().encode(`${new URLSearchParams(fields)}`)

/** Gets a token of an issuer, and calls the API with it. */
async function useToken(issuer: string, files: Readonly<Record<string, string>> = {}, path = '/oauth2/token') {
  const yaml = `${CONTRACT}\nissuers: { default: ${issuer}, second: { path: /second } }${CONSUMERS}`
  const gateway = gatewayOf(loadFiles({ 'gateway.yaml': yaml, ...files }), new FixedClock())
  const given = await gateway.handle(
    requestOf(`POST ${path}`, { headers: FORM, raw: raw({ grant_type: 'client_credentials' }) }),
  )
  const { access_token: token } = JSON.parse(String(given.body))
  const headers = { authorization: `Bearer ${token}` }
  const { status } = await gateway.handle(requestOf('GET /v1/pets', { headers }))
  const { alg } = decodeProtectedHeader(token)
  return { status, alg, iss: decodeJwt(token).iss, gateway, headers }
}

const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const { privateKey: ec } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

test('a token is signed with RS256 where the issuer says so', async () => {
  const { status, alg } = await useToken('{ algorithm: RS256 }')
  assert.deepEqual([status, alg], [200, 'RS256'])
})

test('the key of an issuer may be a file', async () => {
  const pem = rsa.export({ type: 'pkcs8', format: 'pem' }).toString()
  const jwk = JSON.stringify(ec.export({ format: 'jwk' }))
  const first = await useToken('{ algorithm: RS256, key: ./key.pem }', { 'key.pem': pem })
  assert.deepEqual([first.status, first.alg], [200, 'RS256'])
  const second = await useToken('{ key: ./key.json }', { 'key.json': jwk })
  assert.deepEqual([second.status, second.alg], [200, 'ES256'])
})

test('the url of an issuer is its iss, as it is written', async () => {
  const { status, iss } = await useToken('{ url: "https://login.example.com/" }')
  assert.deepEqual([status, iss], [200, 'https://login.example.com/'])
})

test('a second issuer has its own path, and its tokens are accepted, too', async () => {
  const { status, iss, gateway, headers } = await useToken('{}', {}, '/second/token')
  assert.deepEqual([status, iss], [200, 'http://localhost/second'])
  const at = async (path: string) => (await gateway.handle(requestOf(`GET ${path}`, { headers }))).status
  // It lacks the scope `openid` at its issuer, and is foreign to the other one.
  assert.deepEqual([await at('/second/userinfo'), await at('/oauth/userinfo')], [403, 401])
})

test('a world on another contract has the issuers, too', async () => {
  const other = `${CONTRACT.replace('\ncontract:\n', '').replaceAll(/^ {2}/gm, '')}`
  const yaml = `${CONTRACT}worlds: { named: { next: { contract: ./next.yaml } } }\nissuers: { default: {} }${CONSUMERS}`
  const gateway = gatewayOf(loadFiles({ 'gateway.yaml': yaml, 'next.yaml': other }), new FixedClock())
  const world = { 'understudy-world': 'next' }
  const fields = { grant_type: 'password', username: 'ada', password: 'ada-password', scope: 'openid pets:read' }
  const given = await gateway.handle(
    requestOf('POST /oauth2/token', { headers: { ...FORM, ...world }, raw: raw(fields) }),
  )
  const { access_token: token } = JSON.parse(String(given.body))
  const headers = { authorization: `Bearer ${token}`, ...world }
  for (const path of ['/v1/pets', '/oauth/userinfo']) {
    assert.equal((await gateway.handle(requestOf(`GET ${path}`, { headers }))).status, 200, path)
  }
})
