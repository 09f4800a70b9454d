import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import { type Issued, makeAuthority } from '../../../wire/certificates.ts'
import { closeAll, closing, DOCUMENT, portOf } from './forwarding.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
after(async () => {
  await closeAll()
  rmSync(folder, { recursive: true })
})

const authority = await makeAuthority('staging')
const ca = join(folder, 'ca.pem')
writeFileSync(ca, authority.cert)

/** Returns the reply of a gateway before a real API with this certificate. */
async function replyOver(certificate: Issued, tls: object, asks = {}): Promise<Response> {
  const real = createServer({ ...certificate, ...asks }, (_, res) =>
    res.setHeader('content-type', 'application/json').end('[]'),
  )
  await new Promise<void>(resolve => real.listen(0, '127.0.0.1', resolve))
  closing.push(() => real.close())
  const upstream = { url: `https://127.0.0.1:${portOf(real)}`, tls }
  const config = { contract: DOCUMENT, upstream, defaults: { respond: { forward: {} } } }
  const gateway = await startGateway({ port: 0, controlPort: 0, config } as never)
  closing.push(() => gateway.close())
  return fetch(`${gateway.url}/pets`)
}

test('a real API is reached by the authority that upstream.tls.ca names', async () => {
  const reply = await replyOver(await authority.issue('CN=localhost'), { ca })
  assert.deepEqual([reply.status, await reply.json()], [200, []])
})

test('a real API that asks for a client certificate is shown that of upstream.tls; without one a 502 says so', async () => {
  const own = await authority.issue('CN=tester')
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  writeFileSync(key, own.key)
  writeFileSync(cert, own.cert)
  const asks = { requestCert: true, ca: authority.cert }
  const reply = await replyOver(await authority.issue('CN=localhost'), { ca, key, cert }, asks)
  assert.deepEqual([reply.status, await reply.json()], [200, []])
  const none = await replyOver(await authority.issue('CN=localhost'), { ca }, asks)
  assert.equal(none.status, 502)
  assert.match(await none.text(), /asks for a client certificate; name it in upstream\.tls\.cert and key/)
})

for (const [title, days, tls, reason] of [
  ['an expired certificate', -1, { ca }, /has an expired certificate/],
  ['a certificate of an unknown authority', 5, {}, /unknown authority; name it in upstream\.tls\.ca/],
] as const) {
  test(`${title} is a 502 that says so`, async () => {
    const reply = await replyOver(await authority.issue('CN=localhost', days), tls)
    assert.equal(reply.status, 502)
    assert.match(((await reply.json()) as { detail: string }).detail, reason)
    assert.equal(reply.headers.get('understudy-replied'), 'simulation')
  })
}
