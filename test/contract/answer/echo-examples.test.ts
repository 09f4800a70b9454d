import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const PERSON = '{ type: object, properties: { id: { type: string }, name: { type: string }, age: { type: integer } } }'
const BODY = `requestBody: { required: true, content: { application/json: { schema: ${PERSON}, examples: { ada: { value: { name: Ada, age: 36 } }, refused: { value: { name: Nobody } }, lonely: { value: { name: X } } } } } }`
const example = (value: string) => `content: { application/json: { schema: ${PERSON}, example: ${value} } }`
const { send } = inProcess({
  'openapi.yaml': `openapi: 3.0.3
info: { title: People, version: "1" }
paths:
  /b:
    get:
      parameters: [{ name: name, in: query, schema: { type: string } }]
      responses: { "200": { description: ok, content: { application/json: { example: [{ id: one, name: John }, { id: two, name: Jane }] } } } }
    post: { ${BODY}, responses: { "201": { description: ok, ${example('{ id: one, name: John }')} } } }
  /b/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: { "200": { description: ok, ${example('{ id: one, name: John }')} }, "404": { description: none, ${example('{ id: none, name: None }')} } } }
    put: { ${BODY}, responses: { "200": { description: ok, content: { application/json: { example: { data: { id: one, name: John } } } } } } }
  /b/{id}/friends:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: { "200": { description: ok, content: { application/json: { example: [{ id: f1, name: Jim }] } } } } }
    post: { ${BODY}, responses: { "201": { description: ok, ${example('{ id: f1, name: Jim }')} } } }
  /named:
    post:
      ${BODY}
      responses:
        "201": { description: ok, content: { application/json: { examples: { john: { value: { id: one, name: John } }, ada: { value: { id: two, name: Ada Lovelace } } } } } }
        "409": { description: taken, content: { application/json: { examples: { refused: { value: { name: taken } } } } } }
  /error-only:
    post:
      ${BODY}
      responses:
        "201": { description: ok, ${example('{ id: one, name: John }')} }
        "409": { description: taken, content: { application/json: { examples: { refused: { value: { name: taken } } } } } }
`,
})

for (const [line, body, reply] of [
  ['GET /b/two', undefined, { id: 'two', name: 'John' }],
  ['POST /b', { name: 'Ada' }, { id: 'one', name: 'Ada' }],
  ['POST /b', { name: 'Ada', age: 3 }, { id: 'one', name: 'Ada', age: 3 }],
  ['POST /b', {}, { id: 'one', name: 'John' }],
  ['PUT /b/two', { name: 'Ada' }, { data: { id: 'two', name: 'Ada' } }],
  [
    'GET /b?name=Ada',
    undefined,
    [
      { id: 'one', name: 'John' },
      { id: 'two', name: 'Jane' },
    ],
  ],
  ['GET /b/two/friends', undefined, [{ id: 'f1', name: 'Jim' }]],
  ['POST /b/two/friends', { name: 'Ada' }, { id: 'f1', name: 'Ada' }],
] as const) {
  test(`${line} ${JSON.stringify(body) ?? ''} replaces fields of the example`, async () => {
    assert.deepEqual((await send(line, body)).body, reply)
  })
}

test('an example that the client chose by name or by an error status is sent unchanged', async () => {
  assert.deepEqual((await send('GET /b/two', undefined, { prefer: 'code=404' })).body, { id: 'none', name: 'None' })
  assert.deepEqual((await send('POST /named', { name: 'Eve' }, { prefer: 'example=john' })).body, {
    id: 'one',
    name: 'John',
  })
})

test('a request equal to a named example gets the reply example of the same name', async () => {
  assert.deepEqual((await send('POST /named', { age: 36, name: 'Ada' })).body, { id: 'two', name: 'Ada Lovelace' })
  assert.deepEqual((await send('POST /named', { age: 37, name: 'Ada' })).body, { id: 'one', name: 'Ada' })
  const refused = await send('POST /named', { name: 'Nobody' })
  assert.deepEqual([refused.status, refused.body], [409, { name: 'taken' }])
  // There is no reply of that name.
  assert.deepEqual((await send('POST /named', { name: 'X' })).body, { id: 'one', name: 'X' })
})

test('an example name that only an error reply has is not paired', async () => {
  assert.deepEqual((await send('POST /error-only', { name: 'Nobody' })).status, 201)
})
