import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const { gateway, send } = inProcess({
  'gateway.yaml': `
contract:
  openapi: 3.1.0
  info: { title: Library, version: "1" }
  servers: [{ url: /library/v2 }]
  components:
    schemas:
      Book:
        type: object
        required: [isbn, title]
        properties:
          isbn: { type: string, format: uuid }
          title: { type: string, minLength: 1 }
          pages: { type: integer, format: int64, minimum: 1 }
          tags: { type: array, uniqueItems: true, items: { type: string } }
          shelf:
            type: object
            properties: { room: { type: string }, row: { type: integer } }
      NewBook: { type: object, required: [title], properties: { title: {}, pages: {}, tags: {}, shelf: {}, isbn: {} } }
      Patch: { type: object }
  paths:
    /books:
      post:
        operationId: addBook
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } } }
        responses:
          201: { description: Added, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
    /books/{isbn}:
      parameters: [{ name: isbn, in: path, required: true, schema: { type: string, format: uuid } }]
      get:
        operationId: readBook
        x-stability: beta
        responses:
          200: { description: Book, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
          404: { description: None }
      put:
        operationId: replaceBook
        requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } } }
        responses:
          200: { description: Book, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
      patch:
        operationId: changeBook
        requestBody:
          content:
            application/merge-patch+json: { schema: { $ref: "#/components/schemas/Patch" } }
            application/json: { schema: {} }
        responses:
          200: { description: Book, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
          422: { description: Wrong }
      delete:
        operationId: dropBook
        responses: { 204: { description: Gone } }
    /books/{isbn}/cover:
      get:
        operationId: readCover
        parameters: [{ name: isbn, in: path, required: true, schema: { type: string } }]
        responses:
          200: { description: Cover, content: { application/json: { example: { colour: red } } } }
resources:
  books:
    schema: Book
    id: { field: isbn, assign: uuid }
    defaults: { pages: 100 }
    seed:
      - { isbn: 00000000-0000-4000-8000-000000000001, title: One, pages: 9007199254740993, shelf: { room: A, row: 1 } }
operations:
  addBook: { respond: { create: books } }
  readBook: { respond: { read: books } }
  replaceBook: { respond: { replace: books } }
  changeBook: { respond: { update: books } }
  dropBook: { respond: { delete: books } }
`,
})

const ONE = '/library/v2/books/00000000-0000-4000-8000-000000000001'
const NONE = '/library/v2/books/00000000-0000-4000-8000-000000000009'
const isbn = ONE.slice(-36)
const shelf = { room: 'A', row: 1 }
const MERGE = { 'content-type': 'application/merge-patch+json' }

beforeEach(() => gateway.reset())

