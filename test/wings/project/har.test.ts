import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { Entry } from 'har-format'
import { entryOf, writeHar } from '../../../src/gateway/journal/har.ts'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { HarFile, type RecordedExchange, readHar } from '../../../src/wings/project/har.ts'
import '../../support/property-runs.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-har-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0

async function read(text: string | Buffer) {
  const path = join(folder, `${++files}.har`)
  writeFileSync(path, text)
  return readFile(path)
}

async function readFile(path: string) {
  const report = new Diagnostics()
  const exchanges: RecordedExchange[] = []
  for await (const one of readHar(path, 'a.har', report)) exchanges.push(one)
  return {
    exchanges,
    said: report.list.map(({ code, message, place: { line, column } }) => [code, message, line, column]),
  }
}

const message = {
  headers: { 'content-type': 'application/json' },
  body: '{"name":"Rëx","note":"}]"}',
  isPartial: false,
}
const exchange = (n = 1): Omit<RecordedExchange, 'place' | 'initiator'> => ({
  ...{
    at: Date.UTC(2026, 0, 2),
    latency: 12,
    method: 'POST',
    origin: 'https://api.test:8443',
    path: '/pets',
    query: `n=${n}`,
  },
  consumer: n === 1 ? 'ann' : undefined,
  request: message,
  reply: { ...message, status: 201 },
})

test('an exchange is read as it was written', async () => {
  const { exchanges, said } = await read(writeHar([entryOf(exchange()), entryOf(exchange(2))], '1.0.0'))
  assert.deepEqual(said, [])
  assert.deepEqual(
    exchanges.map(({ place, initiator, ...rest }) => rest),
    [exchange(), exchange(2)],
  )
  assert.deepEqual([exchanges[0]?.place.line, exchanges[1]?.place.line], [2, 3])
})

test('the forms that browsers write are read: fields twice, bodies by their members, and a 304 with the kept body', async () => {
  const [field, text] = [{ name: 'If-Match', value: '"1"' }, '{"a":1}']
  const request = { method: 'PUT', url: 'https://api.test/a', headers: [field, field], bodySize: 9 }
  const params = [
    { name: 'a', value: 1 },
    { name: 'b', value: true },
  ]
  const postData = { mimeType: 'application/json', params }
  const response = { status: 304, headers: [], content: { size: 7, mimeType: 'application/json', text } }
  const entries = [{ request: { ...request, postData }, response }]
  const bare = {
    request: { ...request, url: 'blob:https://app.test/1' },
    response: { ...response, content: { size: 0 } },
  }
  const { exchanges } = await read(JSON.stringify({ log: { entries: [...entries, bare] } }))
  assert.deepEqual(
    exchanges.map(one => [one.request.headers['if-match'], one.request.body, one.reply.status, one.origin]),
    [
      ['"1"', '{"a":1,"b":true}', 200, 'https://api.test'],
      ['"1"', undefined, 304, 'blob://'],
    ],
  )
})

test('bodies are text or bytes, encoded or not, and forms', async () => {
  const har = JSON.parse(writeHar([entryOf(exchange())], '1')) as {
    log: { entries: Record<string, Record<string, unknown>>[] }
  }
  const bodyOf = async (content: object) => {
    const [entry] = har.log.entries as [Record<string, Record<string, unknown>>]
    const changed = { ...entry, response: { ...entry.response, headers: [], content } }
    const { exchanges } = await read(JSON.stringify({ log: { entries: [changed] } }))
    return [exchanges[0]?.reply.body, exchanges[0]?.reply.isPartial]
  }
  const base64 = (bytes: Buffer) => bytes.toString('base64')
  assert.deepEqual(await bodyOf({ size: 3, text: base64(Buffer.from('äö')), encoding: 'base64' }), ['äö', false])
  const [bytes] = await bodyOf({ size: 2, text: base64(Buffer.from([255, 254])), encoding: 'base64' })
  assert.deepEqual(bytes, Buffer.from([255, 254]))
  assert.deepEqual(await bodyOf({ size: 300, mimeType: 'text/html' }), [undefined, true])
  assert.deepEqual(await bodyOf({ size: -1 }), [undefined, true])
  assert.deepEqual(await bodyOf({ size: 0, text: '' }), [undefined, false])
  const [entry] = har.log.entries as [Record<string, Record<string, unknown>>]
  const params = [{ name: 'a b', value: 'ä' }]
  const postData = { mimeType: 'application/x-www-form-urlencoded', params }
  const form = { ...entry, request: { ...entry.request, headers: [], postData } }
  const { exchanges } = await read(JSON.stringify({ log: { entries: [form] } }))
  assert.equal(exchanges[0]?.request.body, 'a+b=%C3%A4')
})

