// Bodies that are read and checked in steps are answered as small ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayOf, loadFiles, requestOf } from '../support/in-process.ts'
import { FixedClock } from '../virtual-clock.ts'

const CONTRACT = `
openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    post:
      operationId: createNote
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses:
        201: { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
components:
  schemas:
    Part: { type: object, properties: { id: { type: integer, readOnly: true }, secret: true, text: { type: string } } }
    Note:
      type: object
      required: [title]
      properties:
        id: { type: integer, readOnly: true }
        title: { type: string }
        price: { type: number }
        count: { type: integer, format: int64 }
        pad: { type: string }
        parts: { type: array, items: { $ref: "#/components/schemas/Part" } }
        more: { type: object, additionalProperties: { $ref: "#/components/schemas/Part" } }
`
const GATEWAY = `
contract: ./openapi.yaml
resources: { notes: { schema: Note, unknownFields: keep } }
operations: { createNote: { respond: { create: notes } } }
`
const PAD = 'x'.repeat(150_000)

const encoder = new TextEncoder()

/** The status and the text of the reply to a body. */
async function answerTo(body: string | Uint8Array, gateway = GATEWAY): Promise<string> {
  const loaded = loadFiles({ 'gateway.yaml': gateway, 'openapi.yaml': CONTRACT })
  const raw = typeof body === 'string' ? encoder.encode(body) : body
  const headers = { 'content-type': 'application/json' }
  const reply = await gatewayOf(loaded, new FixedClock()).handle(requestOf('POST /notes', { raw, headers }))
  return `${reply.status} ${String(reply.body)}`
}

const BODIES: readonly (readonly [about: string, text: (pad: string) => string, expected: RegExp])[] = [
  ['a valid body', pad => `{"title":"a","pad":"${pad}"}`, /^201 \{"id":1,"title":"a","pad":""\}/],
  [
    'readOnly fields at any depth, which are dropped',
    pad => `{"title":"a","id":7,"parts":[{"text":"t"},{"id":5,"secret":1}],"more":{"x":{"id":3}},"pad":"${pad}"}`,
    /^201 \{"id":1,"title":"a","pad":"","parts":\[\{"text":"t"\},\{"secret":1\}\],"more":\{"x":\{\}\}\}/,
  ],
  [
    'numbers beyond a double',
    pad => `{"title":"a","price":1.10,"count":9007199254740993,"pad":"${pad}"}`,
    /"price":1\.10,"count":9007199254740993/,
  ],
  ['a name of the prototype', pad => `{"title":"a","__proto__":{"x":1},"constructor":2,"pad":"${pad}"}`, /^201/],
  [
    'fields of a wrong type',
    pad => `{"title":1,"parts":[{"text":2}],"pad":"${pad}"}`,
    /^400 .*\/title must be a string/,
  ],
  [
    'a misspelt field',
    pad => `{"titel":"a","pad":"${pad}"}`,
    /^400 .*\/title is required, but the body has \\"titel\\"/,
  ],
  ['a text that ends too early', pad => `{"title":"a","pad":"${pad}"`, /^400 .*is not JSON/],
  [
    'lists of too many levels',
    pad => `{"title":"${pad}","x":${'['.repeat(300)}${']'.repeat(300)}}`,
    /^400 .*nested deeper than 256 levels/,
  ],
]

for (const [about, text, expected] of BODIES) {
  test(`a large body and a small one have the same reply: ${about}`, async () => {
    const large = (await answerTo(text(PAD))).replaceAll(PAD, '')
    assert.match(large, expected)
    assert.equal(large, await answerTo(text('')))
  })
}

test('a large body that is not UTF-8 is refused', async () => {
  assert.match(await answerTo(Buffer.alloc(150_000, 0xff)), /^400 .*is not UTF-8/)
})

test('an object of more than 50,000 members is refused in a large body', async () => {
  const members = Array.from({ length: 50_001 }, (_, i) => `"${i.toString(36)}":1`)
  assert.match(await answerTo(`{${members}}`), /^400 .*has an object of more than 50000 members/)
  assert.match(await answerTo(`{"title":"${PAD}","list":[{${members.slice(0, 1000)}}]}`), /^201/)
})
