// The API and the control plane over https: configured and self-signed certificates, client certificates, and mistakes.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startGateway } from '../../src/index.ts'
import { makeAuthority } from './certificates.ts'
import { Raw } from './raw.ts'
import { CONSUMERS, handshake, makeClient } from './tls-client.ts'

const { authority, server, get, configure, write } = await makeClient()

const stranger = await makeAuthority('Elsewhere')
write('ca.pem', authority.cert)
write('key.pem', server.key)
write('cert.pem', server.cert)

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

  test('a client that negotiates HTTP/1.0 or HTTP/1.1 is served, one that insists on another protocol is not', async () => {
    for (const [offered, chosen] of [
      [['http/1.0'], 'http/1.0'],
      [['h2', 'http/1.1'], 'http/1.1'],
    ] as const) {
      const socket = await handshake(gateway.url, { ALPNProtocols: [...offered] })
      assert.equal(socket.alpnProtocol, chosen)
      socket.destroy()
    }
    await assert.rejects(handshake(gateway.url, { ALPNProtocols: ['h2'] }), /no application protocol/i)
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
