import assert from 'node:assert/strict'
import { request } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type RunningGateway, startGateway } from '../../../../src/index.ts'

/** A reply with its body, a refusal with its reason, or a connection that is cut within the body. */
type Outcome =
  | { readonly status: number; readonly body: Buffer }
  | { readonly refused: number; readonly why: RegExp }
  | 'cut'

interface Case {
  readonly what: string
  readonly sent: Buffer
  readonly outcome: Outcome
  /** Whether the server leaves the connection open afterwards, and sends nothing more. */
  readonly hangs?: boolean
}

const cases: Case[] = []
const bytes = (text: string | Buffer): Buffer => (typeof text === 'string' ? Buffer.from(text, 'latin1') : text)
const add = (what: string, parts: readonly (string | Buffer)[], outcome: Outcome, hangs = false): void =>
  void cases.push({ what, sent: Buffer.concat(parts.map(bytes)), outcome, hangs })
const passes = (body: string | Buffer = '', status = 200): Outcome => ({ status, body: bytes(body) })
const refused = (why: RegExp, status = 502): Outcome => ({ refused: status, why })
const NOT_HTTP = refused(/what is not HTTP/)
const FRAMING = refused(/what is not HTTP|another length than it announced/)
const CLOSED = refused(/closed the connection/)

// Every status with a body, and the statuses without one.
for (let status = 200; status < 600; status += 9) {
  if (status === 304) continue
  add(`status ${status}`, [`HTTP/1.1 ${status} Some words\r\ncontent-length: 2\r\n\r\n{}`], passes('{}', status))
}
add('a 204', ['HTTP/1.1 204 No Content\r\n\r\n'], passes('', 204))
add('a 304', ['HTTP/1.1 304 Not Modified\r\netag: "1"\r\n\r\n'], passes('', 304))
add('a 304 with a length', ['HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n'], passes('', 304))
add('a status without words', ['HTTP/1.1 200 \r\ncontent-length: 2\r\n\r\nok'], passes('ok'))
add('a status alone', ['HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok'], passes('ok'))

// Headers.
const HEADERS: readonly (readonly [what: string, field: string])[] = [
  ['an empty value', 'x-empty:'],
  ['blanks around a value', 'x-blank: \t  a b \t'],
  ['letters beyond ASCII', 'x-latin: caf\u00e9'],
  ['a long value', `x-long: ${'y'.repeat(8000)}`],
  ['a cookie without a value', 'set-cookie: a='],
  ['two cookies', 'set-cookie: a=1\r\nset-cookie: b=2'],
  ['a repeated field', 'x-twice: 1\r\nx-twice: 2'],
  ['names in capitals', 'X-CAPITALS: 1'],
  ['signs in a name', "x!#$%&'*+-.^_`|~9: 1"],
  ['a named field of the connection', 'connection: x-hop\r\nx-hop: 1'],
  ['several fields of the connection', 'connection: close, x-hop\r\nx-hop: 1\r\nkeep-alive: timeout=1'],
  ['its own Via', 'via: 1.0 other'],
  ['its own Date', 'date: Sun, 06 Nov 1994 08:49:37 GMT'],
  ['no caching', 'cache-control: no-store'],
  ['caching', 'cache-control: public, max-age=60'],
  ['an own Vary', 'vary: *'],
  ['a server', 'server: raw'],
  ['an unknown content type', 'content-type: application/x-nothing'],
  ['an invalid content type', 'content-type: ;;;'],
  ['an upgrade that is offered', 'upgrade: h2c'],
  ['a location', 'location: /api/pets/1'],
  ['a link that is not one', 'link: <<>>;'],
  ['an authentication', 'www-authenticate: Basic realm="a, b", Digest realm="c"'],
  ['a hundred fields', Array.from({ length: 100 }, (_, i) => `x-${i}: ${i}`).join('\r\n')],
]
for (const [what, field] of HEADERS) {
  add(what, [`HTTP/1.1 200 OK\r\n${field}\r\ncontent-length: 2\r\n\r\n{}`], passes('{}'))
}
const INVALID_HEADERS: readonly (readonly [what: string, field: string])[] = [
  ['a name with a blank', 'x y: 1'],
  ['a blank before the colon', 'x-y : 1'],
  ['no colon', 'x-y'],
  ['no name', ': 1'],
  ['a NUL in a name', 'x\u0000y: 1'],
  ['a letter beyond ASCII in a name', 'caf\u00e9: 1'],
  ['a NUL in a value', 'x-y: a\u0000b'],
  ['a bare carriage return in a value', 'x-y: a\rb'],
]
for (const [what, field] of INVALID_HEADERS) {
  add(what, [`HTTP/1.1 200 OK\r\n${field}\r\ncontent-length: 2\r\n\r\n{}`], NOT_HTTP)
}
for (const count of [3000, 30_000]) {
  const fields = Array.from({ length: count }, (_, i) => `x-${i}: ${i}`).join('\r\n')
  add(`${count} fields`, [`HTTP/1.1 200 OK\r\n${fields}\r\ncontent-length: 0\r\n\r\n`], refused(/larger headers/))
}

