import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Entry } from 'har-format'
import type { Plan } from '../../../src/plan/plan.ts'
import { Blanks } from '../../../src/wings/project/blanks.ts'
import type { Upstream, UpstreamRequest, UpstreamSettings } from '../../../src/wings/real-api/upstream.ts'
import { MOST_RECORDED, Recorder } from '../../../src/wings/record/recorder.ts'
import { load } from '../../support/in-process.ts'

const SETTINGS = { origin: 'https://api.test', path: '/v1' } as UpstreamSettings

async function* piecesOf(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece)
}

interface Prepared {
  readonly status?: number
  readonly fields?: readonly string[]
  readonly body?: AsyncIterable<Uint8Array>
}

/** Records the exchanges of a client that answers with what is prepared. */
function recording(
  prepared: Prepared,
  { append, plan }: { append?: (entry: Entry) => void; plan?: Plan | undefined } = {},
) {
  const entries: Entry[] = []
  const told: string[] = []
  const client: Upstream = {
    async send({ body }) {
      // A server reads the request before it answers.
      for await (const _ of body instanceof Uint8Array ? [] : (body ?? []));
      const { status = 200, fields = ['Content-Type', 'application/json'] } = prepared
      return { status, fields, body: prepared.body ?? piecesOf('{"a":', '1}'), trailers: () => ({}) }
    },
    close: async () => {},
  }
  const write = append ?? ((entry: Entry) => void entries.push(entry))
  const recorder = new Recorder({ append: write }, new Blanks([], undefined), plan, error => {
    if (error !== undefined) told.push(error.message)
  })
  const through = recorder.through(client)
  return {
    entries,
    told,
    counts: recorder.counts,
    /** Sends a request, reads its reply, and returns the bytes. */
    async send(request: Partial<UpstreamRequest> = {}, most = Number.POSITIVE_INFINITY): Promise<number> {
      const reply = await through.send({ method: 'GET', path: '/things/1?q=2', headers: {}, ...request }, SETTINGS)
      let bytes = 0
      for await (const piece of reply.body) {
        bytes += piece.length
        if (bytes >= most) break
      }
      // A body that breaks off is closed in the next turn.
      await setImmediate()
      await recorder.written
      return bytes
    },
  }
}

test('an exchange is recorded as it passed, without its credentials', async () => {
  const { send, entries } = recording({})
  const headers = { authorization: 'Bearer abc-secret', via: '1.1 understudy', 'content-type': 'application/json' }
  assert.equal(await send({ method: 'POST', headers, body: piecesOf('{"b":', '2}') }), 7)
  const [{ request, response } = assert.fail()] = entries
  assert.deepEqual(
    [request.method, request.url, request.headers, request.postData?.text, response.status, response.content.text],
    [
      ...['POST', 'https://api.test/v1/things/1?q=2'],
      [
        { name: 'authorization', value: 'Bearer Masked-1' },
        { name: 'content-type', value: 'application/json' },
      ],
      ...['{"b":2}', 200, '{"a":1}'],
    ],
  )
})

test('a compressed body is recorded without its compression and passes with it', async () => {
  const zipped = gzipSync('{"zip":true}')
  const fields = ['Content-Type', 'application/json', 'Content-Encoding', 'gzip']
  const { send, entries } = recording({ fields, body: piecesOf(zipped.subarray(0, 5), zipped.subarray(5)) })
  assert.equal(await send(), zipped.length)
  assert.equal(entries[0]?.response.content.text, '{"zip":true}')
})

test('a body that is too long passes, and the recording says that it is missing; so does one that breaks off', async () => {
  const piece = new Uint8Array(MOST_RECORDED / 4).fill(65)
  const long = recording({ body: piecesOf(piece, piece, piece, piece, piece) })
  assert.equal(await long.send(), 5 * piece.length)
  const broken = recording({ body: piecesOf('{"a":', '1}') })
  assert.equal(await broken.send({}, 1), 5)
  for (const { entries, counts } of [long, broken]) {
    const { size, text } = entries[0]?.response.content ?? assert.fail()
    assert.deepEqual([size, text, counts.cut], [-1, undefined, 1])
  }
})

test('requests still pass where the disk is full, which is said once', async () => {
  let room = 1
  const append = () => {
    if (room-- <= 0) throw new Error('ENOSPC: no space left on device')
  }
  const { send, told, counts } = recording({}, { append })
  for (let i = 0; i < 4; i++) assert.ok((await send()) > 0 || i > 0)
  assert.deepEqual([told, counts.exchanges, counts.lost], [['ENOSPC: no space left on device'], 1, 3])
})

