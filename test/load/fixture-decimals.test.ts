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

/** Returns the text of a reply. */
async function textOf(files: Readonly<Record<string, string>>, method: string, path: string, body = '') {
  const reply = await inProcess(files).gateway.handle({
    ...{ method, path, query: '', headers: { 'content-type': 'application/json' }, address: '127.0.0.1' },
    hasBody: body !== '',
    readBody: async () => ({ bytes: Buffer.from(body) }),
  })
  return reply.body
}

for (const [name, unsettled] of [
  ['without variables', ''],
  ['with variables', 'journal:\n  requests: ${JOURNAL:-10}'],
] as const) {
  test(`decimals of seeds, defaults and replies in a gateway file ${name} are sent as written`, async () => {
    const files = {
      'gateway.yaml': `
contract: ./openapi.yaml
${unsettled}
defaults: { fault: { kind: status, status: 503, probability: 0.00 } }
resources: { prices: { schema: Price, seed: [{ id: 1, price: 1.10 }], defaults: { price: 2.50, rates: [12345678901234567890.5] } } }
operations:
  getPrice: { respond: { read: prices } }
  addPrice: { respond: { create: prices } }
  fixed:
    rules: [{ when: request.method == "HEAD", respond: { status: 200, body: { price: 4.0 } } }]
    respond: { status: 200, body: { price: 3.30, by: "\${request.method}" } }
`,
      'openapi.yaml': contract.replace(
        'components:',
        `  /prices:
    post:
      operationId: addPrice
      requestBody: { content: { application/json: { schema: { type: object } } } }
      responses: { 201: { description: Added, content: { application/json: { schema: { $ref: "#/components/schemas/Price" } } } } }
  /fixed: { get: { operationId: fixed, responses: { 200: { description: Fixed } } } }
components:`,
      ),
    }
    assert.equal(await textOf(files, 'GET', '/prices/1'), '{"id":1,"price":1.10}')
    assert.equal(await textOf(files, 'POST', '/prices', '{}'), '{"id":2,"price":2.50,"rates":[12345678901234567890.5]}')
    assert.equal(await textOf(files, 'GET', '/fixed'), '{"price":3.30,"by":"GET"}')
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
