import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'
import { answers, documentOf, integer, object, ref, string } from '../../support/small-document.ts'

const library = (respond: object) => {
  const parameters = ['q', 'sort'].map(name => ({ name, in: 'query', schema: string }))
  const list = answers(200, { type: 'array', items: ref('Book') })
  const contract = documentOf(
    { '/books': { get: { operationId: 'listBooks', parameters, ...list } } },
    { Book: object({ id: integer, title: string }) },
  )
  const seed = ['Zeno', 'Emma', 'Ulysses'].map((title, i) => ({ id: i + 1, title }))
  const gateway = {
    contract,
    resources: { books: { schema: 'Book', seed } },
    operations: { listBooks: { respond: { list: 'books', ...respond } } },
  }
  const { send } = inProcess({ 'gateway.yaml': JSON.stringify(gateway) })
  return async (query: string) => {
    const { status, body, headers } = await send(`GET /books?${query}`)
    const titles = status === 200 ? (body as { title: string }[]).map(({ title }) => title).join() : body
    return { status, titles, warning: headers['understudy-warning'] }
  }
}

test('a list refuses to search for more words than it can look for at once', async () => {
  const list = library({ search: 'q' })
  const words = (count: number) => Array.from({ length: count }, (_, i) => `e${i}`).join('+')
  assert.deepEqual(await list('q=e+S+e'), { status: 200, titles: 'Ulysses', warning: undefined })
  assert.equal((await list('q=')).titles, 'Zeno,Emma,Ulysses')
  assert.equal((await list(`q=${words(20)}`)).status, 200)
  assert.equal((await list(`q=${'e+'.repeat(100)}`)).titles, 'Zeno,Emma,Ulysses')
  const { status, titles } = await list(`q=${words(21)}`)
  assert.equal(status, 400)
  assert.match(JSON.stringify(titles), /query parameter q must have at most 20 different words and 200 characters/)
  assert.equal((await list(`q=${'e'.repeat(201)}`)).status, 400)
})

test('a list sorts by the fields that it has, and warns of others, if "unknownFields" is "ignore"', async () => {
  const list = library({ sort: { parameter: 'sort', unknownFields: 'ignore' } })
  assert.deepEqual(await list('sort=colour,-title,weight'), {
    status: 200,
    titles: 'Zeno,Ulysses,Emma',
    warning: 'sort: no field of books: colour, weight',
  })
  assert.equal((await list('sort=colour')).titles, 'Zeno,Emma,Ulysses')
  assert.equal((await list('sort=title')).warning, undefined)
})

test('a list sorts by the first direction of a field', async () => {
  const list = library({ sort: 'sort' })
  assert.equal((await list('sort=-title,title,id')).titles, 'Zeno,Ulysses,Emma')
})
