// Two worlds on two contracts at once: both are served, reloaded, reset, forked and replaced, over HTTP.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type RunningGateway, startGateway } from '../../src/index.ts'
import { answers, documentOf, naming, object, ref, string, takes } from '../support/small-document.ts'
import { until } from '../support/until.ts'
import { FREE_PORTS, originOf, understudy } from './start-program.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))

const paths = (schema: string, more: object = {}) => ({
  '/books': {
    get: { operationId: 'listBooks', ...answers(200, { type: 'array', items: ref(schema) }) },
    post: { operationId: 'createBook', ...takes(ref(schema)), ...answers(201, ref(schema)) },
  },
  '/books/{id}': { get: { operationId: 'getBook', ...naming('id'), ...answers(200, ref(schema)) } },
  ...more,
})
const integer = { type: 'integer' }
const now = documentOf(paths('Book'), {
  Book: object({ id: string, title: string, shelf: string, year: string }, { required: ['title'] }),
})
const next = {
  ...documentOf(paths('Book', { '/authors': { get: { operationId: 'listAuthors', ...answers(200, object({})) } } }), {
    Book: object(
      { id: string, title: string, year: integer, pageCount: integer },
      { required: ['title', 'pageCount'] },
    ),
  }),
  servers: [{ url: '/v2' }],
}
const FILE = `contract: ./now.json
worlds: { named: { next: { contract: ./next.json } } }
resources:
  books:
    schema: Book
    id: { assign: client }
    defaults: { shelf: y }
    seed: [{ id: a, title: Emma, shelf: x, year: '1815' }, { id: b, title: Persuasion, year: unknown }]
operations:
  listBooks: { respond: { list: books } }
  createBook: { respond: { create: books } }
  getBook: { respond: { read: books } }
`

const write = (name: string, value: unknown) =>
  writeFileSync(join(home, name), typeof value === 'string' ? value : JSON.stringify(value))

async function serve(file = FILE): Promise<RunningGateway> {
  write('now.json', now)
  write('next.json', next)
  write('gateway.yaml', file)
  const gateway = await startGateway({ config: join(home, 'gateway.yaml') })
  after(() => gateway.close())
  return gateway
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the body of some reply
  readonly body: any
}

/** Sends a request: `GET http://…`. */
async function send(line: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const [method = '', url = ''] = line.split(' ')
  const isText = typeof body === 'string'
  const type = isText ? 'application/yaml' : 'application/json'
  const reply = await fetch(url, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, body: /json/.test(reply.headers.get('content-type') ?? '') ? JSON.parse(text) : text }
}

const NEXT = { 'understudy-world': 'next' }

test('a world on another contract is served beside the default one, by a header and by a base path', async () => {
  const { url, control } = await serve()
  const origin = new URL(url).origin
  assert.deepEqual((await send(`GET ${origin}/books`)).body, [
    { id: 'a', title: 'Emma', shelf: 'x', year: '1815' },
    { id: 'b', title: 'Persuasion', year: 'unknown' },
  ])
  const books = await send(`GET ${origin}/v2/books`, undefined, NEXT)
  assert.deepEqual(books.body, [{ id: 'a', title: 'Emma', year: 1815, pageCount: 0 }])
  for (const path of ['/~next/v2/books', '/v2/~next/books']) {
    assert.deepEqual((await send(`GET ${origin}${path}`)).body, books.body, path)
  }
  assert.equal((await send(`GET ${origin}/v2/authors`, undefined, NEXT)).status, 200)
  assert.equal((await send(`GET ${origin}/authors`)).status, 404)
  assert.equal((await send(`POST ${origin}/books`, { id: 'c', title: 'Sanditon' })).status, 201)
  assert.equal((await send(`POST ${origin}/v2/books`, { id: 'c', title: 'Sanditon' }, NEXT)).status, 400)
  assert.equal((await send(`POST ${origin}/v2/books`, { id: 'd', title: 'Sanditon', pageCount: 1 }, NEXT)).status, 201)
  assert.equal((await send(`GET ${origin}/books/d`)).status, 404)
  const listed = (await send(`GET ${control}/worlds`)).body as { name: string; permanent: boolean }[]
  assert.deepEqual(
    listed.map(({ name, permanent }) => [name, permanent]),
    [
      ['default', true],
      ['next', true],
    ],
  )
})

test('a world on another contract keeps its records over a reload, and takes a reset, a snapshot and a fork', async () => {
  const { url, control } = await serve()
  const origin = new URL(url).origin
  const count = async () => (await send(`GET ${origin}/v2/books`, undefined, NEXT)).body.length
  await send(`POST ${origin}/v2/books`, { id: 'd', title: 'Sanditon', pageCount: 1 }, NEXT)
  assert.equal((await send(`POST ${control}/reload`)).status, 200)
  assert.equal(await count(), 2)
  const snapshot = (await send(`GET ${control}/worlds/next/snapshot`)).body
  assert.equal((await send(`POST ${control}/worlds/next/reset`)).status, 204)
  assert.equal(await count(), 1)
  assert.equal((await send(`PUT ${control}/worlds/next/snapshot`, snapshot)).status, 204)
  assert.equal(await count(), 2)
  assert.equal((await send(`POST ${control}/worlds`, { name: 'fork', from: 'next' })).status, 201)
  assert.equal((await send(`GET ${origin}/books`, undefined, { 'understudy-world': 'fork' })).body.length, 2)
  assert.equal((await send(`DELETE ${control}/worlds/next`)).status, 409)
  assert.equal((await send(`GET ${control}/worlds/next/collections/books`)).body.length, 2)
})

