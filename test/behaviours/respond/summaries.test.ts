// Lists whose items have a schema of their own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { driving, inferFrom } from '../../support/in-process.ts'

const documentWith = (slim: string) => `
openapi: 3.1.0
info: { title: H, version: "1" }
paths:
  /items:
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { type: object, required: [data], properties: { data: { type: array, items: ${slim} }, links: { type: object, properties: { self: { type: string, format: uri }, next: { type: string, format: uri } } } } } } } } } }
    post: { requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }, responses: { "201": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } } }
  /items/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { responses: { "200": { description: ok, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } } }
components: { schemas: { Item: { type: object, required: [id, name, body], properties: { id: { type: integer, readOnly: true }, name: { type: string }, body: { type: string } } } } }
`

/** Returns the fields of a list's items, and its links. */
async function listed(slim: string) {
  const { send } = driving(await inferFrom(documentWith(slim)))
  const { data, links } = (await send('GET /items', undefined, { host: 'api.test' })).body as {
    data: Readonly<Record<string, unknown>>[]
    links: unknown
  }
  assert.deepEqual(Object.keys((await send('GET /items/1')).body as object), ['id', 'name', 'body'])
  return { fields: [...new Set(data.flatMap(Object.keys))].sort(), links }
}

const SLIM = 'type: object, required: [id, name], properties: { id: { type: integer }, name: { type: string } }'

test('a list shows the fields that its item schema has', async () => {
  assert.deepEqual((await listed(`{ ${SLIM} }`)).fields, ['id', 'name'])
  assert.deepEqual((await listed(`{ ${SLIM}, additionalProperties: true }`)).fields, ['body', 'id', 'name'])
  const union = `{ anyOf: [{ ${SLIM} }, { type: object, properties: { body: { type: string } } }] }`
  assert.deepEqual((await listed(union)).fields, ['body', 'id', 'name'])
})

test('the link of a page to itself is filled in where the contract takes whole URLs', async () => {
  assert.deepEqual((await listed(`{ ${SLIM} }`)).links, { self: 'http://api.test/items' })
})
