import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { JSON_TYPE, KEY, message, petStore } from './pet-store.ts'
import { assertRefusal, Raw, type RawReply } from './raw.ts'

const { gateway, ask, post, say } = await petStore()

const REX = '{"name":"Rex","categoryId":1}'

/** Reads the created record, and checks that the stored text equals the reply exactly. */
async function stored(reply: RawReply): Promise<string> {
  assert.equal(reply.status, 201, reply.body)
  assert.equal(reply.headers['content-type'], 'application/json')
  const [, id = ''] = /^\{"id":(\d+),/.exec(reply.body) ?? []
  assert.equal(reply.headers.location, `/v1/pets/${id}`)
  const { reply: read } = await ask(`GET /v1/pets/${id}`)
  assert.equal(read.body, reply.body)
  return reply.body.replace(/^\{"id":\d+,/, '{')
}

for (const [name, body, expected] of [
  ['a pet without a status is available', REX, '"name":"Rex","categoryId":1,"status":"available"'],
  [
    'a pet keeps its status',
    '{"status":"sold","name":"Rex","categoryId":1}',
    '"name":"Rex","categoryId":1,"status":"sold"',
  ],
  ['an id in the body is ignored', '{"id":1,"name":"Rex","categoryId":1}', '"categoryId":1,"status"'],
  [
    'a field that is not documented is dropped',
    '{"name":"Rex","categoryId":1,"colour":"red"}',
    '"categoryId":1,"status"',
  ],
  [
    '__proto__ and constructor are fields like any other',
    '{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"},"constructor":{"prototype":{"x":1}}}',
    '"name":"Rex","categoryId":1,"status":"available"',
  ],
  ['2^53 + 1 is exact', '{"name":"a","categoryId":9007199254740993}', '"categoryId":9007199254740993,'],
  ['2^53 + 1 with the fraction .0 is exact', '{"name":"a","categoryId":9007199254740993.0}', ':9007199254740993,'],
  ['2^53 + 1 with an exponent is exact', '{"name":"a","categoryId":9.007199254740993e15}', ':9007199254740993,'],
  ['2^63 - 1 is an int64', '{"name":"a","categoryId":9223372036854775807}', '"categoryId":9223372036854775807,'],
  ['-2^63 is an int64', '{"name":"a","categoryId":-9223372036854775808}', '"categoryId":-9223372036854775808,'],
  ['1e2 is an integer in JSON', '{"name":"a","categoryId":1e2}', '"categoryId":100,'],
  ['the last of two members of one name counts', '{"name":"a","name":"b","categoryId":1}', '"name":"b"'],
  ['a byte order mark is skipped', `\uFEFF${REX}`, '"name":"Rex"'],
  ['white space is none either', ` \n\t${REX}\r\n `, '"name":"Rex"'],
  ['half a surrogate pair survives', '{"name":"\\ud83d","categoryId":1}', '"name":"\\ud83d"'],
  ['text beyond the basic plane survives', '{"name":"🐕 Ærø","categoryId":1}', '"name":"🐕 Ærø"'],
] as const) {
  test(name, async () => {
    const text = await stored((await post(body)).reply)
    assert.ok(text.includes(expected), text)
  })
}

const deep = (open: string, close: string, inside = '') => open.repeat(50_000) + inside + close.repeat(50_000)
for (const [name, body, expected] of [
  ['no body', '', 'a body is required'],
  ['null', 'null', 'the body must be an object'],
  ['a list', '[]', 'the body must be an object'],
  ['a text', '"Rex"', 'the body must be an object'],
  ['an empty object', '{}', '/name is required; /categoryId is required'],
  ['a missing field', '{"name":"Rex"}', '/categoryId is required'],
  ['wrong types', '{"name":1,"categoryId":"1"}', '/name must be a string; /categoryId must be an integer'],
  ['a fraction', '{"name":"a","categoryId":1.5}', '/categoryId must be an integer'],
  [
    'an unknown status',
    '{"name":"a","categoryId":1,"status":"lost"}',
    '/status must be one of "available", "pending", "sold"',
  ],
  ['a null status', '{"name":"a","categoryId":1,"status":null}', '/status must be a string'],
  ['an object under __proto__', `{"__proto__":${REX}}`, '/name is required; /categoryId is required'],
  ['2^63', '{"name":"a","categoryId":9223372036854775808}', '/categoryId must be a valid int64'],
  ['2^63 as a float', '{"name":"a","categoryId":9223372036854775808.0}', '/categoryId must be a valid int64'],
  ['-2^63 - 1', '{"name":"a","categoryId":-9223372036854775809}', '/categoryId must be a valid int64'],
  ['2^64 and more', `{"name":"a","categoryId":${'9'.repeat(300)}}`, '/categoryId must be a valid int64'],
  ['1e400', '{"name":"a","categoryId":1e400}', 'the body holds a number out of range, 1e400'],
  ['a truncated object', '{"name":"Rex"', 'the body is not JSON: it ends too early'],
  ['two texts', `${REX}x`, 'the body is not JSON: unexpected "x" at line 1, column 30'],
  ['single quotes', "{'name':'Rex'}", `the body is not JSON: unexpected "'" at line 1, column 2`],
  ['NaN', '{"name":"a","categoryId":NaN}', `the body is not JSON: unexpected "N" at line 1, column 26`],
  ['50,000 open lists', '['.repeat(50_000), 'the body is nested deeper than 256 levels'],
  ['50,000 lists', deep('[', ']'), 'the body is nested deeper than 256 levels'],
  ['50,000 objects', deep('{"a":', '}', '1'), 'the body is nested deeper than 256 levels'],
  [
    '50,000 lists in a field',
    `{"name":"a","categoryId":1,"x":${deep('[', ']')}}`,
    'the body is nested deeper than 256 levels',
  ],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'the body is not UTF-8'],
] as const) {
  test(`${name} is refused with 400: ${expected}`, async () => {
    assert.equal(assertRefusal((await post(body)).reply, 400, 'invalid_request'), expected)
  })
}

for (const type of [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'Application/JSON',
  'application/json;',
  'application/json; charset',
  'application/json ; profile=x',
]) {
  test(`Content-Type: ${type} is JSON`, async () => {
    await stored((await post(REX, `Content-Type: ${type}\r\n`)).reply)
  })
}

for (const [header, expected] of [
  ['', /no content type; this operation accepts application\/json/],
  ['Content-Type:\r\n', /no content type; this operation accepts application\/json/],
  ['Content-Type: text/plain\r\n', /text\/plain is not supported; this operation accepts application\/json/],
  ['Content-Type: json\r\n', /json is not supported/],
  ['Content-Type: application/vnd.api+json\r\n', /application\/vnd.api\+json is not supported/],
  ['Content-Type: application/json, text/plain\r\n', /is not supported/],
  ['Content-Type: application/json; charset=utf-16\r\n', /the charset utf-16 is not supported/],
  ['Content-Type: application/json; charset=iso-8859-1\r\n', /the charset iso-8859-1 is not supported/],
] as const) {
  test(`${header.trim() || 'no Content-Type'} is refused with 415 and Accept`, async () => {
    const { reply } = await post(REX, header)
    assert.match(assertRefusal(reply, 415, 'unsupported_media_type'), expected)
    assert.equal(reply.headers.accept, 'application/json')
  })
}

for (const [coding, bytes] of [
  ['gzip', gzipSync(REX)],
  ['GZIP', gzipSync(REX)],
  ['x-gzip', gzipSync(REX)],
  ['deflate', deflateSync(REX)],
  ['br', brotliCompressSync(REX)],
  ['identity', REX],
  ['', REX],
] as const) {
  test(`Content-Encoding: ${coding || '(empty)'} is decoded`, async () => {
    await stored((await post(bytes, `${JSON_TYPE}Content-Encoding: ${coding}\r\n`)).reply)
  })
}

for (const [coding, bytes] of [
  ['gzip', REX],
  ['gzip', gzipSync(REX).subarray(0, 20)],
  ['deflate', gzipSync(REX).fill(0)],
  ['br', Buffer.alloc(100, 65)],
] as const) {
  test(`${bytes.length} bytes that are not ${coding} are refused with 400`, async () => {
    const { reply } = await post(bytes, `${JSON_TYPE}Content-Encoding: ${coding}\r\n`)
    assert.equal(assertRefusal(reply, 400, 'invalid_request'), 'the body cannot be decompressed')
  })
}

for (const coding of ['zstd', 'gzip, gzip', 'constructor']) {
  test(`Content-Encoding: ${coding} is refused with 415 and Accept-Encoding`, async () => {
    const { reply } = await post(REX, `${JSON_TYPE}Content-Encoding: ${coding}\r\n`)
    assertRefusal(reply, 415, 'unsupported_media_type')
    assert.equal(reply.headers['accept-encoding'], 'gzip, deflate, br')
  })
}

const LARGE = Buffer.alloc(3_000_000, ' ')
const NOISE = Buffer.from(Array.from({ length: 1_500_000 }, (_, i) => Math.imul(i, 2654435761) >>> 13))
const start = (headers: string) => Buffer.from(`POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}${JSON_TYPE}${headers}\r\n`)
const chunk = (bytes: Uint8Array) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, CRLF])
const CRLF = Buffer.from('\r\n')
for (const [name, bytes] of [
  ['by its length', message('POST /v1/pets', KEY + JSON_TYPE, LARGE)],
  ['in chunks', Buffer.concat([start('Transfer-Encoding: chunked\r\n'), chunk(LARGE), Buffer.from('0\r\n\r\n')])],
  ['once decompressed', message('POST /v1/pets', `${KEY}${JSON_TYPE}Content-Encoding: gzip\r\n`, gzipSync(LARGE))],
  [
    'before and after it is decompressed',
    message('POST /v1/pets', `${KEY}${JSON_TYPE}Content-Encoding: gzip\r\n`, gzipSync(NOISE)),
  ],
] as const) {
  test(`a body that is too large ${name} is refused with 413`, async () => {
    const { reply } = await say(bytes)
    assert.equal(assertRefusal(reply, 413, 'payload_too_large'), 'the body is larger than 1000000 bytes')
  })
}

test('a body that is announced with 2^32 + 1 bytes is refused with 413 before it arrives', async () => {
  const raw = new Raw(gateway.url).send(start('Connection: close\r\nContent-Length: 4294967297\r\n'))
  const reply = (await raw.reply()) ?? assert.fail('the connection was closed without a reply')
  assert.equal(assertRefusal(reply, 413, 'payload_too_large'), 'the body is larger than 1000000 bytes')
  // The server reads on for as long as the client may send its body.
  raw.socket.end()
  await raw.closed()
  await stored((await post(REX)).reply)
})

test('a chunked body is read', async () => {
  const pieces = [REX.slice(0, 5), REX.slice(5)].map(piece => chunk(Buffer.from(piece)))
  const bytes = Buffer.concat([
    start('Transfer-Encoding: chunked\r\n'),
    ...pieces,
    Buffer.from('0\r\nX-Trailer: y\r\n\r\n'),
  ])
  await stored((await say(bytes)).reply)
})

test('a body of exactly the limit is read', async () => {
  await stored((await post(REX.padEnd(1_000_000))).reply)
  assertRefusal((await post(REX.padEnd(1_000_001))).reply, 413)
})