test('a file that is cut off is read up to its last whole entry, and entries of no use are named', async () => {
  const whole = writeHar([entryOf(exchange()), entryOf(exchange(2))], '1')
  const cut = await read(whole.slice(0, -80))
  assert.equal(cut.exchanges.length, 1)
  assert.match(cut.said.join(), /^cut-off,the file ends within its list of entries; the 1 whole ones are used,3,/)
  const odd = JSON.parse(whole) as { log: { entries: unknown[] } }
  odd.log.entries.push(3, { request: {}, response: {} }, { request: { method: 'GET', url: '/pets' }, response: {} })
  odd.log.entries.push({ request: { method: 'GET', url: 'http://a/' }, response: { status: 0 } })
  const { exchanges, said } = await read(JSON.stringify(odd, null, 1))
  assert.equal(exchanges.length, 2)
  assert.deepEqual(
    said.map(([code, message]) => code === 'left-out-entry' && message),
    ['entry 3 has no method or no absolute URL', 'entry 4 has no method or no absolute URL', 'entry 5 has no status'],
  )
  assert.match((await read('{"openapi": "3.1.0"}')).said.join(), /^not-har/)
  assert.match((await read('')).said.join(), /^not-har/)
})

test('a HAR that is written entry by entry is whole after each, and goes on where it was cut off', async () => {
  const path = join(folder, 'grows.har')
  const parse = () => (JSON.parse(readFileSync(path, 'utf8')) as { log: { entries: Entry[] } }).log.entries.length
  const first = new HarFile(path, '1.0.0')
  assert.equal(parse(), 0)
  first.append(entryOf(exchange()))
  assert.equal(parse(), 1)
  first.append(entryOf(exchange(2)))
  first.close()
  assert.equal(parse(), 2)
  truncateSync(path, statSync(path).size - 100)
  const second = new HarFile(path, '1.0.0')
  second.append(entryOf(exchange(3)))
  second.close()
  assert.equal(parse(), 2)
  const { exchanges } = await readFile(path)
  assert.deepEqual(
    exchanges.map(({ query }) => query),
    ['n=1', 'n=3'],
  )
  const other = join(folder, 'other.har')
  appendFileSync(other, '{"log":{"entries":[],"version":"1.2"}}')
  assert.throws(() => new HarFile(other, '1.0.0'), RangeError)
  const empty = join(folder, 'empty.har')
  new HarFile(empty, '1.0.0').close()
  const again = new HarFile(empty, '1.0.0')
  again.append(entryOf(exchange()))
  again.close()
  assert.equal((await readFile(empty)).exchanges.length, 1)
})

test('no mutation of a HAR crashes the reader', async () => {
  const whole = Buffer.from(
    writeHar(
      [1, 2, 3].map(n => entryOf(exchange(n))),
      '1',
    ),
  )
  const change = fc.tuple(fc.nat(whole.length - 1), fc.oneof(fc.constantFrom(...'{}[]",\\:\n'), fc.string()))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 5 }), fc.nat(whole.length), async (changes, end) => {
      let text = whole.subarray(0, end || undefined).toString('latin1')
      for (const [at, other] of changes) text = text.slice(0, at) + other + text.slice(at + 1)
      const { exchanges } = await read(Buffer.from(text, 'latin1'))
      assert.ok(exchanges.length <= 3)
    }),
  )
})
