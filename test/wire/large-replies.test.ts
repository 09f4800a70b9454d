// Replies of megabytes, which are written in pieces.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

const KEY = { authorization: 'Bearer demo-key' }
// The characters take two UTF-16 units each, at odd positions of some records and at even ones of others.
const names = Array.from({ length: 10 }, (_, i) => 'x'.repeat(i % 3) + '😀'.repeat(300_000))

let gateway: RunningGateway
before(async () => {
  gateway = await startGateway({ config: 'config/gateway.yaml' })
  const records = names.map((name, i) => ({ id: i + 1, name, categoryId: 1, status: 'available' }))
  const reply = await ask(`${gateway.control}/worlds/default/snapshot`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ version: 1, collections: { pets: { records } } }),
  })
  assert.equal(reply.status, 204)
})
after(() => gateway.close())

const namesOf = (body: unknown) => (body as { name: string }[]).map(({ name }) => name)

test('a list of megabytes arrives with all its characters and its length', async () => {
  const reply = await ask(`${gateway.url}/pets`, { headers: KEY })
  assert.equal(reply.status, 200)
  assert.deepEqual(namesOf(reply.body), names)
  const whole = await fetch(`${gateway.url}/pets`, { headers: KEY })
  assert.equal(whole.headers.get('content-length'), `${(await whole.arrayBuffer()).byteLength}`)
})

test('a page of megabytes of the control plane arrives with all its characters', async () => {
  const reply = await ask(`${gateway.control}/worlds/default/collections/pets`)
  assert.match(String(reply.headers['content-type']), /^application\/json/)
  assert.deepEqual(namesOf(reply.body), names)
})

test('the second of two pipelined requests is answered after the pieces of the first', async () => {
  const { hostname, port } = new URL(gateway.url)
  const socket = connect(Number(port), hostname)
  const request = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer demo-key\r\n${more}\r\n`
  socket.write(request('/v1/pets') + request('/v1/nowhere', 'Connection: close\r\n'))
  const parts: Buffer[] = []
  socket.on('data', part => parts.push(part))
  await once(socket, 'close')
  const text = Buffer.concat(parts).toString()
  assert.match(text.slice(0, 20), /^HTTP\/1\.1 200/)
  assert.equal(text.split('HTTP/1.1 404').length, 2)
  assert.ok(text.indexOf('HTTP/1.1 404') > names.join('').length)
})

test('the gateway serves on when clients leave in the middle of a reply', async () => {
  for (const base of [`${gateway.url}/pets`, `${gateway.control}/worlds/default/collections/pets`]) {
    const { hostname, port, pathname } = new URL(base)
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer demo-key\r\n\r\n`)
    await once(socket, 'data')
    socket.destroy()
  }
  assert.equal((await ask(`${gateway.url}/pets?limit=1`, { headers: KEY })).status, 200)
})