test('a broken contract of a world changes nothing, and all of its mistakes are reported', async () => {
  const { url, control } = await serve()
  const origin = new URL(url).origin
  write('next.json', '{"openapi": "3.1.0", "info": [')
  const refused = await send(`POST ${control}/reload`)
  assert.equal(refused.status, 422)
  assert.match(JSON.stringify(refused.body), /next\.json/)
  assert.equal((await send(`GET ${origin}/v2/books`, undefined, NEXT)).status, 200)
  write('next.json', { ...next, servers: [{ url: '/v3' }] })
  assert.equal((await send(`POST ${control}/reload`)).status, 200)
  assert.equal((await send(`GET ${origin}/v3/books`, undefined, NEXT)).status, 200)
  assert.equal((await send(`GET ${origin}/v2/books`, undefined, NEXT)).status, 404)
})

test('a world is given a contract while it is under load, and it is taken back', async () => {
  const { url, control } = await serve(FILE.replace(/worlds:.*\n/, ''))
  const origin = new URL(url).origin
  assert.equal((await send(`POST ${origin}/~next/books`, { id: 'c', title: 'Sanditon' })).status, 201)
  const given = await send(`PUT ${control}/worlds/next/contract`, next)
  assert.equal(given.status, 200, JSON.stringify(given.body))
  assert.match(JSON.stringify(given.body), /in the world next: /)
  assert.equal((await send(`GET ${origin}/v2/books/c`, undefined, NEXT)).body.title, 'Sanditon')
  let stop = false
  const statuses = new Set<number>()
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!stop) statuses.add((await send(`GET ${origin}/v2/books`, undefined, NEXT)).status)
    }),
  )
  for (const title of ['one', 'two', 'three']) {
    const changed = { ...next, info: { title, version: '2' } }
    assert.equal((await send(`PUT ${control}/worlds/next/contract`, changed)).status, 200)
  }
  stop = true
  await load
  assert.deepEqual([...statuses], [200])
  assert.equal((await send(`POST ${control}/reload`)).status, 200)
  assert.equal((await send(`GET ${origin}/v2/authors`, undefined, NEXT)).status, 200)
  const broken = await send(`PUT ${control}/worlds/next/contract`, 'openapi: 4.0.0\npaths: {}\n')
  assert.equal(broken.status, 422)
  assert.match(JSON.stringify(broken.body), /OpenAPI 4\.0\.0 is not supported/)
  assert.equal((await send(`GET ${origin}/v2/authors`, undefined, NEXT)).status, 200)
  assert.equal((await send(`DELETE ${control}/worlds/next/contract`)).status, 200)
  assert.equal((await send(`GET ${origin}/v2/authors`, undefined, NEXT)).status, 404)
  assert.equal((await send(`DELETE ${control}/worlds/next/contract`)).status, 404)
})

test('weather and answers for all worlds reach a world on another contract as far as they fit', async () => {
  const { url, control } = await serve()
  const origin = new URL(url).origin
  const both = async () => [
    (await send(`GET ${origin}/books`)).status,
    (await send(`GET ${origin}/v2/books`, undefined, NEXT)).status,
  ]
  const blocks = { operations: { listBooks: { fault: { kind: 'status', status: 503 } } } }
  assert.equal((await send(`PUT ${control}/weather`, blocks)).status, 200)
  assert.deepEqual(await both(), [503, 503])
  assert.equal((await send(`DELETE ${control}/weather`)).status, 204)
  const answer = { operation: 'listBooks', times: 2, respond: { status: 500 } }
  assert.equal((await send(`POST ${control}/answers`, answer)).status, 201)
  assert.deepEqual(await both(), [500, 500])
  const own = { operation: 'listAuthors', respond: { status: 500 } }
  assert.equal((await send(`POST ${control}/worlds/next/answers`, own)).status, 201)
  assert.equal((await send(`GET ${origin}/v2/authors`, undefined, NEXT)).status, 500)
})

test('a contract of --world is watched', async () => {
  write('plain.json', documentOf({ '/books': { get: { operationId: 'listBooks', ...answers(200, object({})) } } }, {}))
  const authors = (more: object = {}) =>
    documentOf({ '/authors': { get: { operationId: 'listAuthors', ...answers(200, object({})) } }, ...more }, {})
  write('tomorrow.json', authors())
  const child = understudy(join(home, 'plain.json'), '--world', `next=${join(home, 'tomorrow.json')}`, ...FREE_PORTS)
  after(() => child.kill('SIGKILL'))
  const origin = await until(() => originOf(child))
  const statusOf = async (path: string) => (await send(`GET ${origin}${path}`, undefined, NEXT)).status
  assert.deepEqual([await statusOf('/authors'), await statusOf('/books')], [200, 404])
  write('tomorrow.json', authors({ '/poems': { get: { operationId: 'listPoems', ...answers(200, object({})) } } }))
  await until(async () => (await statusOf('/poems')) === 200)
})
