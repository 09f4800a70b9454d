// Numbers with a fraction, digit for digit: into a record, through its changes and filters, and out of a snapshot.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
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

  test('are stored, listed, changed and filtered as they were written', async () => {
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

  test('are held to the schema by their value', async () => {
    assert.equal((await send('POST /prices', '{"price":1000.10}')).status, 400)
    assert.equal((await send('POST /prices', '{"price":1.0,"rates":[1.10,1.1]}')).status, 400)
    assert.equal((await send('POST /prices', '{"price":"1.10"}')).status, 400)
  })

  test('come back in an echo', async () => {
    assert.match((await send('POST /echo', '{"price":3.10}')).text, /"price":3\.10[,}]/)
  })

  test('outlive a snapshot', async () => {
    const worlds = `${gateway.control}/worlds`
    await send('POST /prices', '{"price":4.40}')
    const snapshot = (await send(`GET ${worlds}/default/snapshot`)).text
    assert.match(snapshot, /"price":4\.40/)
    assert.equal((await send(`PUT ${worlds}/copy/snapshot`, snapshot)).status, 204)
    assert.match((await send(`GET ${worlds}/copy/snapshot`)).text, /"price":4\.40/)
  })
})
