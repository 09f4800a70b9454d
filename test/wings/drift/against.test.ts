import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import { inProcess } from '../../../src/kernel/in-process.ts'
import type { Plan } from '../../../src/plan/plan.ts'
import { type AskUpstream, checkAgainst } from '../../../src/wings/drift/against.ts'
import { compareRecorded } from '../../../src/wings/drift/recorded.ts'
import { createRunner } from '../../../src/wings/probe/runner.ts'
import { differencesOf, noReply } from '../../../src/wings/project/differences.ts'
import type { RecordedExchange } from '../../../src/wings/project/har.ts'
import { load } from '../../support/in-process.ts'

const BOOKS = `
contract:
  openapi: 3.1.0
  info: { title: Books, version: '1' }
  paths:
    /books:
      get:
        operationId: listBooks
        responses: { 200: { description: ok, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } } } }
      post:
        operationId: createBook
        requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
        responses:
          201: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
          400: { description: no }
    /books/{bookId}:
      parameters: [{ name: bookId, in: path, required: true, schema: { type: integer } }]
      get:
        operationId: getBook
        responses: { 200: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }, 404: { description: no } }
      put:
        operationId: replaceBook
        requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }
        responses: { 200: { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } } }, 400: { description: no } }
      DELETE
  components:
    schemas: { Book: { type: object, required: [title], properties: { id: { type: integer, readOnly: true }, title: { type: string } } } }
resources:
  books: { schema: Book, seed: [{ id: 1, title: Dune }, { id: 2, title: Emma }] }
operations:
  listBooks: { respond: { list: books } }
  createBook: { respond: { create: books } }
  getBook: { respond: { read: books } }
  replaceBook: { respond: { replace: books } }
`
const DELETION = 'delete: { operationId: deleteBook, responses: { 204: { description: gone } } }'

function planned(deletes: boolean): Plan {
  const text = BOOKS.replace('DELETE', deletes ? DELETION : '')
  const { plan, report } = load(deletes ? `${text}  deleteBook: { respond: { delete: books } }\n` : text)
  assert.ok(plan, JSON.stringify(report.list))
  return plan
}

/** A server in process, and the requests that reached it. */
function serverOf(plan: Plan) {
  const runner = createRunner(plan)
  const world = runner.newWorld()
  const seen: string[] = []
  const ask: AskUpstream = async ({ method, path, query, headers, text }) => {
    const { reply } = await runner.send(inProcess({ method, path, query, headers, body: text || undefined }), world)
    seen.push(`${method} ${path} ${reply.status}`)
    return reply
  }
  return { ask, seen, records: () => world.collections.get('books')?.size }
}

const options = { consumer: undefined, writes: false, now: () => 0 }

test('without permission to write it only reads', async () => {
  const plan = planned(true)
  const { ask, seen } = serverOf(plan)
  const { book } = await checkAgainst(plan, new Diagnostics(), { ...options, ask })
  assert.deepEqual(seen, ['GET /books 200', 'GET /books/1 200', 'GET /books/2000000011 404'])
  assert.deepEqual(book.list(), [])
})

test('with it, it changes only the records that it made, and deletes them', async () => {
  const plan = planned(true)
  const { ask, seen } = serverOf(plan)
  const report = new Diagnostics()
  const { book } = await checkAgainst(plan, report, { ...options, ask, writes: true })
  const writes = seen.filter(one => !one.startsWith('GET'))
  assert.deepEqual([book.list(), report.list], [[], []])
  assert.ok(writes.includes('PUT /books/3 200') && writes.includes('DELETE /books/3 204'), writes.join('\n'))
  assert.deepEqual(
    writes.filter(one => /books\/[12] /.test(one)),
    [],
  )
})

test('a record that nothing deletes is named', async () => {
  const plan = planned(false)
  const report = new Diagnostics()
  await checkAgainst(plan, report, { ...options, ask: serverOf(plan).ask, writes: true })
  const [one] = report.list
  assert.deepEqual(
    [one?.code, one?.message],
    ['left-behind', 'createBook made the record 3, which could not be deleted'],
  )
})

