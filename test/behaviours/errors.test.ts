import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess, loadFiles } from '../support/in-process.ts'

const contract = `
openapi: 3.1.0
info: { title: Books, version: "1" }
paths:
  /books:
    get:
      operationId: listBooks
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      responses: { "204": { description: None } }
`
const filesOf = (errors: string) => ({
  'gateway.yaml': `{ contract: ./openapi.yaml, errors: ${errors} }`,
  'openapi.yaml': contract,
})

test('a refusal has the shape, the media type and the codes that are configured', async () => {
  const errors =
    '{ body: { error: "${problem.code}", at: "${request.path}", status: "${problem.status}" }, contentType: application/vnd.books+json, codes: { invalid_request: BAD } }'
  const { status, headers, body } = await inProcess(filesOf(errors)).send('GET /books?limit=x')
  assert.equal(status, 400)
  assert.equal(headers['content-type'], 'application/vnd.books+json')
  assert.deepEqual(body, { error: 'BAD', at: '/books', status: 400 })
})

test('a refusal of a path that the contract does not have has the same shape', async () => {
  const { status, body } = await inProcess(filesOf('{ body: { error: "${problem.code}" } }')).send('GET /nothing')
  assert.deepEqual([status, body], [404, { error: 'not_found' }])
})

test('a refusal is problem+json where neither the contract nor the configuration has a shape', async () => {
  const { 'openapi.yaml': document } = filesOf('')
  const files = { 'gateway.yaml': '{ contract: ./openapi.yaml }', 'openapi.yaml': document }
  const { headers } = await inProcess(files).send('GET /books?limit=x')
  assert.equal(headers['content-type'], 'application/problem+json')
})

test('an unknown placeholder is reported at load', () => {
  const { report } = loadFiles(filesOf('{ contentType: "${problem.code}" }'))
  assert.deepEqual(
    report.list.map(({ code }) => code),
    ['unknown-placeholder'],
  )
})
