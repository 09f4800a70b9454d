// Event streams, lines of JSON, JSON text sequences and unnamed parts: parsing, generation and validation.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation } from '../../src/contract/contract.ts'
import { nonconformanceOf } from '../../src/contract/judge.ts'
import { inProcess, loadFiles } from '../support/in-process.ts'

const FILES = {
  'feeds.yaml': `
openapi: 3.2.0
info: { title: Feeds, version: "1" }
paths:
  /as-written:
    get:
      operationId: asWritten
      responses:
        "200":
          description: Fine
          content:
            text/event-stream:
              schema: { type: string }
              example: ": begin\\nevent: add\\ndata: {\\"n\\":1}\\n\\ndata: [DONE]\\n\\n"
  /events:
    get:
      operationId: events
      responses:
        "200": { description: Fine, content: { text/event-stream: { itemSchema: { $ref: "#/components/schemas/Event" } } } }
    post:
      operationId: push
      requestBody: { required: true, content: { text/event-stream: { itemSchema: { $ref: "#/components/schemas/Event" } } } }
      responses: { "204": { description: Taken } }
  /payloads:
    get:
      operationId: payloads
      responses:
        "200": { description: Fine, content: { text/event-stream: { itemSchema: { $ref: "#/components/schemas/Note" } } } }
  /older:
    get:
      operationId: older
      responses:
        "200": { description: Fine, content: { text/event-stream: { schema: { $ref: "#/components/schemas/Note" } } } }
  /lines:
    get:
      operationId: lines
      responses:
        "200": { description: Fine, content: { application/jsonl: { itemSchema: { $ref: "#/components/schemas/Note" } } } }
    post:
      operationId: addLines
      requestBody:
        required: true
        content: { application/x-ndjson: { schema: { maxItems: 2 }, itemSchema: { $ref: "#/components/schemas/Note" } } }
      responses: { "204": { description: Taken } }
  /records:
    get:
      operationId: records
      responses:
        "200":
          description: Fine
          content:
            application/json-seq:
              itemSchema: { $ref: "#/components/schemas/Note" }
              examples: { two: { dataValue: [{ text: a }, { text: b }] } }
    post:
      operationId: addRecords
      requestBody: { required: true, content: { application/json-seq: { itemSchema: { $ref: "#/components/schemas/Note" } } } }
      responses: { "204": { description: Taken } }
  /parts:
    get:
      operationId: parts
      responses:
        "200":
          description: Fine
          content:
            multipart/mixed:
              itemSchema: { $ref: "#/components/schemas/Note" }
              itemEncoding: { contentType: application/vnd.note+json }
components:
  schemas:
    Note: { type: object, required: [text], properties: { text: { type: string }, at: { type: integer } } }
    Event:
      type: object
      required: [event, data]
      properties:
        event: { type: string, enum: [add, remove] }
        id: { type: string, pattern: "^[0-9]+$" }
        retry: { type: integer, minimum: 100 }
        data: { type: string, contentMediaType: application/json, contentSchema: { $ref: "#/components/schemas/Note" } }
`,
}

const { send, gateway } = inProcess(FILES)
const operationOf = (id: string) => gateway.plan.contract.operations.find(operation => operation.id === id) as Operation
const upload = (line: string, type: string, text: string) => send(line, {}, { 'content-type': type }, Buffer.from(text))

interface Note {
  readonly text: unknown
}
const isNote = (value: unknown): boolean => typeof (value as Note).text === 'string'

test('the document is sound', () => {
  assert.deepEqual(loadFiles(FILES).report.list, [])
})

test('a text of an event stream is sent byte for byte', async () => {
  const { body, headers } = await send('GET /as-written')
  assert.equal(body, ': begin\nevent: add\ndata: {"n":1}\n\ndata: [DONE]\n\n')
  assert.equal(headers['content-type'], 'text/event-stream')
})

test('events are generated with their fields, and data of JSON by its schema', async () => {
  for (const query of ['', '?__dynamic=true']) {
    const events = String((await send(`GET /events${query}`)).body)
      .split('\n\n')
      .filter(Boolean)
    assert.equal(events.length, 2)
    for (const event of events) {
      assert.match(event, /^event: (add|remove)\nid: \d+\nretry: \d+\ndata: \{.*\}$/)
      assert.ok(isNote(JSON.parse(event.split('data: ')[1] as string)), event)
    }
  }
})

