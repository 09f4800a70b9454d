// Parts of a file (RFC 9110 §14).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileRanges } from '../../../src/behaviours/respond/ranges.ts'
import { requestOf } from '../../support/in-process.ts'

const TEXT = '0123456789abcdefghij'
const answer = compileRanges(Buffer.from(TEXT), { 'content-type': 'text/plain' }, 200)
const ask = (headers: Record<string, string>, method = 'GET') => {
  const { status, headers: fields, body, refusal } = answer(requestOf(`${method} /file`, { headers }))
  return { status, fields, text: body === undefined ? '' : Buffer.from(body).toString(), refusal }
}
const { etag = '' } = ask({}).fields

test('a file says that it has parts', () => {
  const { status, fields, text } = ask({})
  assert.deepEqual([status, fields['accept-ranges'], text], [200, 'bytes', TEXT])
  assert.match(etag, /^"[\w-]{22}"$/)
})

for (const [range, part, place] of [
  ['bytes=0-4', '01234', 'bytes 0-4/20'],
  ['bytes=15-', 'fghij'.slice(0, 5), 'bytes 15-19/20'],
  ['bytes=-3', 'hij', 'bytes 17-19/20'],
  ['bytes=18-99', 'ij', 'bytes 18-19/20'],
  ['bytes=0-1,2-3', '0123', 'bytes 0-3/20'],
] as const) {
  test(`${range} is ${place}`, () => {
    const { status, fields, text } = ask({ range })
    assert.deepEqual([status, fields['content-range'], text, fields.etag], [206, place, part, etag])
  })
}

test('several parts are one body', () => {
  const { status, fields, text } = ask({ range: 'bytes=0-1,10-11' })
  assert.equal(status, 206)
  const boundary = /^multipart\/byteranges; boundary=(.*)$/.exec(fields['content-type'] ?? '')?.[1]
  const head = (place: string) => `content-type: text/plain\r\ncontent-range: bytes ${place}/20\r\n\r\n`
  const wanted = ['', `\r\n${head('0-1')}01\r\n`, `\r\n${head('10-11')}ab\r\n`, '--\r\n']
  assert.deepEqual(text.split(`--${boundary}`), wanted)
})

test('a part behind the end is 416 with the size', () => {
  const { status, fields } = ask({ range: 'bytes=20-' })
  assert.deepEqual([status, fields['content-range']], [416, 'bytes */20'])
})

test('what is no range, of another unit or of too many parts, is answered with the whole', () => {
  const many = `bytes=${Array.from({ length: 10_000 }, (_, i) => `${i * 2}-${i * 2}`).join(',')}`
  for (const range of ['bytes', 'bytes=a-b', 'items=0-1', '']) assert.equal(ask({ range }).status, 200, range)
  const large = compileRanges(Buffer.alloc(40_000), { 'content-type': 'text/plain' }, 200)
  assert.equal(large(requestOf('GET /file', { headers: { range: many } })).status, 200)
  assert.equal(ask({ range: 'bytes=0-4' }, 'POST').status, 200)
})

test('conditions compare the tag', () => {
  assert.equal(ask({ 'if-none-match': `"x", W/${etag}` }).status, 304)
  assert.equal(ask({ 'if-none-match': '*' }).status, 304)
  assert.equal(ask({ 'if-none-match': '"x"' }).status, 200)
  assert.equal(ask({ range: 'bytes=0-4', 'if-range': etag }).status, 206)
  for (const other of ['"x"', `W/${etag}`, 'Sat, 28 Nov 2026 00:00:00 GMT']) {
    assert.equal(ask({ range: 'bytes=0-4', 'if-range': other }).status, 200, other)
  }
})
