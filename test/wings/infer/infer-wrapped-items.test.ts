import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, loadFiles } from '../../support/in-process.ts'

const library = (item: string) => ({
  'gateway.yaml': `
contract: ./openapi.yaml
resources:
  books: { schema: Book, seed: [{ id: 1, price: 1.10 }, { id: 2, price: 2 }] }
operations:
  listBooks: { respond: { list: books, item: ${item} } }
`,
  'openapi.yaml': `
openapi: 3.1.0
info: { title: Library, version: 1.0.0 }
paths:
  /books:
    get:
      operationId: listBooks
      responses:
        '200':
          description: Books.
          content:
            application/json:
              schema:
                type: array
                items:
                  type: object
                  required: [kind, book]
                  properties: { kind: { const: book }, book: { $ref: "#/components/schemas/Book" } }
components:
  schemas:
    Book: { type: object, required: [id], properties: { id: { type: integer }, price: { type: number } } }
`,
})

test('`item` wraps each record of a list, with the required fields around it', async () => {
  const { send } = inProcess(library('{ book: "${record.value}" }'))
  assert.deepEqual((await send('GET /books')).body, [
    { kind: 'book', book: { id: 1, price: 1.1 } },
    { kind: 'book', book: { id: 2, price: 2 } },
  ])
})

test('`item` with an unknown placeholder is a mistake', () => {
  const { report } = loadFiles(library('{ book: "${record.valeu}" }'))
  assert.ok(report.list.some(({ code, message }) => code === 'unknown-placeholder' && message.includes('valeu')))
})
