import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, requestOf } from '../../support/in-process.ts'

const PRICE = '{ type: object, properties: { id: { type: integer }, price: { type: number }, note: { type: string } } }'
const { gateway, send } = inProcess({
  'gateway.yaml': `
contract: ./openapi.yaml
resources: { prices: { schema: Price, seed: [{ id: 1, price: 1.10, note: a }, { id: 2, price: 12345678901234567890.50, note: b }] } }
operations:
  listPrices: { respond: { list: prices } }
  listSummaries: { respond: { list: prices } }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Prices, version: "1" }
components: { schemas: { Price: ${PRICE} } }
paths:
  /prices:
    get:
      operationId: listPrices
      responses:
        200:
          description: All
          content:
            application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Price" } } }
            application/xml: { schema: { type: array, xml: { name: prices }, items: { $ref: "#/components/schemas/Price" } } }
  /summaries:
    get:
      operationId: listSummaries
      responses: { 200: { description: All, content: { application/json: { schema: { type: array, items: { type: object, required: [title], additionalProperties: false, properties: { id: { type: integer }, price: { type: number }, title: { type: string } } } } } } } }
`,
})

test('decimals of records keep their digits in XML', async () => {
  const { body } = await send('GET /prices', undefined, { accept: 'application/xml' })
  assert.match(String(body), /<price>1\.10<\/price>.*<price>12345678901234567890\.50<\/price>/)
})

test('decimals of records keep their digits in a list that shows them in another form', async () => {
  const { body } = await gateway.handle(requestOf('GET /summaries', {}))
  assert.match(String(body), /"price":1\.10,.*"price":12345678901234567890\.50,/)
})
