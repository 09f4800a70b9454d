import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, load, loadFiles } from '../../support/in-process.ts'

/** Authors, their books, and shelves that hold books by a list of ids. */
const library = (operations: Readonly<Record<string, string>> = {}) => ({
  'gateway.yaml': `
contract: ./openapi.yaml
seed: 7
resources:
  authors:
    schema: Author
    seed: [{ id: 1, name: Ada }, { id: 2, name: Ben }]
  books:
    schema: Book
    seed: [{ id: 1, title: One, authorId: 1, "{owner}": me }, { id: 2, title: Two, authorId: 1, "{owner}": me }, { id: 3, title: Three, authorId: null, "{owner}": me }]
    references: { authorId: authors }
  shelves:
    schema: Shelf
    seed: [{ id: 1, bookIds: [2, 1] }]
    references: { bookIds: { to: books, onDelete: null } }
operations:
  listMine: { respond: { list: books, within: { parameter: owner, field: "{owner}" } } }
${Object.entries({
  listAuthors: '{ list: authors, expand: [expand] }',
  getAuthor: '{ read: authors, expand: [expand] }',
  listBooks: '{ list: books, expand: [expand], filter: [authorId] }',
  getBook: '{ read: books, expand: [expand, include] }',
  listShelves: '{ list: shelves, expand: [expand] }',
  ...operations,
})
  .map(([id, respond]) => `  ${id}: { respond: ${respond}, conditional: {} }`)
  .join('\n')}
  updateBook: { respond: { update: books }, conditional: {} }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Library, version: 1.0.0 }
paths:
${['Author', 'Book']
  .map(
    name => `
  /${name.toLowerCase()}s:
    get:
      operationId: list${name}s
      parameters: [{ $ref: '#/components/parameters/expand' }, { name: authorId, in: query, schema: { type: integer } }]
      responses: { '200': { description: All. } }
  /${name.toLowerCase()}s/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: get${name}
      parameters:
        - { $ref: '#/components/parameters/expand' }
        - { name: include, in: query, schema: { type: array, items: { type: string } } }
      responses: { '200': { description: One. } }
    patch:
      operationId: update${name}
      requestBody: { content: { application/merge-patch+json: {} } }
      responses: { '200': { description: One. } }`,
  )
  .join('')}
  /shelves:
    get:
      operationId: listShelves
      parameters: [{ $ref: '#/components/parameters/expand' }]
      responses: { '200': { description: All. } }
  /owners/{owner}/books:
    get:
      operationId: listMine
      parameters: [{ name: owner, in: path, required: true, schema: { type: string } }]
      responses: { '200': { description: All. } }
components:
  parameters:
    expand: { name: expand, in: query, schema: { type: string } }
  schemas:
    Author: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Book:
      type: object
      required: [id]
      properties: { id: { type: integer }, title: { type: string }, authorId: { type: [integer, 'null'] } }
    Shelf: { type: object, required: [id], properties: { id: { type: integer }, bookIds: { type: array, items: { type: integer } } } }
`,
})

const ada = { id: 1, name: 'Ada' }
const one = { id: 1, title: 'One', authorId: 1 }
const two = { id: 2, title: 'Two', authorId: 1 }
const three = { id: 3, title: 'Three', authorId: null }

test('a record gets the records that it refers to and those that refer to it, as far as a request names them', async () => {
  const { send } = inProcess(library())
  const bodyOf = async (what: string) => (await send(`GET ${what}`)).body
  assert.deepEqual(await bodyOf('/books/1'), one)
  assert.deepEqual(await bodyOf('/books/1?expand=author'), { ...one, author: ada })
  assert.deepEqual(await bodyOf('/authors/1?expand=books'), { ...ada, books: [one, two] })
  assert.deepEqual(await bodyOf('/authors/2?expand=books'), { id: 2, name: 'Ben', books: [] })
  const shelves = [{ id: 1, bookIds: [2, 1] }]
  assert.deepEqual(await bodyOf('/books/2?expand=author,shelves'), { ...two, shelves, author: ada })
  assert.deepEqual(await bodyOf('/books/2?expand=author&include=shelves&include=author'), {
    ...two,
    shelves,
    author: ada,
  })
  assert.deepEqual(await bodyOf('/books/3?expand=author'), three)
  assert.deepEqual(await bodyOf('/books/1?expand=publisher,__proto__'), one)
})

