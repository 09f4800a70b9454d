// Compositions of closed objects: each part refuses the properties of the others, but the author means their union.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, loadFiles } from '../../support/in-process.ts'

const document = (schemas: string, openapi = '3.0.3') => ({
  'orders.yaml': `
openapi: ${openapi}
info: { title: Orders, version: "1" }
paths:
  /orders:
    post:
      operationId: order
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }
      responses:
        "200": { description: Taken, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }
components:
  schemas:
${schemas}
`,
})

const CLOSED_PARTS = `
    Key: { type: object, required: [key], additionalProperties: false, properties: { key: { type: string } } }
    Order:
      example: { key: k, email: a@b.de }
      allOf:
        - $ref: "#/components/schemas/Key"
        - type: object
          required: [email]
          additionalProperties: false
          properties: { email: { type: string } }
`
const CLOSED_WHOLE = `
    Key: { type: object, required: [key], properties: { key: { type: string } } }
    Order:
      type: object
      required: [email]
      additionalProperties: false
      properties: { email: { type: string } }
      allOf: [{ $ref: "#/components/schemas/Key" }]
`
const NESTED = `
    Id: { type: object, required: [key], additionalProperties: false, properties: { key: { type: string } } }
    Key: { allOf: [{ $ref: "#/components/schemas/Id" }], additionalProperties: false }
    Order:
      allOf:
        - $ref: "#/components/schemas/Key"
        - { type: object, required: [email], properties: { email: { type: string } } }
`
const UNION = `
    Key: { type: object, required: [key], properties: { key: { type: string } } }
    Order:
      allOf: [{ $ref: "#/components/schemas/Key" }]
      oneOf:
        - { type: object, required: [email], additionalProperties: false, properties: { email: { type: string } } }
        - { type: object, required: [phone], additionalProperties: false, properties: { phone: { type: string } } }
`
const BESIDE_REFERENCE = `
    Key: { type: object, required: [key], properties: { key: { type: string } } }
    Order:
      $ref: "#/components/schemas/Key"
      required: [email]
      additionalProperties: false
      properties: { email: { type: string } }
`

const rows: readonly (readonly [string, string, string?])[] = [
  ['two closed parts', CLOSED_PARTS],
  ['a closed schema around an open part', CLOSED_WHOLE],
  ['a closed part of a closed part', NESTED],
  ['closed branches beside an open part', UNION],
  ['a closed schema beside a reference', BESIDE_REFERENCE, '3.1.0'],
]

for (const [name, schemas, openapi] of rows) {
  test(`${name} are closed over all their parts, with one warning`, async () => {
    const files = document(schemas, openapi)
    const { report } = loadFiles(files)
    const warnings = report.list.map(({ code }) => code)
    assert.ok(warnings.length > 0 && warnings.every(code => code === 'closed-all-of'), warnings.join())
    const { send } = inProcess(files)
    const order = { key: 'k', email: 'a@b.de' }
    const { status, body, headers } = await send('POST /orders', order)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(headers['understudy-warning'], undefined)
    assert.deepEqual(body, order)
    const unknown = await send('POST /orders', { ...order, size: 3 })
    assert.equal(unknown.status, 400)
    assert.match((unknown.body as { detail: string }).detail, /size is not allowed/)
    assert.equal((await send('POST /orders', { key: 'k' })).status, 400)
  })
}

test('branches that are closed compositions stay apart', async () => {
  const files = document(`
    Base: { type: object, additionalProperties: false, properties: { key: { type: string } } }
    Order:
      oneOf:
        - { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { email: { type: string } } }], additionalProperties: false }
        - { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { phone: { type: string } } }], additionalProperties: false }
`)
  const { send } = inProcess(files)
  assert.equal((await send('POST /orders', { key: 'k', email: 'a@b.de' })).status, 200)
  assert.equal((await send('POST /orders', { key: 'k', phone: '112' })).status, 200)
  assert.equal((await send('POST /orders', { key: 'k', phone: '112', email: 'a@b.de' })).status, 400)
})

test('closed branches without required properties are told apart by their own properties', async () => {
  const { send } = inProcess(
    document(`
    Key: { type: object, required: [key], properties: { key: { type: string } } }
    Order:
      allOf: [{ $ref: "#/components/schemas/Key" }]
      oneOf:
        - { type: object, additionalProperties: false, properties: { email: { type: string } } }
        - { type: object, additionalProperties: false, properties: { phone: { type: string } } }
`),
  )
  assert.equal((await send('POST /orders', { key: 'k', email: 'a@b.de' })).status, 200)
  assert.equal((await send('POST /orders', { key: 'k', phone: '112' })).status, 200)
  assert.equal((await send('POST /orders', { key: 'k', phone: '112', email: 'a@b.de' })).status, 400)
})

test('parts that do not contradict each other stay unchanged', async () => {
  const narrowed = `
    Key: { type: object, additionalProperties: false, properties: { key: { type: string }, size: { type: integer } } }
    Order: { allOf: [{ $ref: "#/components/schemas/Key" }, { required: [key], properties: { size: { minimum: 3 } } }] }
`
  const files = document(narrowed)
  assert.deepEqual(loadFiles(files).report.list, [])
  const { send } = inProcess(files)
  assert.equal((await send('POST /orders', { key: 'k', size: 3 })).status, 200)
  assert.equal((await send('POST /orders', { key: 'k', email: 'a@b.de' })).status, 400)
})
