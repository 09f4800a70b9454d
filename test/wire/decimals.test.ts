// Decimals keep their digits: in records, changes, filters, snapshots and examples.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { parse } from 'yaml'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { ask } from './ask.ts'

const PRICE =
  '{ type: object, required: [price], properties: { id: { type: integer }, price: { type: number, maximum: 1000 }, rates: { type: array, uniqueItems: true, items: { type: number } }, note: { type: string } } }'

suite('decimals', () => {
  let gateway: RunningGateway
  const send = (line: string, body?: string, type = 'application/json') => {
    const [method, path] = line.split(' ') as [string, string]
    return ask(path.startsWith('http') ? path : gateway.url + path, {
      method,
      ...(body === undefined ? {} : { body, headers: { 'content-type': type } }),
    })
  }
  before(async () => {
    gateway = await startGateway({
      config: `
contract:
  openapi: 3.1.0
  info: { title: Prices, version: "1" }
  paths:
    /prices:
      get:
        operationId: listPrices
        parameters: [{ name: price, in: query, schema: { type: number } }]
        responses: { 200: { description: All } }
      post:
        operationId: addPrice
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Price" } } } }
        responses: { 201: { description: Added, content: { application/json: { schema: { $ref: "#/components/schemas/Price" } } } } }
    /prices/{id}:
      patch:
        operationId: changePrice
        parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
        requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object } } } }
        responses: { 200: { description: Changed } }
    /echo:
      post:
        operationId: echo
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Price" } } } }
        responses: { 200: { description: Back, content: { application/json: { schema: { $ref: "#/components/schemas/Price" } } } } }
  components: { schemas: { Price: ${PRICE} } }
resources: { prices: { schema: Price } }
operations:
  listPrices: { respond: { list: prices, filter: [price] } }
  addPrice: { respond: { create: prices } }
  changePrice: { respond: { update: prices } }
`,
    })
  })
  after(() => gateway.close())

  test('are stored, listed, changed and filtered as written', async () => {
    const made = await send(
      'POST /prices',
      '{ "price": 1.10, "rates": [0.12345678901234567890, 10.00, -0.50], "note": "costs 1.10, or 2.0" }',
    )
    assert.equal(made.status, 201)
    const text = '{"id":1,"price":1.10,"rates":[0.12345678901234567890,10.00,-0.50],"note":"costs 1.10, or 2.0"}'
    assert.equal(made.text, text)
    const changed = await send('PATCH /prices/1', '{"note":"x"}', 'application/merge-patch+json')
    assert.equal(changed.text, text.replace('costs 1.10, or 2.0', 'x'))
    assert.equal((await send('GET /prices?price=1.1')).text, `[${changed.text}]`)
    assert.equal((await send('GET /prices?price=1.2')).text, '[]')
    assert.equal((await send('POST /prices', '{"id":7.0,"price":2.5}')).text, '{"id":2,"price":2.5}')
  })

  test('are validated by their value', async () => {
    assert.equal((await send('POST /prices', '{"price":1000.10}')).status, 400)
    assert.equal((await send('POST /prices', '{"price":1.0,"rates":[1.10,1.1]}')).status, 400)
    assert.equal((await send('POST /prices', '{"price":"1.10"}')).status, 400)
  })

  test('are echoed as written', async () => {
    assert.match((await send('POST /echo', '{"price":3.10}')).text, /"price":3\.10[,}]/)
  })

  test('survive a snapshot', async () => {
    const worlds = `${gateway.control}/worlds`
    await send('POST /prices', '{"price":4.40}')
    const snapshot = (await send(`GET ${worlds}/default/snapshot`)).text
    assert.match(snapshot, /"price":4\.40/)
    assert.equal((await send(`PUT ${worlds}/copy/snapshot`, snapshot)).status, 204)
    assert.match((await send(`GET ${worlds}/copy/snapshot`)).text, /"price":4\.40/)
  })
})

const EXAMPLES = `
paths:
  /price:
    get:
      operationId: getPrice
      responses:
        200:
          description: One
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Price" }
              examples:
                one: { $ref: "#/components/examples/One" }
                many: { value: { amount: 12345678901234567890.12345678901234567890, taxes: [0.10, 2.00] } }
    put:
      operationId: setPrice
      requestBody:
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Price" }
            examples: { two: { value: { amount: 2.50 } } }
      responses:
        200:
          description: Set
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Price" }
              examples: { one: { value: { amount: 1.00 } }, two: { value: { amount: 3.00 } } }
components:
  examples: { One: { value: { amount: 1.10 } } }
  schemas:
    Price:
      type: object
      required: [amount]
      properties:
        amount: { type: number, multipleOf: 0.10, minimum: 0.00, example: 1.20 }
        taxes: { type: array, items: { type: number } }
`

suite('decimals in examples of a contract', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(folder, { recursive: true }))
  const yaml = `openapi: 3.1.0\ninfo: { title: Prices, version: "1" }\n${EXAMPLES}`
  const document = parse(yaml) as object
  // As JSON, which is parsed separately.
  const json = JSON.stringify(document)
    .replace('"amount":1.1}', '"amount":1.10}')
    .replace('"amount":12345678901234567000', '"amount":12345678901234567890.12345678901234567890')
    .replace('[0.1,2]', '[0.10,2.00]')
    .replace('"amount":2.5}', '"amount":2.50}')
    .replace('"amount":3}', '"amount":3.00}')
  for (const [name, text, config] of [
    ['openapi.yaml', yaml, 'openapi.yaml'],
    ['openapi.json', json, 'openapi.json'],
    ['openapi.yaml', yaml, 'gateway.yaml'],
  ] as const) {
    test(`are served as written in ${name}, by ${config}`, async () => {
      writeFileSync(join(folder, name), text)
      writeFileSync(join(folder, 'gateway.yaml'), 'contract: ./openapi.yaml\n')
      const gateway = await startGateway({ config: join(folder, config) })
      try {
        const put = (body: string) =>
          ask(`${gateway.url}/price`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } })
        assert.equal((await ask(`${gateway.url}/price`)).text, '{"amount":1.10}')
        assert.equal(
          (await ask(`${gateway.url}/price`, { headers: { prefer: 'example=many' } })).text,
          '{"amount":12345678901234567890.12345678901234567890,"taxes":[0.10,2.00]}',
        )
        assert.equal((await put('{"amount":2.50}')).text, '{"amount":3.00}', 'the example of the same name')
        assert.equal((await put('{"amount":9.10}')).status, 200, 'a multiple of 0.10')
        assert.equal((await put('{"amount":9.15}')).status, 400)
        assert.equal((await ask(`${gateway.control}/contract`)).status, 200)
      } finally {
        await gateway.close()
      }
    })
  }
})
