// Certificates that are made at start, change while the gateway runs, or have a mistake.

import assert from 'node:assert/strict'
import { request } from 'node:https'
import { describe, test } from 'node:test'
import { ConfigurationError, startGateway } from '../../src/index.ts'
import { assertPrintsFingerprint, CONSUMERS, handshake, makeClient } from './tls-client.ts'

const { authority, server, get, configure, write } = await makeClient()

write('ca.pem', authority.cert)
write('key.pem', server.key)
write('cert.pem', server.cert)

test('a self-signed certificate can be combined with client certificates', async () => {
  const config = configure('{ ca: ./ca.pem, clients: wanted }', `${CONSUMERS}\n`)
  const gateway = await startGateway({ config })
  try {
    const ann = { ...(await authority.issue('CN=ann')), rejectUnauthorized: false }
    assert.equal((await get(`${gateway.url}/mine`, ann)).status, 200)
    assert.equal((await get(`${gateway.url}/mine`, { rejectUnauthorized: false })).status, 401)
  } finally {
    await gateway.close()
  }
})

test('`self-signed` makes a certificate for this machine at start', async () => {
  const gateway = await startGateway({ config: configure('self-signed') })
  try {
    const socket = await handshake(gateway.url)
    const { raw, subjectaltname } = socket.getPeerCertificate()
    socket.destroy()
    assert.match(subjectaltname ?? '', /DNS:localhost/)
    assert.match(subjectaltname ?? '', /IP Address:127\.0\.0\.1/)
    const ca = `-----BEGIN CERTIFICATE-----\n${raw.toString('base64')}\n-----END CERTIFICATE-----\n`
    assert.equal((await get(`${gateway.url}/open`, { ca })).status, 200, 'it verifies itself')
  } finally {
    await gateway.close()
  }
})

test('the program prints the fingerprint of its self-signed certificate', () =>
  assertPrintsFingerprint(configure('self-signed')))

test('a changed certificate file applies to the next connection', async () => {
  const [first, second] = [await authority.issue('CN=first'), await authority.issue('CN=second')]
  write('moving-key.pem', first.key)
  write('moving.pem', first.cert)
  const gateway = await startGateway({ config: configure('{ key: ./moving-key.pem, cert: ./moving.pem }') })
  try {
    const subject = async () => {
      const socket = await handshake(gateway.url)
      const { CN } = socket.getPeerCertificate().subject
      socket.destroy()
      return CN
    }
    assert.equal(await subject(), 'first')
    const reload = () =>
      new Promise<number>((resolve, reject) => {
        const options = { method: 'POST', rejectUnauthorized: false, agent: false } as const
        const sent = request(`${gateway.control}/reload`, options, reply => {
          reply.resume().on('end', () => resolve(reply.statusCode as number))
        })
        sent.on('error', reject).end()
      })
    write('moving.pem', second.cert)
    assert.equal(await reload(), 422, 'the key is not the one of the new certificate')
    assert.equal(await subject(), 'first')
    write('moving-key.pem', second.key)
    assert.equal(await reload(), 200)
    assert.equal(await subject(), 'second')
  } finally {
    await gateway.close()
  }
})

describe('a mistake in listen.tls is reported with its place', async () => {
  const other = await authority.issue('CN=other')
  const expired = await authority.issue('CN=old', -1)
  write('other-key.pem', other.key)
  write('expired.pem', expired.cert)
  write('expired-key.pem', expired.key)
  write('nonsense.pem', 'hello')
  for (const [tls, message] of [
    ['{ key: ./key.pem, cert: ./cert.pm }', /:1:\d+ error no-such-file: there is no such file: .*cert\.pm/],
    ['{ key: ./nonsense.pem, cert: ./cert.pem }', /:1:\d+ error invalid-key: this file contains no private key/],
    ['{ key: ./key.pem, cert: ./nonsense.pem }', /:1:\d+ error invalid-certificate: this file contains no certificate/],
    [
      '{ key: ./other-key.pem, cert: ./cert.pem }',
      /:1:\d+ error key-mismatch: this key does not belong to the certificate in \.\/cert\.pem/,
    ],
    [
      '{ key: ./expired-key.pem, cert: ./expired.pem }',
      /:1:\d+ error expired-certificate: the certificate expired on \d{4}-/,
    ],
    ['{ key: ./key.pem, cert: ./cert.pem, clients: wanted }', /:1:\d+ error missing-ca: /],
    ['{ key: ./key.pem, cert: ./cert.pem, ca: ./nonsense.pem }', /:1:\d+ error invalid-certificate: /],
    ['{ key: ./key.pem }', /:1:\d+ error missing-key: .*cert/],
    ['{ kee: ./key.pem, cert: ./cert.pem }', /:1:\d+ error unknown-key: .*kee/],
    ['self-singed', /:1:\d+ error invalid-value: "tls" must be "self-signed" or a block/],
  ] as const) {
    test(tls, async () => {
      await assert.rejects(startGateway({ config: configure(tls) }), error => {
        assert.ok(error instanceof ConfigurationError)
        assert.match(error.message, message)
        return true
      })
    })
  }

  test('an invalid subject of a consumer', async () => {
    const tls = '{ key: ./key.pem, cert: ./cert.pem, ca: ./ca.pem, clients: wanted }'
    const config = configure(tls, 'consumers: { ann: { mtls: ann } }\n')
    await assert.rejects(
      startGateway({ config }),
      /:2:\d+ error invalid-value: a client certificate is identified by its subject/,
    )
  })
})
