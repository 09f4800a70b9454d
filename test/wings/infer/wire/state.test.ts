// Small documents as real APIs write them: inferred, served, and used over HTTP.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGateway } from '../../../../src/index.ts'
import { inferFile } from '../../../../src/wings/infer/load-inferred.ts'
import { ask } from '../../../wire/ask.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))
let files = 0

/** Serves the configuration that is inferred from a document of these paths and schemas. */
async function serve(paths: string, schemas: string) {
  const name = `api-${++files}`
  writeFileSync(
    join(home, `${name}.yaml`),
    `openapi: 3.0.3\ninfo: { title: t, version: '1' }\npaths:\n${paths}\ncomponents:\n  schemas:\n${schemas}\n`,
  )
  const { inferred } = await inferFile(`${name}.yaml`, home, home, {})
  assert.ok(inferred)
  writeFileSync(join(home, `${name}.gateway.yaml`), inferred)
  const gateway = await startGateway({ config: join(home, `${name}.gateway.yaml`) })
  after(() => gateway.close())
  return (line: string, body?: object) => {
    const [method, path] = line.split(' ') as [string, string]
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
    return ask(gateway.url + path, body === undefined ? { method } : { method, headers, body: JSON.stringify(body) })
  }
}

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`
const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`
const item = (path: string, parameter: string, methods: string) => `
  ${path}/{${parameter}}:
    parameters: [{ in: path, name: ${parameter}, required: true, schema: { type: string } }]
${methods}`

test('a create is completed with the fields of the server', async () => {
  const send = await serve(
    `
  /customers:
    get: { operationId: list, responses: { '200': { description: ok, ${json(`{ type: array, items: ${ref('Customer')} }`)} } } }
    post:
      operationId: create
      requestBody: { required: true, ${json('{ type: object, required: [email], properties: { email: { type: string } } }')} }
      responses: { '201': { description: ok, ${json(ref('Customer'))} } }
${item('/customers', 'id', `    get: { operationId: read, responses: { '200': { description: ok, ${json(ref('Customer'))} }, '404': { description: no } } }`)}`,
    '    Customer: { type: object, required: [id, email, created_at, livemode], properties: { id: { type: string }, email: { type: string }, created_at: { type: string, format: date-time }, livemode: { type: boolean } } }',
  )
  const from = Date.now() - 1000
  const { status, body, headers } = await send('POST /customers', { email: 'a@b.de' })
  assert.equal(status, 201)
  const { id, email, created_at, livemode } = body as Record<string, string>
  assert.deepEqual([email, livemode], ['a@b.de', false])
  assert.ok(Date.parse(String(created_at)) >= from)
  assert.deepEqual((await send(`GET ${headers.location}`)).body, body)
  assert.ok(((await send('GET /customers')).body as { id: string }[]).some(one => one.id === id))
  assert.equal((await send('POST /customers', { name: 'none' })).status, 400)
})

test('wrapped requests are unwrapped, and replies wrapped', async () => {
  const wrapped = json(`{ type: object, required: [tag], properties: { tag: ${ref('Tag')} } }`)
  const send = await serve(
    `
  /tags:
    get: { operationId: list, responses: { '200': { description: ok, ${json(`{ type: object, properties: { tags: { type: array, items: ${ref('Tag')} } } }`)} } } }
    post: { operationId: create, requestBody: { required: true, ${wrapped} }, responses: { '201': { description: ok, ${wrapped} } } }
${item(
  '/tags',
  'id',
  `    get: { operationId: read, responses: { '200': { description: ok, ${wrapped} }, '404': { description: no } } }
    put: { operationId: put, requestBody: { required: true, ${wrapped} }, responses: { '200': { description: ok, ${wrapped} } } }
    patch: { operationId: patch, requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object, properties: { tag: { type: object, properties: { label: { type: string } } } } } } } }, responses: { '200': { description: ok, ${wrapped} } } }`,
)}`,
    '    Tag: { type: object, required: [label], properties: { id: { type: string, readOnly: true }, label: { type: string }, colour: { type: string } } }',
  )
  const { status, body, headers } = await send('POST /tags', { tag: { label: 'x', colour: 'red' } })
  assert.equal(status, 201)
  const { id, ...tag } = (body as { tag: Record<string, string> }).tag
  assert.deepEqual(tag, { label: 'x', colour: 'red' })
  assert.match(String(id), /^[\da-f-]{36}$/)
  assert.deepEqual((await send(`PATCH ${headers.location}`, { tag: { label: 'y' } })).body, {
    tag: { id, ...tag, label: 'y' },
  })
  assert.deepEqual((await send(`PUT ${headers.location}`, { tag: { label: 'z' } })).body, { tag: { id, label: 'z' } })
  assert.equal((await send('POST /tags', { tag: {} })).status, 400)
})

for (const [name, more, status, request] of [
  ['plain', '', 201, ref('Pipe')],
  [
    'with a PUT',
    `\n    put: { operationId: put, requestBody: { required: true, ${json(ref('Pipe'))} }, responses: { '200': { description: ok, ${json(ref('Pipe'))} } } }`,
    201,
    ref('Pipe'),
  ],
  ['answered with 200', '', 200, ref('Pipe')],
  ['extended in the request', '', 201, `{ allOf: [${ref('Pipe')}, { required: [name] }] }`],
] as const) {
  test(`the server assigns a readOnly text id: ${name}`, async () => {
    const send = await serve(
      `
  /pipes:
    get: { operationId: list, responses: { '200': { description: ok, ${json(`{ type: array, items: ${ref('Pipe')} }`)} } } }
    post: { operationId: create, requestBody: { required: true, ${json(request)} }, responses: { '${status}': { description: ok, ${json(ref('Pipe'))} } } }
${item('/pipes', 'pipe_id', `    get: { operationId: read, responses: { '200': { description: ok, ${json(ref('Pipe'))} }, '404': { description: no } } }${more}`)}`,
      '    Pipe: { type: object, required: [name], properties: { id: { type: string, readOnly: true }, name: { type: string } } }',
    )
    const made = await send('POST /pipes', { name: 'a' })
    assert.equal(made.status, status)
    assert.deepEqual(Object.keys(made.body as object), ['id', 'name'])
    assert.deepEqual((await send(`GET ${made.headers.location}`)).body, made.body)
  })
}

test('no seed takes the id of a documented request', async () => {
  const send = await serve(
    `
  /domains:
    get: { operationId: list, responses: { '200': { description: ok, ${json(`{ type: array, items: ${ref('D')} }`)} } } }
    post:
      operationId: create
      requestBody: { required: true, content: { application/json: { schema: ${ref('D')}, example: { name: example.com } } } }
      responses: { '201': { description: ok, ${json(ref('D'))} } }
${item('/domains', 'name', `    get: { operationId: read, responses: { '200': { description: ok, ${json(ref('D'))} }, '404': { description: no } } }`)}`,
    '    D: { type: object, required: [name], properties: { name: { type: string, example: example.com }, ttl: { type: integer } } }',
  )
  assert.ok(((await send('GET /domains')).body as unknown[]).length > 0)
  assert.equal((await send('POST /domains', { name: 'example.com' })).status, 201)
  assert.equal((await send('POST /domains', { name: 'example.com' })).status, 409)
})
