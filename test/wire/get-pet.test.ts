import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEY, petStore } from './pet-store.ts'
import { assertRefusal } from './raw.ts'

const { ask, say } = await petStore()

const LIFE = {
  deprecation: '@1764892800',
  sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  link: '</v1/pets>; rel="successor-version"',
  'link-template': '"/v1/pets?status={status}"; rel="successor-version"',
}

for (const [line, headers, status] of [
  ['GET /v1/pets/1', KEY, 200],
  ['GET /v1/pets/%31', KEY, 200],
  ['GET /v1/pets/01', KEY, 404],
  ['HEAD /v1/pets/1', KEY, 200],
  ['GET /v1/pets/1', '', 401],
  ['HEAD /v1/pets/1', '', 401],
  ['GET /v1/pets/%zz', '', 401],
  ['GET /v1/pets/999', KEY, 404],
  ['HEAD /v1/pets/999', KEY, 404],
  ['GET /v1/pets/abc', KEY, 404],
  ['GET /v1/pets/-0', KEY, 404],
  ['GET /v1/pets/1e0', KEY, 404],
  ['GET /v1/pets/%zz', KEY, 404],
  ['GET /v1/pets/%ff', KEY, 404],
  ['GET /v1/pets/%00', KEY, 404],
  ['GET /v1/pets/1%2F2', KEY, 404],
  ['GET /v1/pets/..', KEY, 404],
  ['GET /v1/pets/9223372036854775807', KEY, 404],
  ['GET /v1/pets/9223372036854775808', KEY, 404],
  [`GET /v1/pets/${'9'.repeat(4000)}`, KEY, 404],
] as const) {
  const shown = line.length > 60 ? `${line.slice(0, 60)}…` : line
  test(`${shown} ${headers === '' ? 'without a key ' : ''}answers ${status} with Deprecation and Sunset`, async () => {
    const { reply } = await ask(line, headers)
    if (line.startsWith('GET') && status !== 200) assertRefusal(reply, status)
    assert.equal(reply.status, status)
    for (const [name, value] of Object.entries(LIFE)) assert.equal(reply.headers[name], value)
  })
}

test('a pet by id equals the pet in the list', async () => {
  const { reply } = await ask('GET /v1/pets/1')
  assert.deepEqual(JSON.parse(reply.body), { id: 1, name: 'Rex', categoryId: 1, status: 'available' })
})

for (const [name, headers, body] of [
  ['by its length', `Content-Length: 2\r\n\r\n`, '{}'],
  ['in chunks', `Transfer-Encoding: chunked\r\n\r\n`, '2\r\n{}\r\n0\r\n\r\n'],
] as const) {
  test(`an undocumented body, ${name}, is refused with Deprecation and Sunset`, async () => {
    const { reply } = await say(`GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\n${KEY}${headers}${body}`)
    assertRefusal(reply, 415, 'unsupported_media_type')
    assert.equal(reply.headers.deprecation, LIFE.deprecation)
  })
}

for (const header of ['Content-Length: 0\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n']) {
  test(`${header.split('\r')[0]} without a byte is not a body`, async () => {
    assert.equal((await say(`GET /v1/pets/1 HTTP/1.1\r\nHost: x\r\n${KEY}${header}`)).reply.status, 200)
  })
}

for (const path of [
  '/v1/pets/',
  '/v1/pets/1/',
  '/v1//pets/1',
  '/V1/pets/1',
  '/v1/Pets/1',
  '/pets/1',
  '//x/v1/pets/1',
]) {
  test(`${path} is not a path of this API`, async () => {
    const { reply } = await ask(`GET ${path}`)
    assertRefusal(reply, 404, 'not_found')
    assert.equal(reply.headers.deprecation, undefined)
  })
}
