// The API and the control plane over https: configured and self-signed certificates, client certificates, and mistakes.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { Agent, type AgentOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { ConfigurationError, startGateway } from '../../src/index.ts'
import { PROGRAM } from '../support/built-program.ts'
import { makeAuthority } from './certificates.ts'
import { Raw } from './raw.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
const write = (name: string, text: string): string => {
  writeFileSync(join(home, name), text)
  return join(home, name)
}
const authority = await makeAuthority('Staging')
const stranger = await makeAuthority('Elsewhere')
const server = await authority.issue('CN=localhost')
write('ca.pem', authority.cert)
write('key.pem', server.key)
write('cert.pem', server.cert)

const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Secure, version: "1" }
  paths:
    /open: { get: { operationId: open, responses: { "200": { description: Anybody } } } }
    /mine:
      get: { operationId: mine, security: [{ mtls: [] }], responses: { "200": { description: Known callers } } }
  components: { securitySchemes: { mtls: { type: mutualTLS } } }
operations:
  open: { respond: { status: 200 } }
  mine: { respond: { status: 200 } }
`
const CONSUMERS = 'consumers: { ann: { mtls: "CN=ann" }, acme: { mtls: "CN=ann, O=Acme" } }'
let files = 0
const configure = (tls: string, more = ''): string =>
  write(`gateway-${++files}.yaml`, `listen: { tls: ${tls} }\n${more}${CONTRACT}`)

interface Got {
  readonly status: number
  readonly text: string
  readonly connection: string | undefined
}
const get = (url: string, options: AgentOptions & { headers?: Record<string, string> } = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { headers, ...secret } = options
    const agent = new Agent({ ca: authority.cert, ...secret })
    const sent = request(url, { agent, ...(headers && { headers }) }, reply => {
      let text = ''
      reply.setEncoding('utf8').on('data', chunk => (text += chunk))
      reply.on('end', () => {
        resolve({ status: reply.statusCode as number, text, connection: reply.headers.connection })
        agent.destroy()
      })
    })
    sent.on('error', reject)
    sent.end()
  })

const handshake = (url: string, options: object = {}): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options }, () =>
      resolve(socket),
    )
    socket.once('error', reject)
  })

describe('a gateway with a certificate', async () => {
  const gateway = await startGateway({ config: configure('{ key: ./key.pem, cert: ./cert.pem }') })
  after(() => gateway.close())

  test('both planes serve https with a certificate that clients verify', async () => {
    assert.match(gateway.url, /^https:/)
    assert.equal((await get(`${gateway.url}/open`)).status, 200)
    assert.match(gateway.control, /^https:/)
    assert.equal((await get(`${gateway.control}/healthz`)).text, '{"status":"ok"}')
  })

  test('a page of the control plane over https is of the same origin', async () => {
    const { origin } = new URL(gateway.control)
    assert.equal((await get(`${gateway.control}/plan`, { headers: { origin } })).status, 200)
    assert.equal((await get(`${gateway.control}/plan`, { headers: { origin: 'https://evil.example' } })).status, 403)
  })

  test('TLS 1.2 is accepted, older versions are refused', async () => {
    const socket = await handshake(gateway.url, { maxVersion: 'TLSv1.2' })
    assert.equal(socket.getProtocol(), 'TLSv1.2')
    socket.destroy()
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }
    await assert.rejects(handshake(gateway.url, old), /alert|version|protocol/i)
  })

  for (const [plane, url] of [
    ['the API', gateway.url],
    ['the control plane', gateway.control],
  ] as const) {
    test(`a client that speaks http to ${plane} gets 400 with the reason`, async () => {
      const raw = new Raw(url).send('GET /open HTTP/1.1\r\nHost: x\r\n\r\n')
      const reply = await raw.reply()
      assert.equal(reply?.status, 400)
      assert.equal(reply?.body, 'this port expects https\n')
      await raw.closed()
    })
  }

  test('a client that aborts the handshake does not affect others', async () => {
    new Raw(gateway.url).send(Buffer.from('160301020001000001fc0303', 'hex')).socket.end()
    new Raw(gateway.url).send(Buffer.from('1603010200', 'hex')).close()
    new Raw(gateway.url).close()
    assert.equal((await get(`${gateway.url}/open`)).status, 200)
  })

  test('mutualTLS is satisfied if the gateway requests no certificates', async () => {
    assert.equal((await get(`${gateway.url}/mine`)).status, 200)
  })
})

describe('a gateway that requests client certificates', async () => {
  const tls = (clients: string) => `{ key: ./key.pem, cert: ./cert.pem, ca: ./ca.pem, clients: ${clients} }`
  const wanted = await startGateway({ config: configure(tls('wanted'), `${CONSUMERS}\n`) })
  const required = await startGateway({ config: configure(tls('required'), `${CONSUMERS}\n`) })
  const unnamed = await startGateway({ config: configure(tls('wanted')) })
  after(() => Promise.all([wanted.close(), required.close(), unnamed.close()]))
  const ann = await authority.issue('CN=ann')
  const acme = await authority.issue('CN=ann, O=Acme, C=DE')
  const bob = await authority.issue('CN=bob')
  const forged = await stranger.issue('CN=ann')

  for (const [who, certificate, status, detail] of [
    ['a client without a certificate', {}, 401, /a credential is missing: a client certificate/],
    ['a known consumer', ann, 200, undefined],
    ['a consumer with more attributes', acme, 200, undefined],
    ['an unknown subject', bob, 401, /is unknown/],
    ['a certificate of another authority', forged, 401, /is unknown/],
  ] as const) {
    test(`${who} is answered with ${status}`, async () => {
      const { status: found, text } = await get(`${wanted.url}/mine`, certificate)
      assert.equal(found, status)
      if (detail !== undefined) assert.match(text, detail)
    })
  }

  test('a request with a preference is authenticated by its certificate, too', async () => {
    assert.equal((await get(`${wanted.url}/mine?__code=200`, ann)).status, 200)
  })

  test('the consumer is the one with the most attributes, in the journal too', async () => {
    await get(`${wanted.url}/mine`, acme)
    const { text } = await get(`${wanted.control}/requests?operation=mine&limit=1`)
    assert.match(text, /"consumer":"acme"/)
  })

  test('an operation without security needs no certificate', async () => {
    assert.equal((await get(`${wanted.url}/open`)).status, 200)
  })

  test('without consumers any certificate of the authority is accepted', async () => {
    assert.equal((await get(`${unnamed.url}/mine`, bob)).status, 200)
    assert.equal((await get(`${unnamed.url}/mine`, forged)).status, 401)
    assert.equal((await get(`${unnamed.url}/mine`)).status, 401)
  })

  test('`clients: required` refuses connections without a certificate, except on the control plane', async () => {
    await assert.rejects(get(`${required.url}/open`), /alert|reset|hang up|EPIPE|certificate/i)
    await assert.rejects(get(`${required.url}/open`, forged), /alert|reset|hang up|EPIPE|certificate/i)
    assert.equal((await get(`${required.url}/open`, bob)).status, 200)
    assert.equal((await get(`${required.control}/healthz`)).status, 200)
  })
})

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

for (const more of [[], ['--workers', '2']] as const) {
  test(`the program prints the fingerprint of its self-signed certificate${more.length > 0 ? ' with workers' : ''}`, async () => {
    const args = [PROGRAM, 'serve', configure('self-signed')]
    const child = spawn(process.execPath, [...args, '--port', '0', '--control-port', '0', ...more])
    after(() => child.kill('SIGKILL'))
    let text = ''
    child.stderr.resume()
    for await (const chunk of child.stdout) {
      text += chunk
      if (text.includes('curl')) break
    }
    const [, fingerprint] = /Certificate +self-signed, SHA-256 ([\dA-F:]{95})/.exec(text) ?? assert.fail(text)
    assert.match(text, /curl -k/)
    for (const name of ['API', 'Control plane']) {
      const url = new RegExp(`${name} +(https:\\S+)`).exec(text)?.[1] ?? assert.fail(text)
      for (let i = 0; i < 4; i++) {
        const socket = await handshake(url)
        assert.equal(socket.getPeerCertificate().fingerprint256, fingerprint)
        socket.destroy()
      }
    }
    child.kill('SIGTERM')
    assert.equal(await new Promise(resolve => child.once('exit', resolve)), 0)
  })
}

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
