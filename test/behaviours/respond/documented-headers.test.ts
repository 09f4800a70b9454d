// The headers that a contract documents, on replies with records, on refusals and on fixed replies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDiagnostics } from '../../../src/kernel/report.ts'
import { CONTRACT, OPERATIONS, simulate } from '../../simulate.ts'
import { driving, inferFrom, load } from '../../support/in-process.ts'

const TRACE = 'X-Trace: { required: true, schema: { type: string } }'
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`
const WORKS = `
openapi: 3.0.3
info: { title: H, version: "1" }
paths:
  /w:
    get:
      parameters: [{ name: page, in: query, schema: { type: integer } }, { name: limit, in: query, schema: { type: integer } }]
      responses: { "200": { description: ok, headers: { X-Total-Count: { required: true, schema: { type: integer } }, X-Next-Page: { schema: { type: string } }, Link: { schema: { type: string } }, Cache-Control: { schema: { type: string, example: max-age=60 } }, Content-Length: { required: true, schema: { type: integer } }, ${TRACE} }, ${json('{ type: array, items: { $ref: "#/components/schemas/W" } }')} } }
    post:
      requestBody: { required: true, ${json('{ $ref: "#/components/schemas/W" }')} }
      responses:
        "201": { description: ok, headers: { Location: { schema: { type: string, format: uri } }, ${TRACE} }, ${json('{ $ref: "#/components/schemas/W" }')} }
        "400": { description: bad, headers: { X-Reason: { schema: { type: string, example: spelling } } } }
  /w/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { responses: { "200": { description: ok, headers: { ETag: { schema: { type: string } }, ${TRACE} }, ${json('{ $ref: "#/components/schemas/W" }')} }, "404": { description: no, headers: { ${TRACE} } } } }
    put: { requestBody: { required: true, ${json('{ $ref: "#/components/schemas/W" }')} }, responses: { "200": { description: ok, headers: { ETag: { schema: { type: string } } }, ${json('{ $ref: "#/components/schemas/W" }')} } } }
    delete: { responses: { "204": { description: gone, headers: { ${TRACE} } } } }
components: { schemas: { W: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, n: { type: string } } } } }
`

test('every reply of a resource has the headers that its operation documents', async () => {
  const { send } = driving(await inferFrom(WORKS))
  for (const line of ['GET /w', 'GET /w/1', 'GET /w/99', 'GET /w/none', 'DELETE /w/2']) {
    assert.match((await send(line)).headers['x-trace'] ?? '', /./, line)
  }
  const created = await send('POST /w', { n: 'x' }, { host: 'api.test' })
  const { id } = created.body as { id: number }
  assert.match(created.headers['x-trace'] ?? '', /./)
  assert.equal(created.headers.location, `http://api.test/w/${id}`)
  assert.equal((await send('POST /w', { n: 1 })).headers['x-reason'], 'spelling')
})

test('headers of a list are those of its collection and its pages', async () => {
  const { send } = driving(await inferFrom(WORKS))
  const total = ((await send('GET /w')).body as unknown[]).length
  const first = (await send('GET /w?limit=2')).headers
  assert.deepEqual(
    [first['x-total-count'], first['x-next-page'], first['cache-control']],
    [`${total}`, '2', 'max-age=60'],
  )
  assert.match(first.link ?? '', /<\/w\?limit=2&page=2>; rel="next"/)
  assert.equal(first['content-length'], undefined)
  await send('DELETE /w/2')
  const last = (await send('GET /w?limit=100&page=1')).headers
  assert.equal(last['x-total-count'], `${total - 1}`)
  assert.doesNotMatch(last.link ?? '', /rel="next"/)
})

test('a documented header without a meaning is the same for a record each time, and an entity tag changes with it', async () => {
  const { send } = driving(await inferFrom(WORKS))
  const { headers } = await send('GET /w/1')
  assert.deepEqual((await send('GET /w/1')).headers, headers)
  assert.notEqual((await send('GET /w/2')).headers['x-trace'], headers['x-trace'])
  const changed = await send('PUT /w/1', { n: 'changed' })
  assert.notEqual(changed.headers.etag, headers.etag)
  assert.equal((await send('GET /w/1')).headers.etag, changed.headers.etag)
})

const DOCUMENTED = CONTRACT.replace(
  '200: { description: Fine, content: { application/json: { schema: { $ref: "#/components/schemas/Things" } } } }',
  `200: { description: Fine, headers: { ${TRACE} }, content: { application/json: { schema: { $ref: "#/components/schemas/Things" } } } }`,
)

test('a fixed reply has the headers that it is written with, and what it lacks is reported', async () => {
  const respond = (headers: string) =>
    `${DOCUMENTED}operations: ${OPERATIONS.replace('{ list: things }', `{ status: 200, body: [], headers: ${headers} }`)}`
  const lacking = load(respond('{}'))
  assert.match(formatDiagnostics(lacking.report.list), /missing-header.*requires the header X-Trace/)
  const { send } = driving(lacking)
  assert.deepEqual((await send('GET /things')).headers, { 'content-type': 'application/json' })
  assert.doesNotMatch(formatDiagnostics(load(respond('{ x-trace: a }')).report.list), /missing-header/)
})

test('validate.replies reports a header that the contract requires, or whose value it does not allow', async () => {
  const warningOf = async (headers: string): Promise<string | undefined> => {
    const list = `{ validate: { replies: warn }, respond: { status: 200, body: [], headers: ${headers} } }`
    const loaded = load(`${DOCUMENTED}operations: ${OPERATIONS.replace('{ respond: { list: things } }', list)}`)
    return (await driving(loaded).send('GET /things')).headers['understudy-warning']
  }
  assert.match((await warningOf('{}')) ?? '', /answered 200 without the header X-Trace, which is required/)
  assert.equal(await warningOf('{ X-Trace: a }'), undefined)
})

test('a contract that documents no headers has replies without any', async () => {
  const { ask } = simulate(`operations: ${OPERATIONS}`)
  assert.deepEqual((await ask('GET /things')).headers, { 'content-type': 'application/json' })
})
