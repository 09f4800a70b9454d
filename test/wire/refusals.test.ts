import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JSON_TYPE, KEY, message, petStore } from './pet-store.ts'
import { assertRefusal, Raw } from './raw.ts'

const { ask, gateway, say } = await petStore()

for (const [line, status, code] of [
  ['GET /v1/nope', 404, 'not_found'],
  ['POST /', 405, 'method_not_allowed'],
  ['GET *', 404, 'not_found'],
  ['GET /v1/nope/%zz', 400, 'invalid_request'],
  ['GET /v1/%', 400, 'invalid_request'],
  ['GET /v1/pets#x', 400, 'invalid_request'],
  ['GET /v1/pets?limit=1#x', 400, 'invalid_request'],
  ['OPTIONS /v1/nope', 404, 'not_found'],
  ['GET http://x/nope', 404, 'not_found'],
  ['GET http://x/nope?limit=1', 404, 'not_found'],
  ['GET /v1/store/orders', 501, 'not_simulated'],
  ['BREW /v1/pets', 501, 'not_simulated'],
  ['CONNECT x:80', 501, 'not_simulated'],
  ['GET /v1/pets 1', 400, 'invalid_request'],
  ['GET v1/pets', 400, 'invalid_request'],
  [`GET /v1/pets?${'a'.repeat(20_000)}`, 431, 'header_fields_too_large'],
] as const) {
  test(`${line.slice(0, 60)} is refused with ${status}`, async () => {
    assertRefusal((await ask(line)).reply, status, code)
  })
}

for (const [method, path, allow] of [
  ['DELETE', '/v1/pets', 'GET, POST, HEAD, OPTIONS'],
  ['TRACE', '/v1/pets', 'GET, POST, HEAD, OPTIONS'],
  ['PROPFIND', '/v1/pets', 'GET, POST, HEAD, OPTIONS'],
  ['POST', '/v1/pets/1', 'GET, HEAD, OPTIONS'],
  ['POST', '/v1/store/orders', 'GET, HEAD, OPTIONS'],
  ['POST', '/metrics', 'GET, HEAD, OPTIONS'],
  ['DELETE', '/healthz', 'GET, HEAD, OPTIONS'],
] as const) {
  test(`${method} ${path} is refused with 405 and Allow`, async () => {
    const { reply } = await ask(`${method} ${path}`)
    assertRefusal(reply, 405, 'method_not_allowed')
    assert.equal(reply.headers.allow, allow)
  })
}

for (const [path, allow] of [
  ['/v1/pets', 'GET, POST, HEAD, OPTIONS'],
  ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
  ['/metrics', 'GET, HEAD, OPTIONS'],
  ['*', undefined],
] as const) {
  test(`OPTIONS ${path} needs no key, and answers 204`, async () => {
    const { reply } = await ask(`OPTIONS ${path}`, '')
    assert.equal(reply.status, 204)
    assert.equal(reply.headers.allow, allow)
    assert.equal(reply.headers['content-length'], undefined)
  })
}

