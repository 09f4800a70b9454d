import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Gateway } from '../../../src/gateway/gateway.ts'
import { describeEntry } from '../../../src/gateway/journal/entry.ts'
import { type Log, silentLog } from '../../../src/gateway/log.ts'
import { effectiveConfiguration, maskText, unmaskText } from '../../../src/gateway/mask.ts'
import { WINGS } from '../../../src/wings.ts'
import { takeSnapshot } from '../../../src/world/snapshot.ts'
import { load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'
import { BASIC, CONTRACT, ISSUERS, type TokenReply, withIssuer } from './login.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const CALLBACK = 'http://localhost:3000/callback'

test('nothing secret is in the journal, the log, the metrics, a snapshot or an error', async () => {
  const lines: object[] = []
  const log: Log = { ...silentLog, requests: true, info: (fields, text) => lines.push({ ...fields, text }) }
  const { plan } = load(`${CONTRACT}${ISSUERS}\njournal: { bodies: 10kB, headers: true }`)
  assert.ok(plan)
  const gateway = new Gateway(plan, new FixedClock(), log, '0.0.0', { wings: WINGS })
  gateway.journal.watch()
  const errors: string[] = []
  const ask = async (what: string, fields?: Readonly<Record<string, string>>, headers = BASIC) => {
    const raw = fields && new TextEncoder().encode(`${new URLSearchParams(fields)}`)
    const reply = await gateway.handle(requestOf(what, { raw, headers: { ...FORM, ...headers } }))
    const text = String(reply.body)
    if (reply.status >= 400) errors.push(text, JSON.stringify(reply.headers))
    return { headers: reply.headers, json: (text.startsWith('{') ? JSON.parse(text) : {}) as TokenReply }
  }
  const request = { response_type: 'code', client_id: 'shop', redirect_uri: CALLBACK, scope: 'openid pets:read' }
  const { headers } = await ask(`POST /oauth2/authorize?${new URLSearchParams(request)}`, { user: 'ada' })
  const code = new URL(headers.location ?? '').searchParams.get('code') ?? ''
  const cookie = headers['set-cookie']?.split(';')[0] ?? ''
  const redeem = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
  const { json } = await ask('POST /oauth2/token', redeem)
  await ask('POST /oauth2/token', redeem)
  await ask('POST /oauth2/token', { ...redeem, client_id: 'shop', client_secret: 'a-wrong-secret' }, {} as never)
  await ask('POST /oauth2/token', { grant_type: 'refresh_token', refresh_token: json.refresh_token })
  await ask('POST /oauth2/token', { grant_type: 'password', username: 'ada', password: 'a-wrong-password' })
  await ask('POST /oauth/introspect', { token: json.access_token })
  await ask(`GET /oauth/logout?id_token_hint=${json.id_token}`, undefined, { ...BASIC, cookie } as never)
  await ask('GET /v1/me', undefined, { authorization: `Bearer ${json.access_token}` })
  await ask('GET /v1/nowhere/shop-secret?password=ada-password')
  const places: Readonly<Record<string, string>> = {
    journal: JSON.stringify([...gateway.journal.each()].map(describeEntry)),
    log: JSON.stringify(lines),
    metrics: await gateway.metrics.page(),
    snapshot: JSON.stringify(await takeSnapshot(gateway.worlds.default)),
    errors: errors.join(),
  }
  const { access_token: access, refresh_token: refresh, id_token: id } = json
  const secrets = [code, cookie.split('=')[1] ?? '', access, refresh, id, 'a-wrong-secret', 'a-wrong-password']
  for (const secret of [...secrets, 'ada-password', 'shop-secret', BASIC.authorization.slice(6)]) {
    assert.equal(secret.length > 10, true)
    for (const [place, text] of Object.entries(places))
      assert.equal(text.includes(secret), false, `${secret}: ${place}`)
  }
  assert.match(places.journal ?? '', /default\/token/)
  assert.equal(lines.length, [...gateway.journal.each()].length)
})

test('the configuration is shown without secrets, and taken back with them', () => {
  const short = ISSUERS.replaceAll('ada-password', 'pw')
  const { plan } = withIssuer(short).gateway
  const masked = maskText(short, plan)
  assert.equal(/shop-secret|: pw/.test(masked), false, masked)
  assert.equal(unmaskText(masked, plan), short)
  assert.equal(JSON.stringify(effectiveConfiguration(plan)).includes('shop-secret'), false)
})
