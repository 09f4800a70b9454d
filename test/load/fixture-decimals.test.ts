// Decimals in fixtures keep their digits, as in bodies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const contract = `
openapi: 3.1.0
info: { title: Prices, version: "1" }
paths:
  /prices/{id}:
    get:
      operationId: getPrice
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { 200: { description: One, content: { application/json: { schema: { $ref: "#/components/schemas/Price" } } } } }
components: { schemas: { Price: { type: object, required: [id, price], properties: { id: { type: integer }, price: { type: number, maximum: 99999999999999999999 }, rates: { type: array, items: { type: number } }, ratio: { type: string } } } } }
`

const gateway = (seed: string) => `
contract: ./openapi.yaml
resources: { prices: { schema: Price, seed: ${seed} } }
operations: { getPrice: { respond: { read: prices } } }
`

for (const [name, text] of [
  ['prices.yaml', '- { id: 1, price: 0.10, rates: [1.0, 12345678901234567890.12, 2.5, 3], ratio: "0.10" }\n'],
  ['prices.json', '[{"id":1,"price":0.10,"rates":[1.0,12345678901234567890.12,2.5,3],"ratio":"0.10"}]'],
] as const) {
  test(`decimals in ${name} are sent as written`, async () => {
    const files = { 'gateway.yaml': gateway(`./${name}`), 'openapi.yaml': contract, [name]: text }
    const reply = await inProcess(files).gateway.handle({
      ...{ method: 'GET', path: '/prices/1', query: '', headers: {}, address: '127.0.0.1', hasBody: false },
      readBody: async () => ({ bytes: new Uint8Array() }),
    })
    assert.equal(reply.body, '{"id":1,"price":0.10,"rates":[1.0,12345678901234567890.12,2.5,3],"ratio":"0.10"}')
  })
}

test('a decimal in a fixture is validated by its schema', () => {
  const files = {
    'gateway.yaml': gateway('./prices.yaml'),
    'openapi.yaml': contract,
    'prices.yaml': '[{ id: 1.50, price: x }]',
  }
  assert.throws(() => inProcess(files), /\/id must be an integer[\s\S]*\/price must be a number/)
})