test('each record of a list gets others, and shows no owner that replies do not show', async () => {
  const { send } = inProcess(library())
  const bodyOf = async (what: string) => (await send(`GET ${what}`)).body
  assert.deepEqual(await bodyOf('/books?expand=author'), [{ ...one, author: ada }, { ...two, author: ada }, three])
  assert.deepEqual(await bodyOf('/books?authorId=2&expand=author'), [])
  assert.deepEqual(await bodyOf('/books?expand=publisher'), [one, two, three])
  assert.deepEqual(await bodyOf('/authors?expand=books'), [
    { ...ada, books: [one, two] },
    { id: 2, name: 'Ben', books: [] },
  ])
  assert.deepEqual(await bodyOf('/shelves?expand=books'), [{ id: 1, bookIds: [2, 1], books: [one, two] }])
})

test('records with others are wrapped as those without', async () => {
  const { send } = inProcess(
    library({
      listAuthors:
        '{ list: authors, expand: [expand], item: { author: "${record.value}" }, body: { data: "${page.items}" } }',
      getAuthor: '{ read: authors, expand: [expand], body: { data: "${record.value}", id: "${record.id}" } }',
    }),
  )
  const whole = { ...ada, books: [one, two] }
  const list = (await send('GET /authors?expand=books')).body as { readonly data: readonly unknown[] }
  assert.deepEqual(list.data[0], { author: whole })
  assert.deepEqual((await send('GET /authors/1?expand=books')).body, { data: whole, id: '1' })
})

test('the entity tag of a record with others changes with these', async () => {
  const { send } = inProcess(library())
  const tags = async () => {
    const replies = [await send('GET /authors/1'), await send('GET /authors/1?expand=books')]
    return replies.map(({ headers }) => headers.etag)
  }
  const [bare, whole] = await tags()
  assert.equal((await send('GET /authors/1?expand=books', undefined, { 'if-none-match': whole as string })).status, 304)
  const type = { 'content-type': 'application/merge-patch+json' }
  assert.equal((await send('PATCH /books/1', { title: 'First' }, type)).status, 200)
  const [bareAfter, wholeAfter] = await tags()
  assert.equal(bareAfter, bare)
  assert.notEqual(wholeAfter, whole)
})

test('a parameter that the operation does not have is a mistake', () => {
  const mistakesIn = (files: Record<string, string>) =>
    loadFiles(files).report.list.map(({ severity, code, message }) => `${severity} ${code} ${message}`)
  assert.deepEqual(mistakesIn(library({ getBook: '{ read: books, expand: [expand, includes] }' })), [
    'error unknown-parameter the operation getBook has no query parameter "includes"',
  ])
})

test('a reference to a resource that is not there is one mistake', () => {
  const { report } = load(`
contract:
  openapi: 3.1.0
  info: { title: T, version: "1" }
  paths:
    /things:
      get:
        operationId: listThings
        parameters: [{ name: _expand, in: query, schema: { type: string } }]
        responses:
          "200":
            description: All
            content:
              application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } }
  components:
    schemas:
      Thing: { type: object, properties: { id: { type: integer }, ownerId: { type: integer } } }
resources:
  things: { schema: Thing, seed: [], references: { ownerId: { to: owners } } }
operations:
  listThings: { respond: { list: things, expand: [_expand] } }
`)
  assert.deepEqual(
    report.list.map(({ message }) => message),
    ['there is no resource "owners"'],
  )
})