test('an item that is not an event becomes the data of an event', async () => {
  for (const path of ['/payloads', '/older']) {
    const events = String((await send(`GET ${path}`)).body)
      .split('\n\n')
      .filter(Boolean)
    assert.equal(events.length, 2)
    for (const event of events) assert.ok(isNote(JSON.parse(event.replace(/^data: /, ''))), event)
  }
})

test('lines, records and parts are framed as their media types say', async () => {
  const lines = String((await send('GET /lines')).body)
  assert.match(lines, /^\{.*\}\n\{.*\}\n$/)
  assert.ok(
    lines
      .trim()
      .split('\n')
      .every(line => isNote(JSON.parse(line))),
  )
  assert.equal((await send('GET /records')).body, '\u001e{"text":"a"}\n\u001e{"text":"b"}\n')
  const parts = await send('GET /parts')
  const boundary = /^multipart\/mixed; boundary=(\S+)$/.exec(parts.headers['content-type'] ?? '')?.[1]
  const [before, ...rest] = String(parts.body).split(`--${boundary}`)
  assert.equal(before, '')
  assert.equal(rest.pop(), '--\r\n')
  assert.equal(rest.length, 2)
  for (const part of rest) {
    assert.match(part, /^\r\ncontent-type: application\/vnd\.note\+json\r\n\r\n/)
    assert.ok(isNote(JSON.parse(part.split('\r\n\r\n')[1] as string)))
  }
})

const REQUESTS: readonly (readonly [string, string, string, string | undefined])[] = [
  ['POST /events', 'text/event-stream', 'event: add\nid: 7\ndata: {"text":\ndata: "a"}\n\n: ping\n\n', undefined],
  ['POST /events', 'text/event-stream', 'event: add\r\nretry: 100\r\ndata: x\r\n\r\n', undefined],
  ['POST /events', 'text/event-stream', 'event: move\ndata: x\n\n', '/0/event must be one of "add", "remove"'],
  ['POST /events', 'text/event-stream', 'event: add\ndata: x\n\ndata: y\n\n', '/1/event is required'],
  ['POST /events', 'text/event-stream', 'event: add\nretry: 5\ndata: x\n\n', '/0/retry must be at least 100'],
  ['POST /lines', 'application/x-ndjson', '{"text":"a"}\n\n{"text":"b","at":1}', undefined],
  ['POST /lines', 'application/x-ndjson', '{"text":"a"}\n{"text":7}\n', '/1/text must be a string'],
  ['POST /lines', 'application/x-ndjson', '{"text":"a"}\n{"text":\n', 'the body is wrong in line 2, which is not JSON'],
  ['POST /lines', 'application/x-ndjson', '{"text":"a"}\n'.repeat(3), 'must have at most 2 items'],
  ['POST /records', 'application/json-seq', '\u001e{"text":"a"}\n\u001e{"text":"b"}\n', undefined],
  ['POST /records', 'application/json-seq', '{"text":"a"}\n', 'must begin with a record separator'],
  ['POST /records', 'application/json-seq', '\u001e{"at":1}\n', '/0/text is required'],
]

for (const [line, type, text, fault] of REQUESTS) {
  test(`${line} ${JSON.stringify(text)} is ${fault === undefined ? 'taken' : `refused: ${fault}`}`, async () => {
    const { status, body } = await upload(line, type, text)
    assert.equal(status, fault === undefined ? 204 : 400, JSON.stringify(body))
    if (fault !== undefined)
      assert.ok(JSON.stringify(body).includes(JSON.stringify(fault).slice(1, -1)), JSON.stringify(body))
  })
}

test('a reply that is a sequence is validated by the schema of its items', () => {
  const check = (id: string, type: string, body: string) =>
    nonconformanceOf(operationOf(id), { status: 200, headers: { 'content-type': type }, body })?.message
  assert.equal(check('events', 'text/event-stream', 'event: add\ndata: x\n\n'), undefined)
  assert.match(check('events', 'text/event-stream', 'data: x\n\n') ?? '', /\/0\/event is required/)
  assert.equal(check('payloads', 'text/event-stream', 'data: {"text":"a"}\n\n'), undefined)
  assert.match(check('payloads', 'text/event-stream', 'data: {"text":1}\n\n') ?? '', /\/0\/text must be a string/)
  assert.match(check('lines', 'application/jsonl', '{"text":1}\n') ?? '', /\/0\/text must be a string/)
})

test('itemSchema of a media type that is not a sequence is warned of', () => {
  const text = FILES['feeds.yaml'].replace('application/jsonl', 'application/json')
  assert.deepEqual(
    loadFiles({ 'feeds.yaml': text }).report.list.map(({ code }) => code),
    ['idle-keyword'],
  )
})
