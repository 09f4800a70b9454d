import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { after, suite, test } from 'node:test'
import { parse } from 'yaml'
import { startGateway } from '../../src/index.ts'
import { until } from '../support/until.ts'
import { JSON_TYPE, KEY, message } from './pet-store.ts'
import { assertRefusal, Raw } from './raw.ts'

const text = readFileSync('test/wire/small-limits.yaml', 'utf8')
const withLimits = (limits: string) =>
  startGateway({ config: parse(text.replaceAll('../../', './').replace(/^limits: .*$/m, `limits: ${limits}`)) })
// Long enough for a busy machine to send a request in time.
const gateway = await withLimits('{ request: 2s, idle: 1s }')
const small = await withLimits('{ body: 100B, headers: 2kB }')
after(() => Promise.all([gateway.close(), small.close()]))

const POST = `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${KEY}${JSON_TYPE}`
const GET = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\n${KEY}\r\n`

/** Sends the rest byte by byte until the connection closes. */
function drip(raw: Raw, rest: string, pause = 20): void {
  let at = 0
  const timer = setInterval(() => raw.send(rest[at++ % rest.length] as string), pause)
  raw.socket.once('close', () => clearInterval(timer))
}

// The tests run concurrently, since each of them waits.
suite('slow clients', { concurrency: true }, () => {
  for (const [name, first, rest] of [
    ['nothing at all', '', ''],
    ['half a request line', 'GET /v1/pe', ''],
    ['headers byte by byte', 'GET /v1/pets HTTP/1.1\r\n', 'X-A: 1\r\n'],
    ['half a body', `${POST}Content-Length: 50\r\n\r\n{"na`, ''],
    ['a body byte by byte', `${POST}Content-Length: 10000\r\n\r\n`, ' '],
    ['no byte of a compressed body', `${POST}Content-Encoding: gzip\r\nContent-Length: 100\r\n\r\n`, ''],
    ['chunks byte by byte', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
  ] as const) {
    test(`a client that sends ${name} gets 408, and its connection is closed`, async () => {
      const raw = new Raw(gateway.url)
      if (first !== '') raw.send(first)
      if (rest !== '') drip(raw, rest)
      const [reply, ...more] = await raw.replies()
      assertRefusal(reply ?? assert.fail('no reply'), 408, 'request_timeout')
      assert.equal(reply?.headers.connection, 'close')
      assert.deepEqual(more, [])
      await raw.closed()
    })
  }

  test('a refused upload that continues byte by byte is closed without a second reply', async () => {
    const raw = new Raw(gateway.url).send(`POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`)
    drip(raw, ' ')
    const replies = await raw.replies()
    assert.deepEqual(
      replies.map(({ status }) => status),
      [401],
    )
  })

  test('a refused upload that never ends is closed after its time', async () => {
    const raw = new Raw(gateway.url).send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${JSON_TYPE}Content-Length: 1000000000000\r\n\r\n`,
    )
    assertRefusal((await raw.reply()) ?? assert.fail(), 401)
    const piece = Buffer.alloc(100_000)
    const pump = () => {
      while (!raw.socket.destroyed && raw.socket.write(piece));
    }
    raw.socket.on('drain', pump)
    pump()
    await raw.closed()
  })

  test('an idle connection is closed without a reply', async () => {
    const raw = new Raw(gateway.url).send(GET)
    assert.equal((await raw.reply())?.status, 200)
    assert.deepEqual(await raw.replies(), [])
  })

  test('a client that does not read its replies is disconnected, and memory stays bounded', async () => {
    const REQUESTS = 20_000
    const before = process.memoryUsage().rss
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname).pause()
    socket.on('error', () => {})
    socket.write(GET.repeat(REQUESTS))
    // A client that does not read notices the end of its connection when it writes.
    await until(() => !socket.write(' ') && socket.destroyed)
    assert.ok(process.memoryUsage().rss - before < 150e6, 'memory is bounded')
  })
})

test('a request longer than limits.headers is refused with 431', async () => {
  const raw = new Raw(small.url).send(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(2000)}\r\n\r\n`)
  const [reply] = await raw.replies()
  assertRefusal(reply ?? assert.fail(), 431, 'header_fields_too_large')
})

test('a header of a megabyte is refused while it is still being sent', async () => {
  const raw = new Raw(small.url).send(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(1_000_000)}`)
  assertRefusal((await raw.reply()) ?? assert.fail(), 431)
  await raw.closed()
})

test('a body longer than limits.body is refused with 413, and the connection stays open', async () => {
  const body = JSON.stringify({ name: 'a'.repeat(100), categoryId: 1 })
  const raw = new Raw(small.url).send(message('POST /v1/pets', KEY + JSON_TYPE, body))
  const reply = (await raw.reply()) ?? assert.fail()
  assert.equal(assertRefusal(reply, 413), 'the body is larger than 100 bytes')
  assert.equal((await raw.send(GET).reply())?.status, 200)
  raw.close()
})