// Status lines that are not.
for (const line of [
  ...['hello', 'HTTP/1.1', 'HTTP/1.1 ', 'HTTP/1.1 abc OK', 'HTTP/1.1 20 OK', 'HTTP/1.1 2000 OK', 'http/1.1 200 OK'],
  ...['HTTP/9.9 200 OK', ' HTTP/1.1 200 OK', 'GET / HTTP/1.1', '\u0016\u0003\u0001', '{"a":1}'],
  ...['ICY 200 OK', 'HTTP/1.1200 OK', 'HTTP 200 OK'],
]) {
  add(`the line ${JSON.stringify(line)}`, [`${line}\r\ncontent-length: 2\r\n\r\n{}`], NOT_HTTP)
}

// Lengths of bodies, with a length, in chunks, and up to the end of the connection.
const BODIES: readonly (readonly [what: string, body: Buffer])[] = [
  ['no byte', Buffer.alloc(0)],
  ['one byte', bytes('1')],
  ['JSON', bytes('[{"id":1}]')],
  ['invalid JSON', bytes('[{"id":')],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ['zeroes', Buffer.alloc(1000)],
  ['line ends', bytes('\r\n\r\n0\r\n\r\n')],
  ['another reply', bytes('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')],
  ['64 kB', Buffer.alloc(65_536, 'a')],
  ['64 kB and a byte', Buffer.alloc(65_537, 'b')],
  ['2 MB', Buffer.alloc(2_000_000, 'c')],
]
const CHUNKS = [1, 7, 1000, 70_000]
const chunked = (body: Buffer, size: number): Buffer => {
  const parts: Buffer[] = []
  for (let from = 0; from < body.length; from += size) {
    const chunk = body.subarray(from, from + size)
    parts.push(bytes(`${chunk.length.toString(16)}\r\n`), chunk, bytes('\r\n'))
  }
  return Buffer.concat([...parts, bytes('0\r\n\r\n')])
}
for (const [what, body] of BODIES) {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  add(`${what} with a length`, [`${head}content-length: ${body.length}\r\n\r\n`, body], passes(body))
  add(`${what} to the end`, [`${head}connection: close\r\n\r\n`, body], passes(body))
  for (const size of body.length > 100_000 ? [70_000] : CHUNKS) {
    const parts = [`${head}transfer-encoding: chunked\r\n\r\n`, chunked(body, size)]
    add(`${what} in chunks of ${size}`, parts, passes(body))
  }
  if (body.length < 2) continue
  add(`${what} cut off`, [`${head}content-length: ${body.length + 1}\r\n\r\n`, body], 'cut')
  add(`${what} cut off within a chunk`, [`${head}transfer-encoding: chunked\r\n\r\nfffff\r\n`, body], 'cut')
}
add('HTTP/2.0 in its line', ['HTTP/2.0 200 OK\r\ncontent-length: 2\r\n\r\nok'], passes('ok'))
add('HTTP/1.0', ['HTTP/1.0 200 OK\r\n\r\nold'], passes('old'))

// Chunks.
const chunks = (rest: string) => [`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${rest}`]
add('chunk extensions', chunks('2;a=b\r\nok\r\n0\r\n\r\n'), passes('ok'))
add('capital digits', chunks('A\r\n0123456789\r\n0\r\n\r\n'), passes('0123456789'))
add('leading zeroes', chunks('0002\r\nok\r\n000\r\n\r\n'), passes('ok'))
add('trailers', chunks('2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n'), passes('ok'))
add('chunks that end too early', chunks('2\r\nok\r\n'), 'cut')
add('a chunk that is longer than it says', chunks('2\r\nokay\r\n0\r\n\r\n'), NOT_HTTP)
add('a negative chunk', chunks('2\r\nok\r\n-1\r\n'), NOT_HTTP)
add('a chunk without digits', chunks('2\r\nok\r\nxyz\r\n'), NOT_HTTP)
add('a huge chunk', chunks('2\r\nok\r\nffffffffffffffffff\r\n'), NOT_HTTP)

// Framing that two readers understand differently.
const both = (fields: string, rest: string) => [`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n${rest}`]
add('two lengths', both('content-length: 2\r\ncontent-length: 3', 'abc'), FRAMING)
add('two lengths in one', both('content-length: 2, 3', 'abc'), FRAMING)
add('a negative length', both('content-length: -2', 'ab'), FRAMING)
add('a length with a sign', both('content-length: +2', 'ab'), FRAMING)
add('a hexadecimal length', both('content-length: 0x2', 'ab'), FRAMING)
add('a length with a fraction', both('content-length: 2.0', 'ab'), FRAMING)
add('a length beyond 64 bits', both('content-length: 99999999999999999999', 'ab'), FRAMING)
add('an empty length', both('content-length:', 'ab'), FRAMING)
add('a length and chunks', both('content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n'), FRAMING)
add('chunks and a length', both('transfer-encoding: chunked\r\ncontent-length: 5', '0\r\n\r\n'), FRAMING)
add('a 204 with a body', ['HTTP/1.1 204 No Content\r\n\r\nbody'], passes('', 204))
add('a length that is too small', both('content-length: 2', 'ok, and more'), passes('ok'))
add(
  'a second reply behind the first',
  both('content-length: 2', 'okHTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'),
  passes('ok'),
)