test('a new book has a UUID, a Location and the default values', async () => {
  const { status, headers, body } = await send('POST /library/v2/books', { title: 'New', isbn: 'mine' })
  const book = body as { isbn: string }
  assert.equal(status, 201)
  assert.match(book.isbn, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(book, { isbn: book.isbn, title: 'New', pages: 100 })
  assert.equal(headers.location, `/library/v2/books/${book.isbn}`)
  assert.deepEqual((await send(`GET ${headers.location}`)).body, book)
})

for (const [name, line, body, expected] of [
  ['PUT replaces all of it', 'PUT', { title: 'Two' }, { isbn, title: 'Two' }],
  ['PUT may repeat the id of the path', 'PUT', { isbn, title: 'Two' }, { isbn, title: 'Two' }],
  ['PATCH changes the named fields', 'PATCH', { title: 'Two', pages: 2 }, { isbn, title: 'Two', pages: 2, shelf }],
  ['PATCH removes a field that it sets to null', 'PATCH', { shelf: null, pages: 2 }, { isbn, title: 'One', pages: 2 }],
  [
    'PATCH merges nested objects',
    'PATCH',
    { pages: 2, shelf: { row: null, room: 'B' } },
    { isbn, title: 'One', pages: 2, shelf: { room: 'B' } },
  ],
  [
    'PATCH replaces a whole list',
    'PATCH',
    { pages: 2, tags: ['a'] },
    { isbn, title: 'One', pages: 2, tags: ['a'], shelf },
  ],
  ['PATCH sets no defaults', 'PATCH', { pages: null }, { isbn, title: 'One', shelf }],
  ['an unknown field is dropped', 'PATCH', { pages: 2, colour: 'red' }, { isbn, title: 'One', pages: 2, shelf }],
] as const) {
  test(name, async () => {
    const { status, body: told } = await send(`${line} ${ONE}`, body)
    assert.equal(status, 200)
    assert.deepEqual(told, expected)
    assert.deepEqual((await send(`GET ${ONE}`)).body, expected)
  })
}

test('PATCH accepts application/merge-patch+json', async () => {
  const { status, body } = await send(`PATCH ${ONE}`, { title: 'Two', pages: 1, shelf: null }, MERGE)
  assert.equal(status, 200)
  assert.deepEqual(body, { isbn, title: 'Two', pages: 1 })
})

test('PATCH of another field keeps a large integer exact', async () => {
  await send(`PATCH ${ONE}`, { title: 'Two' })
  const entry = await gateway.worlds.default.collection('books').read(isbn)
  assert.match(entry?.text ?? '', /"pages":9007199254740993/)
})

for (const [name, line, body, status, expected] of [
  ['a required field is not removed', 'PATCH', { title: null }, 422, '/title is required'],
  ['a field must fit its schema', 'PATCH', { pages: 0 }, 422, '/pages must be at least 1'],
  ['a nested field must fit its schema, too', 'PATCH', { shelf: { row: 'x' } }, 422, '/shelf/row must be an integer'],
  ['duplicate items are refused', 'PATCH', { tags: ['a', 'a'] }, 422, '/tags must not contain duplicate items'],
  ['a list is not a patch', 'PATCH', [1], 422, 'the body must be an object'],
  ['null is not a patch', 'PATCH', null, 422, 'the body must be an object'],
  ['PUT must have the required fields', 'PUT', { pages: 1 }, 400, '/title is required'],
  ['PUT is validated by the record schema, too', 'PUT', { title: '' }, 400, '/title must not be empty'],
] as const) {
  test(`${name}: ${expected}`, async () => {
    const reply = await send(`${line} ${ONE}`, body)
    assert.equal(reply.status, status)
    assert.equal((reply.body as { detail: string }).detail, expected)
    assert.equal(((await send(`GET ${ONE}`)).body as { title: string }).title, 'One')
  })
}

test('a body cannot change an id that the server assigned', async () => {
  const { status, body } = await send(`PATCH ${ONE}`, { isbn: NONE.slice(-36), title: 'Still one' })
  const { isbn, title } = body as { isbn: string; title: string }
  assert.deepEqual([status, isbn, title], [200, ONE.slice(-36), 'Still one'])
})

for (const [line, body] of [
  ['GET', undefined],
  ['PUT', { title: 'x' }],
  ['PATCH', {}],
  ['DELETE', undefined],
] as const) {
  test(`${line} of an unknown book answers 404`, async () => {
    assert.equal((await send(`${line} ${NONE}`, body)).status, 404)
  })
}

test('a deleted book answers 404', async () => {
  const { status, body } = await send(`DELETE ${ONE}`)
  assert.deepEqual([status, body], [204, ''])
  assert.equal((await send(`GET ${ONE}`)).status, 404)
  assert.equal((await send(`DELETE ${ONE}`)).status, 404)
})

test('concurrent changes of one book are all kept', async () => {
  await Promise.all([
    send(`PATCH ${ONE}`, { title: 'Two' }),
    send(`PATCH ${ONE}`, { pages: 3 }),
    send(`PATCH ${ONE}`, { shelf: null }),
  ])
  assert.deepEqual((await send(`GET ${ONE}`)).body, { isbn, title: 'Two', pages: 3 })
})

test('an operation without configuration answers with the example of the contract', async () => {
  const { status, body } = await send(`GET ${ONE}/cover`)
  assert.deepEqual([status, body], [200, { colour: 'red' }])
})

test('every reply of an operation has its X-Stability', async () => {
  for (const path of [ONE, NONE, '/library/v2/books/x'])
    assert.equal((await send(`GET ${path}`)).headers['x-stability'], 'beta')
  assert.equal((await send(`DELETE ${ONE}`)).headers['x-stability'], undefined)
})
