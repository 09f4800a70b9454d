import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const CONTRACT = `
openapi: 3.1.0
info: { title: Shelf, version: "1" }
paths:
  /books:
    get:
      operationId: listBooks
      parameters:
        - { name: page, in: query, deprecated: true, schema: { type: integer } }
        - { name: X-Old, in: header, deprecated: true, schema: { type: string } }
        - { name: old, in: cookie, deprecated: true, schema: { type: string } }
        - { name: limit, in: query, schema: { type: integer } }
      responses: { 204: { description: Fine } }
    post:
      operationId: createBook
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
      responses: { 204: { description: Fine } }
  /plain:
    get: { operationId: plain, responses: { 204: { description: Fine } } }
components:
  schemas:
    Book:
      type: object
      required: [title]
      properties:
        title: { type: string }
        subtitle: { type: string, deprecated: true }
        authors: { type: array, items: { $ref: "#/components/schemas/Author" } }
        sequel: { $ref: "#/components/schemas/Book" }
        a/b: { type: string, deprecated: true }
    Author:
      allOf:
        - type: object
          properties: { name: { type: string }, nick: { type: string, deprecated: true } }
`
const files = (defaults: string) => ({
  'gateway.yaml': `contract: ./openapi.yaml\n${defaults}`,
  'openapi.yaml': CONTRACT,
})
const WARN = 'defaults: { deprecatedInputs: { warn: true } }'

const table: [line: string, body: unknown, headers: Record<string, string>, warning: string | undefined][] = [
  ['GET /books', undefined, {}, undefined],
  ['GET /books?limit=1', undefined, {}, undefined],
  ['GET /books?page=1', undefined, {}, 'deprecated: query page'],
  [
    'GET /books?page=1',
    undefined,
    { 'x-old': 'y', cookie: 'old=1' },
    'deprecated: query page, header X-Old, cookie old',
  ],
  ['GET /plain', undefined, {}, undefined],
  ['POST /books', { title: 'T' }, {}, undefined],
  ['POST /books', { title: 'T', subtitle: 'S' }, {}, 'deprecated: body /subtitle'],
  ['POST /books', { title: 'T', 'a/b': 'S' }, {}, 'deprecated: body /a~1b'],
  ['POST /books', { title: 'T', authors: [{ name: 'A' }] }, {}, undefined],
  ['POST /books', { title: 'T', authors: [{ name: 'A' }, { nick: 'B' }] }, {}, 'deprecated: body /authors/*/nick'],
  ['POST /books', { subtitle: 'S' }, {}, undefined],
]
for (const [line, body, headers, warning] of table) {
  test(`${line} ${JSON.stringify(body) ?? ''} ${JSON.stringify(headers)} is warned of: ${warning}`, async () => {
    const { send } = inProcess(files(WARN))
    assert.equal((await send(line, body, headers)).headers['understudy-warning'], warning)
  })
}

test('no warning is sent without `deprecatedInputs`', async () => {
  const { send } = inProcess(files(''))
  assert.equal((await send('GET /books?page=1')).headers['understudy-warning'], undefined)
})
