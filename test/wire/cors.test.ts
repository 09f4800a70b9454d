import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JSON_TYPE, KEY, message, petStore } from './pet-store.ts'
import { assertRefusal, type RawReply } from './raw.ts'

const { ask, say } = await petStore()

const ORIGIN = 'Origin: http://localhost:5173\r\n'

function assertShared(reply: RawReply): void {
  assert.equal(reply.headers['access-control-allow-origin'], 'http://localhost:5173')
  assert.equal(reply.headers['access-control-allow-credentials'], 'true')
  assert.match(reply.headers.vary ?? '', /\borigin\b/i)
}

/** Headers that are safelisted by the Fetch Standard, part of the connection, or CORS headers. */
const WITHOUT_EXPOSING = new Set([
  ...['cache-control', 'content-language', 'content-length', 'content-type', 'connection', 'keep-alive'],
  ...['access-control-allow-origin', 'access-control-allow-credentials', 'access-control-expose-headers'],
])

for (const path of ['/v1/pets', '/v1/pets/1', '/v1/nope', '/', '/metrics', '/v1/pets/%zz']) {
  for (const method of ['GET', 'POST', 'DELETE']) {
    test(`a page may ask for ${method} ${path} without a key`, async () => {
      const wants = `Access-Control-Request-Method: ${method}\r\nAccess-Control-Request-Headers: authorization,x-mine\r\n`
      const { reply } = await ask(`OPTIONS ${path}`, ORIGIN + wants)
      assert.equal(reply.status, 204)
      assertShared(reply)
      assert.ok(reply.headers['access-control-allow-methods']?.split(/, */).includes(method))
      assert.equal(reply.headers['access-control-allow-headers'], 'authorization,x-mine')
      assert.ok(Number(reply.headers['access-control-max-age']) > 0)
    })
  }
}

for (const [line, headers, status] of [
  ['GET /v1/pets', KEY, 200],
  ['HEAD /v1/pets', KEY, 200],
  ['GET /v1/pets?limit=0', KEY, 400],
  ['GET /v1/pets', '', 401],
  ['GET /v1/pets/999', KEY, 404],
  ['GET /v1/nope', KEY, 404],
  ['DELETE /v1/pets', KEY, 405],
  ['POST /v1/pets', `${KEY}Content-Length: 2000000\r\nExpect: 100-continue\r\n${JSON_TYPE}`, 413],
  ['POST /v1/pets', `${KEY}Content-Type: text/plain\r\nContent-Length: 0\r\n`, 400],
  ['GET /v1/store/orders', KEY, 501],
  ['GET /healthz', '', 200],
] as const) {
  test(`a page may read the ${status} of ${line} and its headers`, async () => {
    const { reply } = await ask(line, ORIGIN + headers)
    assert.equal(reply.status, status)
    assertShared(reply)
    const exposed = new Set(reply.headers['access-control-expose-headers']?.split(/, */))
    for (const name of Object.keys(reply.headers).filter(name => !WITHOUT_EXPOSING.has(name))) {
      assert.ok(exposed.delete(name), `${name} is not exposed`)
    }
    assert.deepEqual([...exposed], [])
  })
}

test('a page may read the refusal of a body that was too large', async () => {
  const { reply } = await say(message('POST /v1/pets', ORIGIN + KEY + JSON_TYPE, ' '.repeat(1_000_001)))
  assertRefusal(reply, 413)
  assertShared(reply)
})

for (const [name, bytes, status] of [
  ['too long', `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${ORIGIN}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['malformed', `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${ORIGIN}X-A : 1\r\n\r\n`, 400],
] as const) {
  test(`a page may read the refusal of headers that are ${name}`, async () => {
    const { reply } = await say(bytes)
    assertRefusal(reply, status)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
  })
}

test('a client without Origin gets Vary: Origin and no CORS headers', async () => {
  const { reply } = await ask('GET /v1/pets')
  assert.match(reply.headers.vary ?? '', /\borigin\b/i)
  assert.equal(reply.headers['access-control-allow-origin'], undefined)
})
