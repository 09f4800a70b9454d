import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const CONTRACT = `
openapi: 3.0.3
info: { title: Desk, version: "1" }
paths:
  /notes:
    post:
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: "#/components/schemas/Note" } }
          application/vnd.desk+json: { schema: { $ref: "#/components/schemas/Note" } }
          application/x-www-form-urlencoded: { schema: { $ref: "#/components/schemas/Note" } }
          multipart/form-data: { schema: { $ref: "#/components/schemas/Note" } }
          text/plain: { schema: { type: string, maxLength: 5 } }
          image/*: { schema: { type: string, format: binary } }
      responses: { 204: { description: Kept } }
    get: { responses: { 204: { description: None } } }
  /marks:
    post:
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded: { schema: { $ref: "#/components/schemas/Mark" } }
          application/json: { schema: { $ref: "#/components/schemas/Mark" } }
      responses: { 204: { description: Kept } }
  /scans:
    post:
      requestBody: { required: true, content: { multipart/form-data: { schema: { type: string, format: binary } } } }
      responses: { 204: { description: Kept } }
components:
  schemas:
    Mark:
      type: object
      properties:
        label: { type: string }
        offset: { type: integer, minimum: -9223372036854776000 }
    Note:
      type: object
      required: [id, pages]
      properties:
        id: { type: integer, readOnly: true }
        pages: { type: integer, minimum: 1 }
        tags: { type: array, items: { type: integer } }
        place: { type: object, properties: { x: { type: number } } }
        lines:
          type: array
          items:
            type: object
            required: [price]
            additionalProperties: false
            properties:
              price: { type: string }
              count: { type: integer }
              taxes: { type: array, items: { type: string, enum: [a, b] } }
        open: { anyOf: [{ type: object, properties: { on: { type: boolean } } }, { type: string, enum: [''] }] }
        file: { type: string, format: binary }
`
const desk = inProcess({ 'openapi.yaml': CONTRACT })

const form = (fields: Record<string, string>): string =>
  `${Object.entries(fields)
    .map(([name, text]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`)
    .join('')}--b--\r\n`

const URLENCODED = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=b'

const CASES: readonly [string, string, string, number][] = [
  ['JSON without readOnly fields', 'application/json', '{"pages":1}', 204],
  ['JSON that breaks the schema', 'application/json', '{"pages":0}', 400],
  ['JSON with a suffix type', 'application/vnd.desk+json; charset=utf-8', '{"pages":1}', 204],
  ['JSON in another charset', 'application/json; charset=utf-16', '{"pages":1}', 415],
  ['a form whose texts are numbers', URLENCODED, 'pages=2&tags=1&tags=2', 204],
  ['a form with a text for a number', URLENCODED, 'pages=two', 400],
  ['a form with a field twice', URLENCODED, 'pages=1&pages=2', 400],
  ['a form without a required field', URLENCODED, 'tags=1', 400],
  ['a form without fields', URLENCODED, '', 400],
  ['a form with a nested field', URLENCODED, 'pages=1&place[x]=1.5', 204],
  ['a form with an invalid nested field', URLENCODED, 'pages=1&place[x]=north', 400],
  ['a form with a list in brackets', URLENCODED, 'pages=1&tags[0]=1&tags[1]=2', 204],
  ['a form with an invalid list in brackets', URLENCODED, 'pages=1&tags[0]=one', 400],
  ['a form with objects in a list', URLENCODED, 'pages=1&lines[0][price]=p&lines[0][count]=2&lines[1][price]=q', 204],
  ['a form with objects that lack a field', URLENCODED, 'pages=1&lines[0][price]=p&lines[1][count]=2', 400],
  [
    'a form with a list within a list',
    URLENCODED,
    'pages=1&lines[0][price]=p&lines[0][taxes][0]=a&lines[0][taxes][]=b',
    204,
  ],
  ['a form with an invalid list within a list', URLENCODED, 'pages=1&lines[0][price]=p&lines[0][taxes][0]=c', 400],
  ['a form with empty brackets', URLENCODED, 'pages=1&lines[][price]=p&lines[][price]=q', 204],
  ['a form with an optional object', URLENCODED, 'pages=1&open[on]=true', 204],
  ['a form with an empty optional object', URLENCODED, 'pages=1&open=', 204],
  ['a form with an invalid object', URLENCODED, 'pages=1&open[on]=perhaps', 400],
  ['a form with more brackets than any schema', URLENCODED, `pages=1&lines${'[0]'.repeat(99)}=1`, 204],
  ['a form with unclosed brackets', URLENCODED, 'pages=1&lines[0=1&lines[0]]=2', 204],
  ['a form with JSON in a field', URLENCODED, 'pages=1&place=%7B%22x%22%3A1%7D', 204],
  ['a form with a broken encoding', URLENCODED, 'pages=%zz', 400],
  ['a form with 10,000 fields', URLENCODED, `pages=1${'&tags=1'.repeat(9999)}`, 204],
  ['a form with more fields', URLENCODED, `pages=1${'&tags=1'.repeat(20_000)}`, 400],
  ['a multipart form with more fields', MULTIPART, `${form({ pages: '1' }).repeat(10_001)}`, 400],
  ['a multipart form', MULTIPART, form({ pages: '3', tags: '1', file: 'anything' }), 204],
  ['an invalid multipart form', MULTIPART, form({ pages: 'three' }), 400],
  ['a truncated multipart form', MULTIPART, '--b\r\ncontent', 400],
  ['text', 'text/plain', 'short', 204],
  ['text that breaks the schema', 'text/plain; charset=utf-8', 'longer', 400],
  ['bytes in a documented range', 'image/png', '\u0000', 204],
  ['an undocumented type', 'application/xml', '<a/>', 415],
]

for (const [what, type, text, status] of CASES) {
  test(`${what}: ${status}`, async () => {
    const answer = await desk.send('POST /notes', undefined, { 'content-type': type }, Buffer.from(text))
    assert.equal(answer.status, status, JSON.stringify(answer.body))
  })
}

test('an undocumented body is ignored with a warning', async () => {
  const { status, headers } = await desk.send('GET /notes', { text: 'x' })
  assert.equal(status, 204)
  assert.equal(headers['understudy-warning'], 'the contract documents no body for GET /notes; it was ignored')
  assert.equal((await desk.send('GET /notes')).headers['understudy-warning'], undefined)
})

test('a multipart body that the contract describes as a binary file is accepted unparsed', async () => {
  const body = new TextEncoder().encode(form({ file: 'abc' }))
  const { status } = await desk.send('POST /scans', undefined, { 'content-type': MULTIPART }, body)
  assert.equal(status, 204)
})

for (const [what, type, text, status] of [
  ['no bytes as a form', URLENCODED, '', 204],
  ['no bytes as JSON', 'application/json', '', 400],
  ['the least number that the contract names', 'application/json', '{"offset":-9223372036854776000}', 204],
  ['a smaller number', 'application/json', '{"offset":-9223372036854780000}', 400],
] as const) {
  test(`a required body without required fields that is ${what}: ${status}`, async () => {
    const answer = await desk.send('POST /marks', undefined, { 'content-type': type }, Buffer.from(text))
    assert.equal(answer.status, status, JSON.stringify(answer.body))
  })
}

test('the refusal of a form without fields names the required ones', async () => {
  const { body } = await desk.send('POST /notes', undefined, { 'content-type': URLENCODED }, Buffer.from(''))
  assert.match(JSON.stringify(body), /\/pages is required/)
})