const GET = 'GET /v1/pets?limit=1 HTTP/1.1\r\n'
const POST = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}${JSON_TYPE}`
for (const [name, bytes, status] of [
  ['no Host', `${GET}${KEY}\r\n`, 400],
  ['two Hosts', `${GET}Host: x\r\nhost: y\r\n${KEY}\r\n`, 400],
  ['an invalid Host', `${GET}Host: a b/c\r\n${KEY}\r\n`, 400],
  ['an empty Host', `${GET}Host:\r\n${KEY}\r\n`, 200],
  ['a Host that is an address', `${GET}Host: [::1]:4010\r\n${KEY}\r\n`, 200],
  ['HTTP/1.0 without Host', `GET /v1/pets HTTP/1.0\r\n${KEY}\r\n`, 200],
  ['an absolute target', `GET http://x/v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}\r\n`, 200],
  ['an offer of HTTP/2', `${GET}Host: x\r\n${KEY}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, 200],
  ['an Upgrade that its hop was not told of', `${GET}Host: x\r\n${KEY}Upgrade: websocket\r\n\r\n`, 200],
  ['a WebSocket', `${GET}Host: x\r\n${KEY}Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n`, 501],
  ['an empty field', `${GET}Host: x\r\n${KEY}X-Nothing:\r\n\r\n`, 200],
  ['a field twice', `${GET}Host: x\r\n${KEY}X-A: 1\r\nX-A: 2\r\n__proto__: x\r\n\r\n`, 200],
  ['a field without a name', `${GET}Host: x\r\n${KEY}: x\r\n\r\n`, 400],
  ['a space before the colon', `${GET}Host: x\r\n${KEY}X-A : 1\r\n\r\n`, 400],
  ['a folded field', `${GET}Host: x\r\n${KEY}X-A: 1\r\n 2\r\n\r\n`, 400],
  ['a NUL', `${GET}Host: x\r\n${KEY}X-A: \0\r\n\r\n`, 400],
  ['headers of 20 kB', `${GET}Host: x\r\n${KEY}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ['a thousand headers', `${GET}Host: x\r\n${KEY}${'X-A: aaaaaaaaaaaaaaaa\r\n'.repeat(1000)}\r\n`, 431],
  ['the version HTTP/2.0', 'GET /v1/pets HTTP/2.0\r\nHost: x\r\n\r\n', 505],
  ['the version HTTP/3.0', 'GET /v1/pets HTTP/3.0\r\n\r\n', 505],
  ['the version HTTP/0.9', 'GET /v1/pets HTTP/0.9\r\n\r\n', 505],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
  ['a TLS handshake', Buffer.from('160301020001000001fc0303', 'hex'), 501],
  ['text that is not HTTP', 'hello\r\n\r\n', 501],
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
  ['an invalid length', `${POST}Content-Length: 2x\r\n\r\n{}`, 400],
  ['a length and chunks', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['an unknown transfer coding', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501],
  ['a coding without an end', `${POST}Transfer-Encoding: xchunked\r\n\r\n`, 501],
  ['lines that end without CR', 'GET /v1/pets HTTP/1.1\nHost: x\n\n', 400],
  ['chunked before another coding', `${POST}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, 400],
  ['a chunk without a size', `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`, 400],
  ['a chunk longer than its size', `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`, 400],
] as const) {
  test(`${name} is answered with ${status}`, async () => {
    const { reply } = await say(bytes)
    if (status >= 400) assertRefusal(reply, status)
    assert.equal(reply.status, status)
    assert.ok(reply.headers.date, 'a reply is dated')
  })
}

test('a request with an unknown transfer coding closes the connection', async () => {
  const { reply } = await say(`${POST}Transfer-Encoding: xchunked\r\n\r\n`)
  assert.equal(reply.headers.connection, 'close')
})

test('Expect: 100-continue is answered with 100 when the body is read', async () => {
  const raw = new Raw(gateway.url).send(`${POST}Expect: 100-continue\r\nContent-Length: 29\r\n\r\n`)
  assert.equal((await raw.reply())?.status, 100)
  raw.send('{"name":"Rex","categoryId":1}')
  assert.equal((await raw.reply())?.status, 201)
  raw.close()
})

for (const [name, bytes, status] of [
  ['without a key', `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}Content-Length: 29\r\n`, 401],
  [
    'of the wrong type',
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}Content-Type: text/plain\r\nContent-Length: 29\r\n`,
    415,
  ],
  ['in an unknown coding', `${POST}Content-Encoding: zstd\r\nContent-Length: 29\r\n`, 415],
  ['that is too large', `${POST}Content-Length: 1000001\r\n`, 413],
  ['for nobody', `POST /v1/nope HTTP/1.1\r\nHost: x\r\nContent-Length: 29\r\n`, 404],
] as const) {
  test(`a body ${name} that waits for 100 is refused without it, and the connection ends`, async () => {
    const { reply, interim, kept } = await say(`${bytes}Expect: 100-continue\r\n\r\n`)
    assertRefusal(reply, status)
    assert.deepEqual(interim, [])
    assert.equal(kept, false)
  })
}

test('any other expectation is refused with 417, and the connection ends', async () => {
  const { reply, interim, kept } = await say(message('POST /v1/pets', `${KEY}${JSON_TYPE}Expect: 200-ok\r\n`, '{}'))
  assertRefusal(reply, 417, 'expectation_failed')
  assert.deepEqual(interim, [])
  assert.equal(kept, false)
})

test('a client of HTTP/1.0 gets no 100', async () => {
  const body = '{"name":"Rex","categoryId":1}'
  const bytes = `POST /v1/pets HTTP/1.0\r\n${KEY}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 29\r\n\r\n${body}`
  const { reply, interim } = await say(bytes)
  assert.equal(reply.status, 201)
  assert.deepEqual(interim, [])
})

test('pipelined requests are answered in their order', async () => {
  const line = (id: number | string) => `GET /v1/pets/${id} HTTP/1.1\r\nHost: x\r\n${KEY}\r\n`
  const raw = new Raw(gateway.url).send([1, 'abc', 2, 999, 3].map(line).join(''))
  const replies = [await raw.reply(), await raw.reply(), await raw.reply(), await raw.reply(), await raw.reply()]
  assert.deepEqual(
    replies.map(reply => reply?.status),
    [200, 404, 200, 404, 200],
  )
  assert.match(replies[4]?.body ?? '', /"id":3/)
  raw.close()
})

test('bytes after a request that are not HTTP are refused after the reply', async () => {
  const raw = new Raw(gateway.url).send(
    `${message('POST /v1/pets', KEY + JSON_TYPE, '{}')}${GET}Host: x\r\n${KEY}\r\nhello\r\n\r\n`,
  )
  const replies = await raw.replies()
  assert.deepEqual(
    replies.map(({ status }) => status),
    [400, 200, 501],
  )
})

test('a body that breaks off after its refusal causes no second reply', async () => {
  const raw = new Raw(gateway.url).send(
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`,
  )
  assert.equal((await raw.reply())?.status, 401)
  raw.send('zz\r\n')
  assert.deepEqual(await raw.replies(), [])
})

test('a client that disconnects within a body does not affect others', async () => {
  for (const headers of ['', 'Content-Encoding: gzip\r\n']) {
    new Raw(gateway.url).send(`${POST}${headers}Content-Length: 100\r\n\r\n{"na`).socket.end()
  }
  assert.equal((await ask('GET /v1/pets')).reply.status, 200)
})
