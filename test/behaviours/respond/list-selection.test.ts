import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

/** A list of five books whose query has these parameters. */
function library(respond: string, query: Record<string, string>, items = false) {
  const parameters = Object.entries(query).map(([name, schema]) => `{ name: ${name}, in: query, schema: ${schema} }`)
  const books = '{ type: array, items: { $ref: "#/components/schemas/Book" } }'
  const page = `{ type: object, properties: { items: ${books}, startIndex: { type: integer } } }`
  return inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources:
  books:
    schema: Book
    seed:
      - { id: 1, title: Ulysses }
      - { id: 2, title: Dubliners }
      - { id: 3, title: Emma }
      - { id: 4, title: Persuasion }
      - { id: 5, title: Exiles }
operations:
  listBooks: { respond: ${respond} }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Library, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: listBooks
      parameters: [${parameters.join(', ')}]
      responses: { '200': { description: Books., content: { application/json: { schema: ${items ? page : books} } } } }
components:
  schemas:
    Book: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string } } }
`,
  })
}

const INTEGER = '{ type: integer }'
const ids = (body: unknown) => (body as { id: number }[]).map(({ id }) => id)

test('an offset that begins with 1 is the number of a record', async () => {
  const { send } = library(
    '{ list: books, limit: count, offset: startIndex, links: true, body: { items: "${page.items}", startIndex: "${page.offset}" } }',
    { count: INTEGER, startIndex: '{ type: integer, default: 1 }' },
    true,
  )
  const page = async (query: string) =>
    (await send(`GET /books${query}`)).body as { items: unknown; startIndex: number }
  assert.deepEqual(ids((await page('')).items), [1, 2, 3, 4, 5])
  const { items, startIndex } = await page('?startIndex=3&count=2')
  assert.deepEqual([ids(items), startIndex], [[3, 4], 3])
  assert.match((await send('GET /books?count=2')).headers.link as string, /startIndex=3>; rel="next"/)
})

test('one value of a filter may select every record', async () => {
  const { send } = library('{ list: books, filter: [{ parameter: title, all: any }] }', {
    title: '{ type: string, default: Emma }',
  })
  assert.deepEqual(ids((await send('GET /books')).body), [3])
  assert.deepEqual(ids((await send('GET /books?title=Exiles')).body), [5])
  assert.deepEqual(ids((await send('GET /books?title=any')).body), [1, 2, 3, 4, 5])
})

test('a filter that ends like a comparison compares with the field before it', async () => {
  const { send } = library('{ list: books, filter: [id, id_gte, "id:lt", title_like, title_ne] }', {
    ...{ id: '{ type: array, items: { type: integer } }', id_gte: INTEGER, '"id:lt"': INTEGER },
    ...{ title_like: '{ type: string }', title_ne: '{ type: string }' },
  })
  const selected = async (query: string) => ids((await send(`GET /books?${query}`)).body)
  assert.deepEqual(await selected('id=2&id=4'), [2, 4])
  assert.deepEqual(await selected('id_gte=2&id:lt=4'), [2, 3])
  assert.deepEqual(await selected('title_like=ES'), [1, 5])
  assert.deepEqual(await selected('title_ne=Emma&id_gte=3'), [4, 5])
})

test('a list with pages and offsets has pages only where a request asks for one', async () => {
  const respond = '{ list: books, page: { parameter: page, size: 2 }, limit: limit, offset: start }'
  const { send } = library(respond, { page: INTEGER, limit: INTEGER, start: INTEGER })
  const page = async (query: string) => ids((await send(`GET /books${query}`)).body)
  assert.deepEqual(await page(''), [1, 2, 3, 4, 5])
  assert.deepEqual(await page('?page=2'), [3, 4])
  assert.deepEqual(await page('?page=2&limit=3'), [4, 5])
  assert.deepEqual(await page('?start=1&limit=1'), [2])
})