test('replies that break the contract are counted, and operations by the contract', async () => {
  const { plan } = load(`
contract:
  openapi: 3.1.0
  info: { title: Things, version: "1" }
  servers: [{ url: /v1 }]
  paths:
    /things/{id}:
      get:
        operationId: getThing
        parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
        responses:
          "200":
            description: One
            content:
              application/json: { schema: { type: object, required: [name] } }
`)
  const { send, counts } = recording({}, { plan })
  await send()
  await send({ path: '/other' })
  assert.deepEqual([counts.breaking, [...counts.operations]], [1, ['getThing', 'GET /v1/other']])
})

test('credentials are blanked in texts of every form, and what is beside them stays', async () => {
  const json = 'application/json'
  const part = '--b\r\nContent-Disposition: form-data; name='
  const texts: readonly (readonly [type: string, text: string, blanked: string])[] = [
    ['text/plain', '{"token":"hush\'1","pin":1234,"n":5}', '{"token":"Masked-1","pin":Masked-2,"n":5}'],
    ['application/x-ndjson', '{"url":"/a?sig=hush"}\n{"n":2}', '{"url":"/a?sig=Masked-1"}\n{"n":2}'],
    ['text/event-stream', 'data: {"n":1,"secret": "hu sh"}', 'data: {"n":1,"secret": "Masked-1"}'],
    [
      'text/xml',
      '<a><x:password>hu\'sh</x:password><b token="c"/></a>',
      '<a><x:password>Masked-2</x:password><b token="Masked-1"/></a>',
    ],
    [
      'text/html',
      '<input name="csrf_token" value="hush"> the password: wrong',
      '<input name="csrf_token" value="Masked-1"> the password: wrong',
    ],
    [json, '{"password":"hush", ', '{"password":"Masked-1", '],
    [
      json,
      '{"next":"https://a.test/b?page=2&access_token=hu%2Fsh#x"}',
      '{"next":"https://a.test/b?page=2&access_token=Masked-1#x"}',
    ],
    [json, '{"hook":"https://ann:hush@a.test/"}', '{"hook":"https://ann:Masked-1@a.test/"}'],
    [json, '{"sent":"{\\"password\\":\\"hush\\",\\"n\\":1}"}', '{"sent":"{\\"password\\":\\"Masked-1\\",\\"n\\":1}"}'],
    [
      json,
      '{"query":"mutation { login(password: \\"hush\\") }"}',
      '{"query":"mutation { login(password: \\"Masked-1\\") }"}',
    ],
    [
      'multipart/form-data; boundary=b',
      `${part}"n"\r\n\r\n5\r\n${part}"pwd"\r\n\r\nhu sh\r\n--b--`,
      `${part}"n"\r\n\r\n5\r\n${part}"pwd"\r\n\r\nMasked-1\r\n--b--`,
    ],
  ]
  for (const [type, text, blanked] of texts) {
    const { send, entries } = recording({ fields: ['Content-Type', type], body: piecesOf(text) })
    await send()
    assert.equal(entries[0]?.response.content.text, blanked)
  }
  const file = recording({
    fields: ['Content-Type', 'multipart/form-data; boundary=b'],
    body: piecesOf(`${part}"pwd"\r\n\r\nhush\r\n`, new Uint8Array([255, 0])),
  })
  await file.send()
  const bytes = Buffer.from(file.entries[0]?.response.content.text ?? '', 'base64')
  assert.equal(bytes.toString('latin1'), `${part}"pwd"\r\n\r\nMasked-1\r\n\xff\0`)
})

test('credentials in header fields are blanked, also in addresses and in cookies that a browser joined by line feeds', async () => {
  const { send, entries } = recording({
    fields: [
      'Location',
      'https://app.test/#state=1&id_token=hush',
      'Set-Cookie',
      'a=hush; Path=/\nsid=hush2; HttpOnly',
    ],
  })
  await send({ headers: { referer: 'https://app.test/?code=1&api_key=hush3' } })
  const [{ request, response } = assert.fail()] = entries
  assert.deepEqual(
    [request.headers[0]?.value, ...response.headers.map(({ value }) => value)],
    [
      'https://app.test/?code=1&api_key=Masked-1',
      'https://app.test/#state=1&id_token=Masked-2',
      'a=Masked-2; Path=/\nsid=Masked-3; HttpOnly',
    ],
  )
})
