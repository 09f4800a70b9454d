import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemOf } from '../../src/kernel/http.ts'
import { shop } from '../contract/answer/shop.ts'
import { inProcess } from '../support/in-process.ts'

const { send } = shop()
const preferring = (line: string, prefer: string, body?: unknown) => send(line, body, { prefer })

test('a client chooses a status: the exact reply, then its range, then default', async () => {
  const rows = [
    ['GET /v1/books/1', '404', 'There is no such book'],
    ['GET /v1/books/1', '503', 'It broke'],
    ['GET /v1/books', '418', 'Anything else'],
  ] as const
  for (const [line, code, message] of rows) {
    for (const answer of [
      await preferring(line, `code=${code}`),
      await preferring(line, `wait=5, Code="${code}"; x=y, code=200`),
      await send(`${line}?__code=${code}`),
    ]) {
      assert.equal(answer.status, Number(code))
      assert.equal((answer.body as { message: string }).message, message)
      assert.equal((answer.body as { status: number }).status, Number(code))
      assert.equal(answer.headers['preference-applied'], `code=${code}`)
    }
  }
})

test('an undocumented choice gets 404 with the documented ones', async () => {
  const rows = [
    ['GET /v1/books/1', 'code=201', /documented: 200, 404, 5XX/],
    ['GET /v1/cover', 'example=three', /one of: one, two/],
    ['GET /v1/books/1', 'example=one', /documented: none/],
  ] as const
  for (const [line, prefer, detail] of rows) {
    const { status, body, headers } = await preferring(line, prefer)
    assert.equal(status, 404, prefer)
    assert.match(JSON.stringify(body), detail)
    assert.equal(headers['preference-applied'], undefined)
  }
})

test('an error status that is not documented is answered in the shape of all refusals, with a warning', async () => {
  for (const [line, prefer] of [
    ['GET /v1/books/1', 'code=418'],
    ['GET /v1/books/1?__code=418', ''],
  ] as const) {
    const { status, body, headers } = await preferring(line, prefer)
    assert.equal(status, 418)
    assert.equal((body as { status: number }).status, 418)
    assert.match(headers['understudy-warning'] ?? '', /does not document 418/)
    assert.equal(headers['preference-applied'], 'code=418')
  }
})

test('an invalid status in a preference is refused', async () => {
  for (const [line, prefer] of [
    ['GET /v1/books/1', 'code=teapot'],
    ['GET /v1/books/1', 'code=99999'],
    ['GET /v1/books/1?__code=__proto__', 'wait=5'],
  ] as const) {
    const { status, body } = await preferring(line, prefer)
    assert.equal(status, 400, line)
    assert.match(JSON.stringify(body), /code must be a status such as 404/)
  }
})

test('an invalid value of `dynamic` is refused', async () => {
  for (const [line, prefer] of [
    ['GET /v1/books/1', 'dynamic=maybe'],
    ['GET /v1/books/1?__dynamic=yes', 'wait=5'],
  ] as const) {
    const { status, body } = await preferring(line, prefer)
    assert.equal(status, 400, line)
    assert.match(JSON.stringify(body), /dynamic must be true or false/)
  }
})

test('a misspelt preference is warned of with a suggestion', async () => {
  for (const [line, prefer, warning] of [
    ['GET /v1/books/1', 'cod=404', 'unknown preference "cod"; did you mean "code"?'],
    ['GET /v1/books/1', 'dynamc', 'unknown preference "dynamc"; did you mean "dynamic"?'],
    ['GET /v1/books/1', 'respond-async, wait=5', undefined],
  ] as const) {
    const { status, headers } = await preferring(line, prefer)
    assert.equal(status, 200)
    assert.equal(headers['understudy-warning'], warning, `${line} ${prefer}`)
  }
})

test('an undocumented 422 has the title of an invalid request', () => {
  assert.equal(problemOf(422).title, 'Invalid request')
})

test('a client chooses an example by its name', async () => {
  assert.deepEqual((await preferring('GET /v1/cover', 'example=two')).body, { n: 2 })
  assert.deepEqual((await send('GET /v1/cover?__example=two')).body, { n: 2 })
})

test('`dynamic` generates the body, at random or from a seed', async () => {
  const cover = async (prefer: string) => (await preferring('GET /v1/cover', prefer)).body
  assert.notDeepEqual(await cover('dynamic=true'), await cover('dynamic=true'))
  assert.deepEqual(await cover('dynamic=true, seed=7'), await cover('dynamic=true, seed=7'))
  assert.notDeepEqual(await cover('dynamic=true, seed=7'), await cover('dynamic=true, seed=8'))
  assert.deepEqual(await cover('dynamic=false'), { n: 1 })
  assert.notDeepEqual(await cover('seed=7'), await cover('seed=8'))
  assert.deepEqual(await cover('seed=7'), await cover('dynamic=true, seed=7'))
  assert.deepEqual(await cover('dynamic=false, seed=7'), { n: 1 })
  assert.deepEqual(await cover('example=two, seed=7'), { n: 2 })
  const { body, headers } = await send('GET /v1/books/1?__dynamic=true&__seed=7')
  assert.deepEqual((await preferring('GET /v1/books/1', 'dynamic, seed=7')).body, body)
  assert.equal(headers['preference-applied'], 'dynamic=true, seed=7')
})

