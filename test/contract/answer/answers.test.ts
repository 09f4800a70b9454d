import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { inProcess } from '../../support/in-process.ts'
import { shop } from './shop.ts'

interface Book {
  id: number
  title: string
  status: string
}

const { send } = shop()

test('the status is the lowest documented 2xx, then 2XX, then default, then the first', async () => {
  const rows = [
    ['GET /v1/books', 200],
    ['DELETE /v1/books/1', 204],
    ['GET /v1/text', 200],
    ['GET /v1/form', 200],
    ['GET /v1/moved', 302],
  ] as const
  for (const [line, status] of rows) assert.equal((await send(line)).status, status, line)
  assert.equal((await send('POST /v1/books', { title: 'It' })).status, 201)
})

test('the media type is the one that the client prefers, then the first documented one', async () => {
  const json = 'application/json'
  const xml = 'application/xml'
  const rows = [
    ['/v1/books', undefined, json],
    ['/v1/books', '*/*', json],
    ['/v1/books', 'application/*', json],
    ['/v1/books', xml, xml],
    ['/v1/books', 'application/json;q=0.1, application/xml;q=0.9', xml],
    ['/v1/books', 'text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', xml],
    ['/v1/books', 'application/json; charset=utf-8', json],
    ['/v1/books', 'application/json;q=0, */*;q=0.5', xml],
    ['/v1/versions', 'application/json; version=2', 'application/json; version=2'],
    ['/v1/versions', 'application/json; version=3', 'application/json; version=1'],
  ] as const
  for (const [path, accept, type] of rows) {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    assert.equal((await send(`GET ${path}`, undefined, headers)).headers['content-type'], type, `${path} ${accept}`)
  }
})

test('a client that accepts no documented media type gets 406, unless the reply has no body', async () => {
  const headers = { accept: 'text/html' }
  const refused = await send('GET /v1/books', undefined, headers)
  assert.equal(refused.status, 406)
  assert.match(JSON.stringify(refused.body), /application\/json, application\/xml/)
  assert.equal((await send('DELETE /v1/books/1', undefined, headers)).status, 204)
})

test('the first example is sent unchanged', async () => {
  assert.deepEqual((await send('GET /v1/cover')).body, { n: 1 })
})

test('a reply leaves out writeOnly properties, even those of an example', async () => {
  assert.deepEqual((await send('GET /v1/member')).body, { name: 'Ann' })
})

test('equal requests get equal replies, different requests different ones', async () => {
  const first = await send('GET /v1/books/1')
  assert.deepEqual(await send('GET /v1/books/1'), first)
  assert.notDeepEqual((await send('GET /v1/books/2')).body, { ...(first.body as Book), id: 2 })
})

test('a reply repeats the id in the path, the fields that were sent, the filter and the limit', async () => {
  assert.equal(((await send('GET /v1/books/4711')).body as Book).id, 4711)
  const created = (await send('POST /v1/books', { title: 'Mine', pages: 12, secret: 'hush' })).body as Book
  assert.equal(created.title, 'Mine')
  assert.equal('secret' in created, false)
  // Twelve pages would violate the schema of the reply.
  assert.ok((created as unknown as { pages: number }).pages <= 9)
  const lent = (await send('GET /v1/books?status=lent')).body as Book[]
  assert.deepEqual([...new Set(lent.map(({ status }) => status))], ['lent'])
  assert.equal(((await send('GET /v1/books?limit=1')).body as Book[]).length, 1)
})

test('the reply has the documented headers', async () => {
  const { headers } = await send('GET /v1/books')
  assert.equal(headers['x-total'], '7')
  assert.match(headers['x-tags'] ?? '', /^(?:a,b|b,a)$/)
  assert.match(headers.link ?? '', /^<\/v1\/books\?page=2>; rel="next"$/)
  const created = await send('POST /v1/books', { title: 'It' })
  assert.equal(created.headers.location, `/v1/books/${(created.body as Book).id}`)
  assert.equal((await send('GET /v1/moved')).headers.location, '/v1/moved')
})

test('XML is written by the xml keywords of the schema', async () => {
  const { body } = await send('GET /v1/books/3', undefined, { accept: 'application/xml' })
  assert.match(
    String(body),
    /^<\?xml version="1\.0" encoding="UTF-8"\?><book id="3"><title>[\w ]+<\/title>.*<tags><tag>[\w-]+<\/tag>.*<\/tags><\/book>$/,
  )
})

test('text and form bodies are written in their media types', async () => {
  assert.equal((await send('GET /v1/text')).body, 'hello')
  assert.equal((await send('GET /v1/form')).body, 'a=x+y')
})

test('a refusal has the shape that the contract documents for its status', async () => {
  const invalid = await send('POST /v1/books', {})
  assert.equal(invalid.headers['content-type'], 'application/json')
  assert.deepEqual(invalid.body, { code: 'invalid_request', message: '/title is required', status: 400 })
  const missing = await send('GET /v1/books/x')
  assert.equal((missing.body as { code: string }).code, 'not_found')
  // The document has an example for 401.
  const who = await send('PUT /v1/books/1', { title: 'It' })
  assert.deepEqual(who.body, { code: 'who', message: 'The key is missing', status: 401 })
  const nowhere = await send('GET /v1/nowhere')
  // A status that the operation does not document has the usual shape of the contract.
  assert.deepEqual(Object.keys(nowhere.body as object), ['code', 'message', 'status'])
})

test('a configured shape of refusals overrides the documented one', async () => {
  const { send: configured } = shop('{ contract: ./shop.yaml, errors: { body: { oops: "${problem.code}" } } }')
  assert.deepEqual((await configured('POST /v1/books', {})).body, { oops: 'invalid_request' })
})

test('an operation that documents no success says so with its first response', async () => {
  const contract = {
    openapi: '3.0.0',
    info: { title: 'Pets', version: '1' },
    paths: {
      '/pets/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        delete: { operationId: 'deletePet', responses: { 400: { description: 'Invalid' } } },
      },
    },
  }
  const pets = inProcess({ 'openapi.yaml': stringify(contract) })
  const { status, headers } = await pets.send('DELETE /pets/5')
  assert.equal(status, 400)
  const why = 'the request is valid, but deletePet documents no success; this is its first documented response'
  assert.equal(headers['understudy-warning'], why)
  const asked = await pets.send('DELETE /pets/5', undefined, { prefer: 'code=400' })
  assert.equal(asked.headers['understudy-warning'], undefined)
})
