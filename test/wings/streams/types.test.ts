import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UTF8 } from '../../../src/kernel/http.ts'
import { gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

const YAML = `
contract:
  openapi: 3.2.0
  info: { title: Ticks, version: "1" }
  paths:
    /ticks:
      get:
        operationId: watch
        responses:
          200:
            description: Ticks
            content:
              application/json: { schema: { type: array, items: { type: integer } } }
              text/event-stream: { itemSchema: { type: integer } }
              application/jsonl: { itemSchema: { type: integer } }
              application/x-ndjson: { itemSchema: { type: integer } }
              application/json-seq: { itemSchema: { type: integer } }
              multipart/mixed: { itemSchema: { type: integer } }
`
const STREAM = 'respond: { stream: { count: 2, item: "${item.index}" } }'

const part = (item: number) => `--part-of-the-stream\r\ncontent-type: application/json\r\n\r\n${item}\r\n`
const TEXTS: Readonly<Record<string, string>> = {
  'text/event-stream': 'retry: 1000\nid: 1-0\ndata: 0\n\nid: 1-1\ndata: 1\n\n',
  'application/jsonl': '0\n1\n',
  'application/x-ndjson': '0\n1\n',
  'application/json-seq': '\u001e0\n\u001e1\n',
  'multipart/mixed': `${part(0)}${part(1)}--part-of-the-stream--\r\n`,
}

async function read(operation: string, accept: string | undefined) {
  const gateway = gatewayOf(load(`${YAML}operations: { watch: { ${operation} } }`), new FixedClock())
  const reply = await gateway.handle(requestOf('GET /ticks', { headers: accept === undefined ? {} : { accept } }))
  let text = ''
  for await (const chunk of reply.stream?.chunks ?? []) text += UTF8.decode(chunk)
  return { type: reply.headers['content-type']?.split(';')[0], text, isStream: reply.stream !== undefined }
}

for (const [type, text] of Object.entries(TEXTS)) {
  test(`a client that prefers ${type} gets a stream of this type`, async () => {
    assert.deepEqual(await read(STREAM, type), { type, text: text, isStream: true })
  })
}

test('a client that accepts anything gets the first stream, one that prefers JSON the whole', async () => {
  for (const accept of [undefined, '*/*']) assert.equal((await read(STREAM, accept)).type, 'text/event-stream')
  const { type, isStream } = await read(STREAM, 'application/json')
  assert.deepEqual([type, isStream], ['application/json', false])
})

test('the stream of a rule is sent whatever the client accepts', async () => {
  const rule = `rules: [{ when: 'request.method == "GET"', ${STREAM} }]`
  assert.equal((await read(rule, 'application/json')).type, 'text/event-stream')
  assert.equal((await read(rule, 'application/jsonl')).type, 'application/jsonl')
})

test('the head of a stream says no length', async () => {
  const gateway = gatewayOf(load(`${YAML}operations: { watch: { ${STREAM} } }`), new FixedClock())
  const { headers, bytes, stream } = await gateway.handle(requestOf('HEAD /ticks'))
  assert.deepEqual([headers['content-length'], bytes, stream?.chunks], [undefined, undefined, []])
})