const GUARDED = `
contract:
  openapi: 3.1.0
  info: { title: Guarded, version: '1' }
  components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
  paths:
    /a: { get: { operationId: getA, security: [{ key: [] }], responses: { 200: { description: ok }, 401: { description: no } } } }
    /b: { get: { operationId: getB, security: [{ key: [] }], responses: { 200: { description: ok }, 401: { description: no } } } }
    /login:
      post:
        operationId: login
        requestBody: { required: true, content: { application/json: { schema: { type: object, required: [user, password], properties: { user: { type: string }, password: { type: string } } } } } }
        responses: { 200: { description: ok }, 400: { description: no }, 401: { description: no } }
    /open: { post: { operationId: open, requestBody: { content: { application/json: { schema: { type: object } } } }, responses: { 200: { description: ok }, 401: { description: no } } } }
`

/** Checks a server that answers everything with 401. */
async function checkDenying(consumers: string, consumer?: string) {
  const { plan, report: mistakes } = load(GUARDED + consumers)
  assert.ok(plan, JSON.stringify(mistakes.list))
  const report = new Diagnostics()
  const ask: AskUpstream = async () => ({ status: 401, headers: {}, body: '' })
  const { book } = await checkAgainst(plan, report, { ...options, ask, writes: true, consumer })
  return {
    told: report.list.map(({ message, hint }) => `${message} = ${hint}`),
    wrong: book.list().map(({ kind, operation }) => `${kind} ${operation}`),
  }
}

test('operations that need a credential are told in one warning, with the option that helps', async () => {
  const login = 'login was not compared: it was answered 401, as made-up credentials have to be = call it yourself'
  const closed = 'not compared, because they refuse requests without a credential: getA, getB'
  const { told } = await checkDenying('consumers: { ann: { key: a-key } }')
  assert.deepEqual(told, [`${closed} = name a consumer with --as`, login])
  const without = await checkDenying('')
  assert.deepEqual(without.told, [`${closed} = write a consumer under "consumers", and name it with --as`, login])
  const named = await checkDenying('consumers: { ann: { key: a-key } }', 'ann')
  assert.deepEqual(
    named.told.filter(line => line !== login),
    ['getA', 'getB'].map(
      id => `${id} was not compared: it was answered 401 with the credential of ann = name another consumer with --as`,
    ),
  )
})

test('a log-in that refuses made-up credentials is no difference, another operation that does is', async () => {
  const { wrong } = await checkDenying('')
  assert.deepEqual(wrong, ['wrong-status open'])
})

test('a server that does not reply is asked three times', async () => {
  let asked = 0
  const report = new Diagnostics()
  const ask: AskUpstream = async () => {
    asked += 1
    return noReply('connect ECONNREFUSED')
  }
  const plan = planned(true)
  const { book } = await checkAgainst(plan, report, { ...options, ask, writes: true })
  assert.equal(asked, 3)
  assert.equal(report.list.at(-1)?.code, 'not-checked')
  assert.ok(book.list().every(({ kind, upstream }) => kind === 'no-reply' && upstream === 'connect ECONNREFUSED'))
})

test('a header of another type, and a missing body', () => {
  const { plan } = load(`
contract:
  openapi: 3.1.0
  info: { title: A, version: '1' }
  paths:
    /a:
      get:
        operationId: a
        responses:
          200: { description: ok, headers: { X-Left: { schema: { type: integer } } }, content: { application/json: {} } }
`)
  const operation = plan?.operations[0]?.operation
  assert.ok(plan && operation)
  const request = { method: 'GET', path: '/a', query: '' }
  const kinds = (headers: Record<string, string>, body?: string) =>
    differencesOf(operation, request, { status: 200, headers, body }, plan.contract).map(({ kind }) => kind)
  const json = { 'content-type': 'application/json' }
  assert.deepEqual(kinds({ ...json, 'x-left': 'many' }, '1'), ['invalid-header'])
  assert.deepEqual(kinds({ ...json, 'x-left': '12' }), ['missing-body'])
})

