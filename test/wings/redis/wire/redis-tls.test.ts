// Redis over TLS, with a certificate of a private authority.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort } from '../../../support/free-ports.ts'
import { untilSaid } from '../../../support/until.ts'
import { makeAuthority } from '../../../wire/certificates.ts'
import { NO_REDIS, RedisServer } from '../../../wire/redis-server.ts'
import { NOTES, Replicas } from '../../../wire/replicas.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-redis-tls-'))
const replicas = new Replicas()
after(() => {
  replicas.end()
  rmSync(folder, { recursive: true })
})

test('rediss:// uses TLS with the authority in NODE_EXTRA_CA_CERTS', { skip: NO_REDIS }, async t => {
  const authority = await makeAuthority('Test authority')
  const { key, cert } = await authority.issue('localhost')
  const path = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  const ca = path('ca.pem', authority.cert)
  const port = await freePort()
  const server = new RedisServer(
    ...['--tls-port', String(port), '--tls-auth-clients', 'no', '--tls-ca-cert-file', ca],
    ...['--tls-cert-file', path('cert.pem', cert), '--tls-key-file', path('key.pem', key)],
  )
  t.after(() => server.remove())
  if ((await server.start().catch(() => undefined)) === undefined) return t.skip('redis-server was built without TLS')

  const config = path('gateway.yaml', `${NOTES}\nstate: { redis: "rediss://localhost:${port}", prefix: tls }\n`)
  const trusting = { NODE_EXTRA_CA_CERTS: ca }
  const [one, two] = [await replicas.start(config, trusting), await replicas.start(config, trusting)]
  const made = await one.send('POST /notes', { text: 'secret' })
  assert.equal(made.status, 201)
  assert.deepEqual((await two.send(`GET /notes/${made.body.id}`)).body, made.body)

  // A process without the authority refuses the server.
  const strange = await replicas.start(config)
  assert.equal((await strange.send('GET /notes')).status, 503)
  await untilSaid(strange, /redis localhost:\d+ cannot be used: \S*(?:SELF_SIGNED|UNABLE_TO|CERT)/)
})
