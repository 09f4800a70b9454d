import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const content = (types: readonly string[], schema: string) =>
  `content: { ${types.map(type => `${type}: { schema: ${schema} }`).join(', ')} }`
const THING = '{ $ref: "#/components/schemas/Thing" }'

function things(...types: string[]) {
  return inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { things: { schema: Thing, seed: [{ id: 9007199254740993, name: one }] } }
operations:
  listThings: { respond: { list: things } }
  createThing: { respond: { create: things } }
  getThing: { respond: { read: things } }
  deleteThing: { respond: { delete: things } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: "1" }
components: { schemas: { Thing: { type: object, required: [id, name], properties: { id: { type: integer, format: int64 }, name: { type: string } } } } }
paths:
  /things:
    get: { operationId: listThings, responses: { "200": { description: Things, ${content(types, `{ type: array, items: ${THING} }`)} } } }
    post:
      operationId: createThing
      requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
      responses: { "201": { description: Made, ${content(types, THING)} } }
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getThing, responses: { "200": { description: Thing, ${content(types, THING)} } } }
    delete: { operationId: deleteThing, responses: { "204": { description: Gone } } }
`,
  })
}

test('a resource answers 406 to an unacceptable Accept, and writes nothing', async () => {
  const { send } = things('application/json')
  for (const accept of [undefined, '*/*', 'application/*', 'application/json', 'text/html, */*;q=0.1']) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    assert.equal((await send('GET /things', undefined, headers)).status, 200, accept)
  }
  const headers = { accept: 'application/xml' }
  for (const [line, body] of [
    ['GET /things'],
    ['GET /things/9007199254740993'],
    ['POST /things', { name: 'two' }],
  ] as const) {
    const refused = await send(line, body, headers)
    assert.equal(refused.status, 406, line)
    assert.match(JSON.stringify(refused.body), /answers 20[01] with application\/json"/)
  }
  assert.equal(((await send('GET /things')).body as unknown[]).length, 1)
  assert.equal((await send('DELETE /things/9007199254740993', undefined, headers)).status, 204)
})

test('records are written as XML with exact numbers if the contract documents XML', async () => {
  const { send } = things('application/xml', 'application/json')
  const one = await send('GET /things/9007199254740993', undefined, { accept: 'application/xml' })
  assert.equal(one.headers['content-type'], 'application/xml')
  assert.match(String(one.body), /<Thing><id>9007199254740993<\/id><name>one<\/name><\/Thing>/)
  const list = await send('GET /things', undefined, { accept: 'application/xml' })
  assert.match(String(list.body), /<Things><Thing><id>9007199254740993<\/id>/)
  const made = await send('POST /things', { name: 'two' }, { accept: 'application/xml' })
  assert.deepEqual([made.status, made.headers['content-type']], [201, 'application/xml'])
  assert.match(String(made.headers.location), /^\/things\/\d+$/)
  assert.equal((await send('GET /things')).headers['content-type'], 'application/json')
})

test('a record has the JSON media type of the contract', async () => {
  const { send } = things('application/vnd.things+json')
  assert.equal((await send('GET /things')).headers['content-type'], 'application/vnd.things+json')
  assert.equal((await send('GET /things', undefined, { accept: 'application/json' })).status, 406)
})
