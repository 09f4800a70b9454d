import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inferredInProcess, inProcess, loadFiles } from '../../support/in-process.ts'
import { answers, documentOf, naming, object, ref, string, takes } from '../../support/small-document.ts'

type Fields = Readonly<Record<string, unknown>>

test('a list whose items are around the records shows each record under its key', async () => {
  const Customer = object({ id: string, name: string }, { required: ['id'] })
  const Card = object({ customer_id: string }, { required: ['customer_id'] })
  const one = object({ customer: ref('Customer'), card: ref('Card') }, { required: ['customer'] })
  for (const shape of [one, ref('Entry')]) {
    const { send } = await inferredInProcess(
      documentOf(
        {
          '/customers': {
            get: answers(200, object({ list: { type: 'array', items: shape } }, { required: ['list'] })),
            post: { ...takes(object({ id: string, name: string })), ...answers(200, shape) },
          },
          '/customers/{customer-id}': { ...naming('customer-id'), get: answers(200, shape) },
        },
        { Customer, Card, Entry: one },
      ),
    )
    assert.deepEqual((await send('POST /customers', { id: 'ada', name: 'Ada' })).body, {
      customer: { id: 'ada', name: 'Ada' },
    })
    assert.deepEqual((await send('GET /customers/ada')).body, { customer: { id: 'ada', name: 'Ada' } })
    const { list } = (await send('GET /customers')).body as { list: { customer: Fields }[] }
    assert.ok(list.length > 1)
    assert.deepEqual(
      list.find(({ customer }) => customer.id === 'ada'),
      { customer: { id: 'ada', name: 'Ada' } },
    )
  }
})

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
