import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const USER =
  '{ type: object, properties: { user_id: { type: string } }, required: [user_id], additionalProperties: false }'
const MAIL = '{ type: object, properties: { email: { type: string } }, required: [email], additionalProperties: false }'
const TYPE = '{ in: query, name: type, required: true, schema: { type: string } }'
const EVENTS = `
openapi: 3.0.0
info: { title: Events, version: "1" }
paths:
  /union:
    get:
      parameters:
        - { in: query, name: filter, required: true, schema: { type: object, oneOf: [${USER}, ${MAIL}] } }
        - ${TYPE}
      responses: { "204": { description: Fine } }
  /plain:
    get:
      parameters:
        - { in: query, name: filter, required: true, schema: ${USER} }
        - ${TYPE}
      responses: { "204": { description: Fine } }
  /free:
    get:
      parameters:
        - { in: query, name: filter, schema: { type: object, additionalProperties: { type: integer } } }
        - ${TYPE}
      responses: { "204": { description: Fine } }
`

for (const [path, status, detail] of [
  ['/union?user_id=1&type=a', 204, undefined],
  ['/union?email=1&type=a', 204, undefined],
  ['/union?email=1&type=a&unknown=1', 204, undefined],
  ['/union?type=a', 400, /filter is required/],
  ['/union?user_id=1', 400, /type is required/],
  ['/plain?user_id=1&type=a', 204, undefined],
  ['/plain?type=a', 400, /filter is required/],
  ['/free?type=a', 204, undefined],
  ['/free?a=1&b=2&type=a', 204, undefined],
  ['/free?a=x&type=a', 400, /filter \/a must be an integer/],
  ['/free?a=1', 400, /type is required/],
] as const) {
  test(`an exploded object does not take declared parameters: ${path} is ${status}`, async () => {
    const answer = await inProcess({ 'openapi.yaml': EVENTS }).send(`GET ${path}`)
    assert.equal(answer.status, status)
    if (detail !== undefined) assert.match((answer.body as { detail: string }).detail, detail)
  })
}

test('a property may have the name of a keyword: what only replies must have is not required of it either', async () => {
  const address = '{ type: object, required: [id], properties: { id: { type: integer, readOnly: true } } }'
  const schema = `{ type: object, properties: { default: ${address}, home: ${address} } }`
  const { send } = inProcess({
    'openapi.yaml': `openapi: 3.1.0
info: { title: T, version: "1" }
paths:
  /x:
    post:
      requestBody: { content: { application/json: { schema: ${schema} } } }
      responses: { 204: { description: Fine } }
`,
  })
  assert.equal((await send('POST /x', { home: {} })).status, 204)
  assert.equal((await send('POST /x', { default: {} })).status, 204)
})

test('a referenced operation is read from its file, and its references relative to that file', async () => {
  const { send } = inProcess({
    'openapi.yaml':
      'openapi: 3.0.0\ninfo: { title: T, version: "1" }\npaths: { /x: { get: { $ref: getx.yaml } }, /y: { $ref: item.yaml } }',
    'getx.yaml':
      'operationId: getx\nresponses: { "200": { description: ok, content: { application/json: { schema: { $ref: thing.yaml } } } } }',
    'item.yaml': 'get: { $ref: getx.yaml }\npost: { responses: { "202": { description: Taken } } }',
    'thing.yaml': 'type: object\nrequired: [id]\nproperties: { id: { type: integer } }',
  })
  for (const path of ['/x', '/y']) {
    const { status, body } = await send(`GET ${path}`)
    assert.equal(status, 200)
    assert.equal(typeof (body as { id: unknown }).id, 'number')
  }
  assert.equal((await send('POST /y')).status, 202)
})

test('a request matches the first of two equal path templates whose parameters fit', async () => {
  const path = (name: string, schema: string) => `
  /o/{${name}}:
    get:
      operationId: by${name}
      parameters: [{ in: path, name: ${name}, required: true, schema: ${schema} }]
      responses: { "200": { description: ok, content: { application/json: { example: ${name} } } }, "404": { description: None } }`
  const { send } = inProcess({
    'openapi.yaml': `openapi: 3.0.0\ninfo: { title: T, version: "1" }\npaths:${path('Id', '{ type: string, format: uuid }')}${path('Number', '{ type: integer, minimum: 5 }')}`,
  })
  assert.equal((await send('GET /o/4b0e3b9c-7f0e-4d0b-9a1c-0d5b4f3e2a11')).body, 'Id')
  assert.equal((await send('GET /o/17')).body, 'Number')
  // Neither fits: the first one says why.
  const refused = await send('GET /o/3')
  assert.equal(refused.status, 404)
  assert.match(JSON.stringify(refused.body), /path parameter Id must be a valid uuid/)
})

test('allowEmptyValue admits an empty value: as text if that fits, else as absent', async () => {
  const parameter = (schema: string) =>
    `{ in: query, name: p, allowEmptyValue: true, required: true, schema: ${schema} }`
  const contract = (schema: string) => `openapi: 3.0.0
info: { title: T, version: "1" }
paths:
  /x:
    get:
      parameters: [${parameter(schema)}]
      responses: { "200": { description: ok, content: { application/json: { schema: { type: object, required: [p], properties: { p: { type: string, maxLength: 3 } } } } } } }
`
  for (const [schema, echoed] of [
    ['{ type: string, default: abc }', ''],
    ['{ type: string, default: abc, minLength: 2 }', 'abc'],
    ['{ type: integer, default: 7 }', '7'],
  ] as const) {
    const { send } = inProcess({ 'openapi.yaml': contract(schema) })
    for (const line of ['GET /x?p=', 'GET /x?p']) assert.deepEqual((await send(line)).body, { p: echoed }, schema)
    assert.equal((await send('GET /x')).status, 400)
  }
})
