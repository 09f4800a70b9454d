import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { startGateway } from '../../../../src/index.ts'
import { BASIC, CONTRACT, ISSUERS } from '../login.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))
writeFileSync(join(home, 'gateway.yaml'), CONTRACT + ISSUERS)

const readJson = async (response: Response) => (await response.json()) as Record<string, string>

test('a service checks a token by the keys of the issuer', async () => {
  const gateway = await startGateway({ config: join(home, 'gateway.yaml') })
  try {
    const metadata = await readJson(
      await fetch(`${new URL(gateway.url).origin}/oauth/.well-known/openid-configuration`),
    )
    const body = new URLSearchParams({ grant_type: 'client_credentials' })
    const given = await readJson(await fetch(metadata.token_endpoint ?? '', { method: 'POST', headers: BASIC, body }))
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri ?? ''))
    const { payload } = await jwtVerify(given.access_token ?? '', keys, {
      issuer: metadata.issuer ?? '',
      typ: 'at+jwt',
    })
    assert.equal(payload.sub, 'shop')
    const authorization = `Bearer ${given.access_token}`
    assert.equal((await fetch(`${gateway.url}/pets`, { headers: { authorization } })).status, 200)
  } finally {
    await gateway.close()
  }
})

test('a test gets tokens from the control plane and the library, and rotates the key', async () => {
  const gateway = await startGateway({ config: join(home, 'gateway.yaml') })
  const post = (path: string, body?: object) =>
    fetch(gateway.control + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const statusWith = async (token: string | undefined) =>
    (await fetch(`${gateway.url}/pets`, { headers: { authorization: `Bearer ${token}` } })).status
  try {
    const { token } = await readJson(await post('/issuers/default/tokens', { consumer: 'ada' }))
    assert.equal(await statusWith(token), 200)
    assert.equal(await statusWith(await gateway.token({ consumer: 'ada' })), 200)
    assert.equal(await statusWith(await gateway.token({ consumer: 'ada', flaw: 'expired' })), 401)
    const { kid } = await readJson(await post('/issuers/default/rotate'))
    assert.equal(typeof kid, 'string')
    assert.equal(await statusWith(token), 200)
    const unknown = await post('/issuers/default/tokens', { consumer: 'adda' })
    assert.match((await readJson(unknown)).detail ?? '', /did you mean "ada"/)
  } finally {
    await gateway.close()
  }
})

test('tokens, logins and keys outlast the process with the state', async () => {
  const config = join(home, 'kept.yaml')
  writeFileSync(config, `${CONTRACT + ISSUERS}state: { file: ./kept.state }\n`)
  const ask = async (fields: Record<string, string>) => {
    const { origin } = new URL(gateway.url)
    const body = new URLSearchParams(fields)
    return readJson(await fetch(`${origin}/oauth2/token`, { method: 'POST', headers: BASIC, body }))
  }
  let gateway = await startGateway({ config })
  const given = await ask({ grant_type: 'password', username: 'ada', password: 'ada-password' })
  await gateway.close()
  assert.equal(readFileSync(join(home, 'kept.state'), 'utf8').includes(given.refresh_token ?? ''), false)
  gateway = await startGateway({ config })
  try {
    const headers = { authorization: `Bearer ${given.access_token}` }
    assert.equal((await fetch(`${gateway.url}/pets`, { headers })).status, 200)
    const refresh = { grant_type: 'refresh_token', refresh_token: given.refresh_token ?? '' }
    assert.equal((await ask(refresh)).token_type, 'Bearer')
    assert.equal((await ask(refresh)).error, 'invalid_grant')
  } finally {
    await gateway.close()
  }
})