test('recorded requests that match no operation are counted', async () => {
  const plan = planned(true)
  const report = new Diagnostics()
  async function* exchanges() {
    const message = { headers: {}, body: undefined, isPartial: false }
    const one = { at: 0, latency: 1, method: 'GET', origin: 'http://a', query: '', request: message }
    const reply = { ...message, status: 203, isPartial: true }
    for (const path of ['/films', '/books']) yield { ...one, path, reply } as unknown as RecordedExchange
  }
  const { book, compared } = await compareRecorded(exchanges(), plan, report, 'a.har')
  assert.equal(compared, 1)
  assert.deepEqual(
    report.list.map(({ code, message }) => [code, message]),
    [
      ['unmatched-requests', 'recorded requests that match no operation: 1'],
      ['not-checked', 'the recording has no body of 1 of 1 replies; their status and headers were compared'],
    ],
  )
  const [finding] = book.list()
  assert.equal(finding?.kind, 'undocumented-status')
  assert.deepEqual([finding?.contract, finding?.standIn, finding?.upstream], ['200', '200', '203'])
})

test('a server that ignores an enumeration, a required field, a direction or its own cursor is found; a true one is not', async () => {
  const json = (schema: string) => `{ description: ok, content: { application/json: { schema: ${schema} } } }`
  const { plan } = load(`
contract:
  openapi: 3.1.0
  info: { title: A, version: '1' }
  paths:
    /notes:
      get:
        operationId: listNotes
        parameters:
          - { name: state, in: query, schema: { type: string, enum: [open, closed] } }
          - { name: sort, in: query, schema: { type: string, enum: [id, -id] } }
          - { name: limit, in: query, schema: { type: integer } }
          - { name: cursor, in: query, schema: { type: string } }
        responses:
          200: ${json('{ type: object, properties: { items: { type: array, items: { type: object, properties: { id: { type: integer } } } }, next: { type: [string, "null"] } } }')}
          400: { description: no }
      post:
        operationId: createNote
        requestBody: { required: true, content: { application/json: { schema: { type: object, required: [text, pin], properties: { text: { type: string }, pin: { type: integer, writeOnly: true } } } } } }
        responses:
          201: ${json('{ type: object, required: [text], properties: { id: { type: integer }, text: { type: string }, pin: { type: integer, writeOnly: true } } }')}
          400: { description: no }
    /notes/{id}:
      delete: { operationId: deleteNote, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 204: { description: gone } } }
`)
  assert.ok(plan)
  /** @param lies whether it does what no contract says */
  const server = (lies: boolean): AskUpstream => {
    const answer = (status: number, body?: unknown) => ({
      ...{ status, headers: { 'content-type': 'application/json' } },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    return async ({ method, query, text }) => {
      if (method === 'DELETE') return answer(204)
      const { state, sort, limit = '3', cursor = '0' } = Object.fromEntries(new URLSearchParams(query))
      if (method === 'POST') {
        const sent = text.startsWith('{') && text.endsWith('}') ? JSON.parse(text) : undefined
        if (sent?.pin === undefined || (sent.text === undefined && !lies)) return answer(400)
        return answer(201, { id: 7, text: 'one', ...(lies ? { pin: sent.pin } : {}) })
      }
      if (!/^\d+$/.test(limit) || (state !== undefined && !/^(?:open|closed)$/.test(state) && !lies)) return answer(400)
      if (!/^(?:id|-id|undefined)$/.test(String(sort))) return answer(400)
      const ids = sort === '-id' && !lies ? [3, 2, 1] : [1, 2, 3]
      const [from, end] = [Number(cursor), Number(cursor) + Number(limit)]
      const next = lies ? cursor : String(end)
      return answer(200, { items: ids.slice(from, end).map(id => ({ id })), next: end < ids.length ? next : null })
    }
  }
  const found = async (lies: boolean) => {
    const { book } = await checkAgainst(plan, new Diagnostics(), { ...options, ask: server(lies), writes: true })
    return book.list().map(({ operation, kind, contract, where }) => `${operation} ${kind} ${where}: ${contract}`)
  }
  assert.deepEqual((await found(true)).sort(), [
    'createNote forbidden-field /pin: is writeOnly',
    'createNote wrong-status status: refuses a request whose body lacks text',
    'listNotes wrong-next-link /next: the next page',
    'listNotes wrong-order /items: sorted by id, descending',
    'listNotes wrong-status status: refuses a request whose query parameter state is "nonsense"',
  ])
  assert.deepEqual(await found(false), [])
})
