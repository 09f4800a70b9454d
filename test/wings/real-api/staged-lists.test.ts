import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realApiObserver } from '../../../src/wings/real-api/observe.ts'
import { inProcess } from '../../support/in-process.ts'

interface Note {
  readonly id: string
  readonly text: string
}

/** Returns the body and the fields that a server sends for the query of a list. */
type Serve = (query: URLSearchParams, notes: readonly Note[]) => readonly [body: unknown, fields?: readonly string[]]

/** Notes `n1` to `n9` whose clients give the ids, in a list that is configured so, over a server that answers so. */
function notes(respond: string, envelope: string, serve: Serve) {
  const all: Note[] = Array.from({ length: 9 }, (_, i) => ({ id: `n${i + 1}`, text: `note ${i + 1}` }))
  const asked: string[] = []
  const process = inProcess({
    'gateway.yaml': `
contract: ./openapi.yaml
upstream: { url: http://staging }
resources: { notes: { schema: Note, base: upstream, fresh: 0s, id: { assign: client } } }
operations:
  list: { respond: { list: notes, ${respond} } }
  create: { respond: { create: notes } }
  read: { respond: { read: notes } }
  put: { respond: { replace: notes, creates: true } }
  remove: { respond: { delete: notes } }
`,
    'openapi.yaml': `
openapi: 3.1.0
info: { title: Notes, version: "1" }
components:
  schemas:
    Note: { type: object, required: [id, text], properties: { id: { type: string }, text: { type: string } } }
    Notes: ${envelope}
paths:
  /notes:
    get:
      operationId: list
      parameters:
        - { name: page, in: query, schema: { type: integer, minimum: 1 } }
        - { name: after, in: query, schema: { type: string } }
        - { name: size, in: query, schema: { type: integer, maximum: 4 } }
      responses: { 200: { description: A page, content: { application/json: { schema: { $ref: "#/components/schemas/Notes" } } } } }
    post:
      operationId: create
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses: { 201: { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, 409: { description: There } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: read, responses: { 200: { description: One, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, 404: { description: None } } }
    put:
      operationId: put
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }
      responses: { 200: { description: One, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, 201: { description: Made, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } } }
    delete: { operationId: remove, responses: { 204: { description: Gone } } }
`,
  })
  process.gateway.observed(realApiObserver).client = {
    async send({ path }) {
      asked.push(path)
      const { pathname, searchParams } = new URL(path, 'http://staging')
      const id = pathname.split('/')[2]
      const found = all.find(one => one.id === id)
      const [body, fields = []] = id === undefined ? serve(searchParams, all) : [found ?? {}]
      return {
        status: id === undefined || found !== undefined ? 200 : 404,
        fields,
        body: (async function* () {
          yield new TextEncoder().encode(JSON.stringify(body))
        })(),
        trailers: () => ({}),
      }
    },
    async close() {},
  }
  return { ...process, asked, all }
}

const LIST = '{ type: array, items: { $ref: "#/components/schemas/Note" } }'
const PAGE = `{ type: object, required: [data], properties: { data: ${LIST}, next: { type: [string, "null"] } } }`
const numbered: Serve = (query, all) => {
  const size = Number(query.get('size') ?? 4)
  const from = (Number(query.get('page') ?? 1) - 1) * size
  return [all.slice(from, from + size), ['X-Total', `${all.length}`]]
}
const idsOf = (body: unknown): string[] => (body as readonly Note[]).map(({ id }) => id)

test('numbered pages are cut anew after the changes of a world, and count them', async () => {
  const { send, asked } = notes('page: page, limit: size, headers: { X-Total: "${page.total}" }', LIST, numbered)
  const clean = await send('GET /notes?page=3&size=3')
  assert.deepEqual(
    [idsOf(clean.body), clean.headers['x-total'], asked],
    [['n7', 'n8', 'n9'], '9', ['/notes?page=3&size=3']],
  )
  await send('DELETE /notes/n2')
  await send('POST /notes', { id: 'n25', text: 'new' })
  await send('POST /notes', { id: 'n95', text: 'new' })
  const pages = []
  for (const page of [1, 2, 3, 4]) pages.push(await send(`GET /notes?page=${page}&size=3`))
  assert.deepEqual(
    pages.map(({ body }) => idsOf(body)),
    [['n1', 'n25', 'n3'], ['n4', 'n5', 'n6'], ['n7', 'n8', 'n9'], ['n95']],
  )
  assert.deepEqual([...new Set(pages.map(({ headers }) => headers['x-total']))], ['10'])
  assert.ok(pages.every(({ headers }) => headers['understudy-warning'] === undefined))
})

test('a page is as large as the real API makes it, if nothing says how large', async () => {
  const { send, asked } = notes('page: page, limit: size', LIST, (query, all) => [numbered(query, all)[0]])
  assert.deepEqual(idsOf((await send('GET /notes?page=2')).body), ['n5', 'n6', 'n7', 'n8'])
  assert.deepEqual(asked, ['/notes?page=2'])
  await send('DELETE /notes/n2')
  const pages = []
  for (const page of [1, 2, 3]) pages.push(idsOf((await send(`GET /notes?page=${page}`)).body))
  assert.deepEqual(pages, [['n1', 'n3', 'n4', 'n5'], ['n6', 'n7', 'n8', 'n9'], []])
})