test('an invalid request is refused despite a preference, except for a preference of that refusal', async () => {
  assert.equal((await preferring('POST /v1/books', 'code=201', {})).status, 400)
  assert.equal((await preferring('PUT /v1/books/1', 'code=200', { title: 'It' })).status, 401)
  const wanted = await preferring('POST /v1/books', 'code=400', {})
  assert.equal(wanted.status, 400)
  assert.equal((wanted.body as { message: string }).message, 'Something is wrong with the book')
  assert.equal(wanted.headers['preference-applied'], 'code=400')
})

test('`__code` is not an undocumented query parameter', async () => {
  const strict = shop('{ contract: ./shop.yaml, defaults: { validate: { undocumentedQuery: refuse } } }')
  assert.equal((await strict.send('GET /v1/books/1?__code=404')).status, 404)
  assert.equal((await strict.send('GET /v1/books?other=1&__code=200')).status, 400)
})

test('a chosen reply changes no state and keeps the deprecation headers', async () => {
  const stateful = shop(`
    contract: ./shop.yaml
    resources: { books: { schema: Book } }
    operations:
      createBook: { respond: { create: books } }
      listBooks: { respond: { list: books }, deprecation: { since: 2020-01-01 } }
  `)
  assert.equal((await stateful.send('POST /v1/books', { title: 'It' }, { prefer: 'code=400' })).status, 400)
  const list = await stateful.send('GET /v1/books')
  assert.deepEqual(list.body, [])
  const chosen = await stateful.send('GET /v1/books?__code=500')
  assert.equal(chosen.status, 500)
  assert.equal(chosen.headers.deprecation, list.headers.deprecation)
})

test('`prefer: false` switches preferences off', async () => {
  const off = shop('{ contract: ./shop.yaml, defaults: { prefer: false } }')
  assert.equal((await off.send('GET /v1/books/1?__code=404', undefined, { prefer: 'code=404' })).status, 200)
})

test('a client chooses the length of generated lists', async () => {
  const { send: ask } = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
resources: { things: { schema: Thing, seed: [{ id: 1 }, { id: 2 }] } }
operations: { listThings: { respond: { list: things } } }`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /pages:
    get:
      operationId: listPages
      responses: { "200": { description: Page, content: { application/json: { schema: { $ref: "#/components/schemas/Page" } } } } }
  /few:
    get:
      operationId: listFew
      responses: { "200": { description: Few, content: { application/json: { schema: { type: array, maxItems: 3, items: { type: integer } } } } } }
  /kinds:
    get:
      operationId: listKinds
      responses: { "200": { description: Kinds, content: { application/json: { schema: { type: array, uniqueItems: true, items: { enum: [a, b] } } } } } }
  /things:
    get:
      operationId: listThings
      responses: { "200": { description: Things, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Thing" } } } } } }
components:
  schemas:
    Thing: { type: object, required: [id], properties: { id: { type: integer }, tags: { type: array, items: { type: string } } } }
    Page: { type: object, required: [data], properties: { data: { type: array, items: { $ref: "#/components/schemas/Thing" } } } }`,
  })
  const prefer = (line: string, words: string) => ask(line, undefined, { prefer: words })
  for (const items of [0, 1, 7, 1000]) {
    const { status, body, headers } = await prefer('GET /pages', `items=${items}`)
    assert.equal(status, 200)
    const { data } = body as { data: { tags?: string[] }[] }
    assert.equal(data.length, items)
    assert.ok(
      data.every(({ tags = [] }) => tags.length <= 2),
      'lists within items have their usual length',
    )
    assert.equal(headers['preference-applied'], `items=${items}`)
  }
  assert.deepEqual((await prefer('GET /pages', 'items=5')).body, (await ask('GET /pages?__items=5')).body)
  assert.equal(((await prefer('GET /few', 'items=7')).body as []).length, 3)
  assert.equal(((await prefer('GET /kinds', 'items=7')).body as []).length, 2)
  const stored = await prefer('GET /things', 'items=7')
  assert.equal((stored.body as []).length, 2, 'a stored list keeps its length')
  for (const items of ['1001', '1000000', '-1', 'many']) {
    const { status, body } = await prefer('GET /pages', `items=${items}`)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /items must be a number from 0 to 1000/)
  }
})
