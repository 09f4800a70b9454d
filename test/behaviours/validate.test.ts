import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const contract = `
openapi: 3.1.0
info: { title: Books, version: "1" }
paths:
  /books/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getBook
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      responses: { "204": { description: None } }
    put:
      operationId: putBook
      parameters: [{ name: X-Kind, in: header, required: true, schema: { enum: [a, b] } }]
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [title], properties: { title: { type: string } } } } }
      responses: { "204": { description: None } }
`
const books = (validate: string) =>
  inProcess({
    'gateway.yaml': `{ contract: ./openapi.yaml, defaults: { validate: ${validate} } }`,
    'openapi.yaml': contract,
  })
const statusOf = async (validate: string, ...request: Parameters<ReturnType<typeof books>['send']>) =>
  (await books(validate).send(...request)).status

test('one refusal names every mistake of a request', async () => {
  const { status, body } = await books('{}').send('PUT /books/1', {}, { 'x-kind': 'c' })
  assert.equal(status, 400)
  assert.match(JSON.stringify(body), /X-Kind.*title/)
})

test('an invalid path is refused, even with `invalidQuery: ignore`', async () => {
  assert.equal(await statusOf('{ invalidQuery: ignore }', 'GET /books/one'), 400)
})

for (const [validate, line, status] of [
  ['{}', 'GET /books/1?limit=x', 400],
  ['{ invalidQuery: ignore }', 'GET /books/1?limit=x', 204],
  ['{}', 'GET /books/1?other=x', 204],
  ['{ undocumentedQuery: refuse }', 'GET /books/1?other=x', 400],
  ['{ status: 422 }', 'GET /books/1?limit=x', 422],
  ['null', 'GET /books/1?limit=x', 204],
] as const) {
  test(`${line} is answered ${status} with validate: ${validate}`, async () => {
    assert.equal(await statusOf(validate, line), status)
  })
}

test('an undocumented body is ignored, and refused with `undocumentedBody: refuse`', async () => {
  assert.equal(await statusOf('{}', 'GET /books/1', { a: 1 }), 204)
  assert.equal(await statusOf('{ undocumentedBody: refuse }', 'GET /books/1', { a: 1 }), 415)
  assert.equal(await statusOf('{ undocumentedBody: ignore }', 'GET /books/1', { a: 1 }), 204)
})

test('a body that is only judged is what the operation works with', async () => {
  const { send } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { books: { schema: Book } }
operations: { addBook: { respond: { create: books }, validate: { requests: warn } } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Books, version: "1" }
paths:
  /books:
    post:
      operationId: addBook
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
      responses: { "201": { description: Made, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } } }
components: { schemas: { Book: { type: object, properties: { id: { type: integer }, title: { type: string }, pages: { type: integer } } } } }
`,
  })
  const made = await send('POST /books', { title: 'Dune' })
  assert.deepEqual([made.status, made.body], [201, { id: 1, title: 'Dune' }])
  assert.equal(made.headers['understudy-warning'], undefined)
  const invalid = await send('POST /books', { title: 'Emma', pages: 'many' })
  assert.match(invalid.headers['understudy-warning'] ?? '', /^invalid request: \/pages must be an integer/)
  // No record is kept that breaks its schema.
  assert.equal(invalid.status, 400)
})
