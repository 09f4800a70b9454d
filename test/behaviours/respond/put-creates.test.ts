// A PUT on the address of an unknown record, which `creates: true` lets it create.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const CONTRACT = `
openapi: 3.0.3
info: { title: Labels, version: "1" }
paths:
  /shops/{shop}/labels/{key}:
    parameters:
      - { name: shop, in: path, required: true, schema: { type: string } }
      - { name: key, in: path, required: true, schema: { type: string } }
    get: { operationId: get, responses: { "200": { description: ok } } }
    put:
      operationId: put
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Label" } } } }
      responses: { "200": { description: ok }, "201": { description: new } }
components:
  schemas:
    Label:
      type: object
      required: [text]
      properties: { key: { type: string }, shop: { type: string }, text: { type: string, minLength: 1 } }
    Shop: { type: object, properties: { id: { type: string } } }
`
const GATEWAY = `
contract: ./openapi.yaml
resources:
  shops: { schema: Shop, id: { assign: client }, seed: [{ id: a }, { id: b }] }
  labels: { schema: Label, id: { field: key, assign: client } }
defaults: { conditional: {} }
operations:
  get: { respond: { read: labels, within: { parameter: shop, resource: shops } } }
  put: { respond: { replace: labels, creates: true, within: { parameter: shop, resource: shops } } }
`
const start = () => inProcess({ 'gateway.yaml': GATEWAY, 'openapi.yaml': CONTRACT }).send

test('PUT creates a record, and replaces it the second time', async () => {
  const send = start()
  const made = await send('PUT /shops/a/labels/home', { text: 'Home' })
  assert.equal(made.status, 201)
  assert.deepEqual(made.body, { key: 'home', shop: 'a', text: 'Home' })
  assert.equal((await send('GET /shops/a/labels/home')).headers.etag, made.headers.etag)
  assert.equal((await send('PUT /shops/a/labels/home', { text: 'House' })).status, 200)
})

for (const [what, line, body, headers, status] of [
  ['another id in the body', 'PUT /shops/a/labels/x', { key: 'y', text: 'X' }, {}, 400],
  ['a body that breaks the schema', 'PUT /shops/a/labels/x', { text: '' }, {}, 400],
  ['no body', 'PUT /shops/a/labels/x', undefined, {}, 400],
  ['an unknown owner', 'PUT /shops/c/labels/x', { text: 'X' }, {}, 404],
  ['If-Match: *', 'PUT /shops/a/labels/x', { text: 'X' }, { 'if-match': '*' }, 412],
  ['If-None-Match: *', 'PUT /shops/a/labels/x', { text: 'X' }, { 'if-none-match': '*' }, 201],
] as const) {
  test(`${what}: ${status}`, async () => {
    const send = start()
    assert.equal((await send(line, body, headers)).status, status)
    const { status: after } = await send('GET /shops/a/labels/x')
    assert.equal(after, status === 201 ? 200 : 404)
  })
}

test('PUT on the record of another owner answers 404', async () => {
  const send = start()
  await send('PUT /shops/a/labels/home', { text: 'Home' })
  assert.equal((await send('PUT /shops/b/labels/home', { text: 'Mine' })).status, 404)
  assert.deepEqual((await send('GET /shops/a/labels/home')).body, { key: 'home', shop: 'a', text: 'Home' })
})
