import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
servers: [{ url: /v1 }]
components: { securitySchemes: { key: { type: http, scheme: bearer }, user: { type: http, scheme: basic }, other: { type: apiKey, in: header, name: X-Key } } }
paths:
  /pets:
    get:
      parameters: [{ name: status, in: query, schema: { type: string } }, { name: q, in: query, schema: { type: string } }]
      responses: { "200": { description: Pets, content: { application/json: { example: [] } } } }
    post: { responses: { "201": { description: Made } } }
  /pets/{id}:
    get: { parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { "200": { description: A pet } } }
  /stores/{id}/orders/: { get: { responses: { "200": { description: Orders } } } }
  /bills.json: { get: { responses: { "200": { description: Bills } } } }
  /bills/{id}.json: { get: { responses: { "200": { description: A bill } } } }
  /admin/reports/{id}: { get: { responses: { "200": { description: A report } } } }
  /bearer: { get: { security: [{ key: [] }], responses: { "200": { description: Fine } } } }
  /basic: { get: { security: [{ user: [] }], responses: { "200": { description: Fine } } } }
  /header: { get: { security: [{ other: [] }], responses: { "200": { description: Fine } } } }
`
const { send } = inProcess({ 'shop.yaml': SHOP })
const detailOf = ({ body }: { body: unknown }) => (body as { detail: string }).detail

for (const [line, near] of [
  ['GET /pets', 'the API is served below /v1: did you mean GET /v1/pets?'],
  ['POST /pets', 'the API is served below /v1: did you mean POST /v1/pets?'],
  ['HEAD /pets', 'the API is served below /v1: did you mean HEAD /v1/pets?'],
  ['GET /pets/7', 'the API is served below /v1: did you mean GET /v1/pets/7?'],
  ['GET /api/v2/pets/7', 'the API is served below /v1: did you mean GET /v1/pets/7?'],
  ['GET /v1/pets/', 'did you mean GET /v1/pets?'],
  ['GET /v1//pets', 'did you mean GET /v1/pets?'],
  ['GET /v1/stores/1/orders', 'did you mean GET /v1/stores/1/orders/?'],
  ['GET /v1/pet', 'did you mean GET /v1/pets?'],
  ['GET /v1/Pets/7', 'did you mean GET /v1/pets/7?'],
  ['GET /v1/ptes/7', 'did you mean GET /v1/pets/7?'],
  ['GET /pet', 'the API is served below /v1: did you mean GET /v1/pets?'],
  ['DELETE /v1/pet', 'did you mean GET /v1/pets?'],
  ['GET /v2/pets', 'the API is served below /v1: did you mean GET /v1/pets?'],
  ['GET /', 'the API is served below /v1'],
  ['GET /nothing', 'the API is served below /v1'],
  ['GET /v1/nothing', undefined],
  ['GET /v1/reports/5', 'did you mean GET /v1/admin/reports/5?'],
  ['DELETE /reports/5', 'the API is served below /v1: did you mean GET /v1/admin/reports/5?'],
  ['GET /v1/5', undefined],
  ['GET /v1/bills', 'did you mean GET /v1/bills.json?'],
  ['GET /v1/bills/7', 'did you mean GET /v1/bills/7.json?'],
  ['GET /v1/pets.json', 'did you mean GET /v1/pets?'],
  ['GET /v1/bills/.json', undefined],
  [`GET /v1/${'pets'.repeat(100)}`, undefined],
] as const) {
  test(`${line.slice(0, 40)} is a 404 with ${near ?? 'no suggestion'}`, async () => {
    const refused = await send(line)
    assert.equal(refused.status, 404)
    const said = `no operation matches ${line}`
    assert.equal(detailOf(refused), near === undefined ? said : `${said}; ${near}`)
  })
}

for (const [line, authorization, detail] of [
  ['GET /v1/bearer', undefined, 'a credential is missing: Authorization: Bearer <key>'],
  ['GET /v1/bearer', 'demo-key', 'the Authorization header must begin with "Bearer ": Authorization: Bearer <key>'],
  [
    'GET /v1/bearer',
    'Basic YTpi',
    'the scheme of the Authorization header must be Bearer: Authorization: Bearer <key>',
  ],
  ['GET /v1/bearer', 'Bearer', 'the credential in the Authorization header is malformed: Authorization: Bearer <key>'],
  ['GET /v1/basic', 'a:b', 'the Authorization header must begin with "Basic ": Authorization: Basic <user:password>'],
  ['GET /v1/header', 'demo-key', 'a credential is missing: the header x-key'],
] as const) {
  test(`Authorization: ${authorization} to ${line} is refused with its mistake`, async () => {
    const refused = await send(line, undefined, authorization === undefined ? {} : { authorization })
    assert.equal(refused.status, 401)
    assert.equal(detailOf(refused), detail)
  })
}

for (const [line, headers, warning] of [
  ['GET /v1/pets?stauts=sold', {}, 'the contract has no query parameter "stauts"; did you mean "status"?'],
  ['GET /v1/pets?Status=sold', {}, 'the contract has no query parameter "Status"; did you mean "status"?'],
  ['GET /v1/pets?status=sold&utm_source=x&p=1', {}, undefined],
  ['GET /v1/pets', { 'understudy-world': 'ann' }, undefined],
] as const) {
  test(`${line} with ${JSON.stringify(headers)} is answered ${warning === undefined ? 'without' : 'with'} a warning`, async () => {
    assert.equal((await send(line, undefined, headers)).headers['understudy-warning'], warning)
  })
}

for (const [line, headers, detail] of [
  [
    'GET /v1/pets',
    { 'understudy-wether': 'storm' },
    'unknown header understudy-wether; did you mean "Understudy-Weather"?',
  ],
  [
    'GET /v1/nothing',
    { 'understudy-wether': 'storm' },
    'unknown header understudy-wether; did you mean "Understudy-Weather"?',
  ],
  ['GET /v1/pets?__cdoe=404', {}, 'unknown query parameter __cdoe; did you mean "__code"?'],
  ['GET /v1/pets?__delay=soon', {}, '__delay must be a duration such as 250ms or 3s, 10m at most'],
  [
    'GET /v1/pets',
    { 'understudy-delay': '1h' },
    'Understudy-Delay must be a duration such as 250ms or 3s, 10m at most',
  ],
  ['GET /v1/pets?__weather=snow', {}, 'there is no weather "snow"'],
] as const) {
  test(`${line} with ${JSON.stringify(headers)} is refused with the known names`, async () => {
    const refused = await send(line, undefined, headers)
    assert.equal(refused.status, 400)
    assert.equal(detailOf(refused), detail)
  })
}

test('with `clientControls: false` the gateway ignores Understudy-… headers', async () => {
  const deaf = inProcess({
    'gateway.yaml': 'contract: ./shop.yaml\nlisten: { clientControls: false }',
    'shop.yaml': SHOP,
  })
  const { headers } = await deaf.send('GET /v1/pets', undefined, { 'understudy-wether': 'storm' })
  assert.equal(headers['understudy-warning'], undefined)
})