test('the numbers around a page are those of the size that the real API chose', async () => {
  const envelope = `{ type: object, required: [data], properties: { data: ${LIST}, total: { type: integer }, pages: { type: integer }, size: { type: integer }, last: { type: string } } }`
  const body = '{ data: "${page.items}", total: "${page.total}", pages: "${page.pages}", last: "${page.last}" }'
  for (const told of ['', ', size: "${page.limit}"']) {
    const { send } = notes(
      `page: page, limit: size, body: ${body.replace(' }', `${told} }`)}`,
      envelope,
      (query, all) => [{ data: numbered(query, all)[0], total: all.length, pages: 3, size: 4, last: '/notes?page=3' }],
    )
    for (const page of [1, 2, 3]) {
      const { body } = await send(`GET /notes?page=${page}`)
      const { data, ...around } = body as { data: unknown }
      assert.equal((data as unknown[]).length, page === 3 ? 1 : 4)
      assert.deepEqual(around, { total: 9, pages: 3, last: '/notes?page=3', ...(told === '' ? {} : { size: 4 }) })
    }
    await send('DELETE /notes/n2')
    const { body: laid } = await send('GET /notes?page=2')
    const { data, ...around } = laid as { data: unknown }
    assert.deepEqual(idsOf(data), ['n6', 'n7', 'n8', 'n9'])
    assert.deepEqual(around, { total: 8, pages: 2, last: '/notes?page=2', ...(told === '' ? {} : { size: 4 }) })
  }
})

test('a cursor of the real API is passed on, and what cannot be placed exactly is said', async () => {
  const { send, asked } = notes(
    'cursor: after, limit: size, body: { data: "${page.items}", next: "${page.cursor}" }',
    PAGE,
    (query, all) => {
      const from = Number((query.get('after') ?? 'opaque-0').slice('opaque-'.length))
      const size = Number(query.get('size') ?? 4)
      return [{ data: all.slice(from, from + size), next: from + size < all.length ? `opaque-${from + size}` : null }]
    },
  )
  await send('DELETE /notes/n6')
  await send('PUT /notes/n2', { id: 'n2', text: 'changed' })
  await send('PUT /notes/n35', { id: 'n35', text: 'new' })
  await send('PUT /notes/n99', { id: 'n99', text: 'new' })
  const seen: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { body, headers } = await send(`GET /notes?size=4${after === '' ? '' : `&after=${after}`}`)
    const page = body as { readonly data: readonly Note[]; readonly next: string | null }
    seen.push(...idsOf(page.data))
    assert.match(headers['understudy-warning'] ?? '', /laid over the page of the real API/)
    after = page.next
  }
  assert.deepEqual(seen, ['n1', 'n2', 'n3', 'n35', 'n4', 'n5', 'n7', 'n8', 'n9', 'n99'])
  assert.deepEqual(
    asked.filter(path => path.includes('after')),
    ['/notes?size=4&after=opaque-4', '/notes?size=4&after=opaque-8'],
  )
})

test('in an order that is not known, what the world added is at the end', async () => {
  const { send } = notes('limit: size', LIST, (_, all) => [[all[4], all[1], all[7]]])
  await send('PUT /notes/n2', { id: 'n2', text: 'changed' })
  await send('POST /notes', { id: 'n0', text: 'new' })
  const { body, headers } = await send('GET /notes')
  assert.deepEqual(idsOf(body), ['n5', 'n2', 'n8', 'n0'])
  assert.match(headers['understudy-warning'] ?? '', /unknown order/)
})

test('a client cannot create a record that the real API has, but may once the world has deleted it', async () => {
  const { send, all } = notes('limit: size', LIST, numbered)
  assert.equal((await send('POST /notes', { id: 'n3', text: 'mine' })).status, 409)
  await send('DELETE /notes/n3')
  assert.equal((await send('POST /notes', { id: 'n3', text: 'mine' })).status, 201)
  assert.deepEqual((await send('GET /notes/n3')).body, { id: 'n3', text: 'mine' })
  await send('POST /notes', { id: 'm1', text: 'mine' })
  all.push({ id: 'm1', text: 'of staging' })
  assert.equal((await send('DELETE /notes/m1')).status, 204)
  assert.equal((await send('GET /notes/m1')).status, 404, 'the record that staging has got since is deleted, too')
})

test('a page far from the beginning is that of the real API with the changes laid over it', async () => {
  const { send, all } = notes('page: page, limit: size', LIST, numbered)
  for (let i = 10; i < 200; i++) all.push({ id: `o${String(i).padStart(3, '0')}`, text: 'old' })
  await send('DELETE /notes/o197')
  const { body, headers } = await send('GET /notes?page=50&size=4')
  assert.deepEqual(idsOf(body), ['o198', 'o199'])
  assert.match(headers['understudy-warning'] ?? '', /laid over the page/)
})

test('a record whose id is a dot segment is not read from the real API', async () => {
  const { send, asked } = notes('limit: size', LIST, numbered)
  for (const path of ['/notes/..', '/notes/..%2Fadmin']) {
    assert.equal((await send(`GET ${path}`)).status, 400, path)
  }
  assert.deepEqual(asked, [])
})

test('a list of the real API may have 200,000 records', async () => {
  const all = Array.from({ length: 200_000 }, (_, i) => ({ id: `n${i + 1}`, text: '' }))
  const { send } = notes('limit: size', LIST, () => [all])
  const { status, body } = await send('GET /notes')
  assert.deepEqual([status, idsOf(body).length], [200, 200_000])
})