// Informational replies.
for (const status of [102, 103, 199]) {
  const first = `HTTP/1.1 ${status} Wait\r\nlink: </a>; rel=preload\r\n\r\n`
  add(`a ${status} first`, [`${first}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok`], passes('ok'))
}
add('a 101', ['HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nbytes'], refused(/./))
add('a 100 that nobody waits for', ['HTTP/1.1 100 Continue\r\n\r\n'], refused(/./))

// Statuses that no reply has.
for (const status of ['000', '001', '099', '101']) {
  const head = `HTTP/1.1 ${status} Odd\r\ncontent-length: 2\r\n\r\n{}`
  add(`a ${status} without an upgrade`, [head], refused(/sent a status that no reply has/))
}

// Compression, which is passed on as it is.
for (const [coding, packed] of [
  ['gzip', gzipSync('[]')],
  ['br', brotliCompressSync('[]')],
  ['gzip', gzipSync(Buffer.alloc(20_000_000))],
  ['gzip', bytes('not compressed')],
  ['gzip', gzipSync('[]').subarray(0, 12)],
  ['zstd', bytes('unknown')],
] as const) {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: ${coding}\r\n`
  add(
    `${packed.length} bytes of ${coding}`,
    [`${head}content-length: ${packed.length}\r\n\r\n`, packed],
    passes(packed),
  )
}

// Silence.
add('nothing', [''], CLOSED)
add('half a status line', ['HTTP/1.1 20'], CLOSED)
add('half a head', ['HTTP/1.1 200 OK\r\ncontent-le'], CLOSED)
add('silence', [''], refused(/did not answer within/, 504), true)
add('silence within the head', ['HTTP/1.1 200 OK\r\n'], refused(/did not answer within/, 504), true)
add('silence within the body', ['HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'], 'cut', true)

let raw: Server
let gateway: RunningGateway

before(async () => {
  raw = createServer(socket => {
    socket.on('error', () => {})
    let seen = ''
    socket.on('data', data => {
      seen += data.toString('latin1')
      const path = /^GET \/api\/pets\/(\w+) /.exec(seen)?.[1]
      if (path === undefined || !seen.includes('\r\n\r\n')) return
      seen = ''
      const one = cases[Number(path)]
      if (one === undefined) return void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nnext')
      if (one.hangs === true) socket.write(one.sent)
      else socket.end(one.sent)
    })
  })
  await new Promise<void>(resolve => raw.listen(0, '127.0.0.1', resolve))
  const { port } = raw.address() as AddressInfo
  gateway = await startGateway({
    config: {
      contract: {
        openapi: '3.1.0',
        info: { title: 'Pets', version: '1' },
        paths: {
          '/pets/{id}': {
            get: {
              operationId: 'getPet',
              responses: { 200: { description: 'Fine', content: { 'application/json': {} } } },
            },
          },
        },
      },
      errors: { body: { why: '${problem.detail}' } },
      upstream: { url: `http://127.0.0.1:${port}/api`, timeout: '800ms' },
      defaults: { respond: { forward: {} } },
    },
  })
})
after(async () => {
  await gateway.close()
  raw.close()
})

/** Asks for a prepared reply. A connection that is cut after the head has no `body`. */
function ask(name: string): Promise<{ status: number; body: Buffer | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${gateway.url}/pets/${name}`, { agent: false }, reply => {
      const parts: Buffer[] = []
      const status = reply.statusCode ?? 0
      reply.on('data', part => parts.push(part))
      reply.on('error', () => resolve({ status, body: undefined }))
      reply.on('end', () => resolve({ status, body: Buffer.concat(parts) }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('there are at least 200 prepared replies', () => assert.ok(cases.length >= 200, `${cases.length}`))

for (const [i, { what, outcome }] of cases.entries()) {
  test(`a reply with ${what} (${i}) passes byte for byte, or is refused with its reason`, async () => {
    const { status, body } = await ask(`${i}`)
    if (outcome === 'cut') assert.equal(body, undefined)
    else if ('refused' in outcome) {
      assert.equal(status, outcome.refused)
      assert.match((JSON.parse(`${body}`) as { why: string }).why, outcome.why)
    } else {
      assert.equal(status, outcome.status)
      assert.ok(body?.equals(outcome.body), `${body?.length} bytes instead of ${outcome.body.length}`)
    }
    assert.deepEqual(await ask('next'), { status: 200, body: Buffer.from('next') })
  })
}
