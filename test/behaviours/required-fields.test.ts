import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const answers = (statuses: readonly number[]) =>
  `{ ${statuses.map(status => `${status}: { description: It }`).join(', ')} }`

const { send } = inProcess({
  'gateway.yaml': `
contract:
  openapi: 3.1.0
  info: { title: Things, version: "1" }
  components:
    securitySchemes:
      bearer: { type: http, scheme: bearer }
      basic: { type: http, scheme: basic }
      key: { type: apiKey, in: header, name: X-Key }
  paths:
    /things/{id}:
      get: { operationId: getThing, security: [{ bearer: [] }, { basic: [] }], responses: ${answers([200, 401, 405])} }
    /things/{thing}:
      delete: { operationId: deleteThing, security: [{ key: [] }], responses: ${answers([204])} }
    /fixed:
      get: { operationId: getFixed, responses: ${answers([405])} }
      post: { operationId: postFixed, responses: ${answers([200, 405])} }
      put: { operationId: putFixed, security: [{ bearer: [] }], responses: ${answers([200, 401])} }
operations:
  getFixed: { respond: { status: 405 } }
  postFixed: { respond: { status: 405, headers: { Allow: PUT } } }
  putFixed: { authenticate: null, fault: { kind: status, status: 401 } }
`,
})
const bearer = { authorization: 'Bearer ann' }
const CHALLENGES = 'Bearer realm="Things", Basic realm="Things", charset="UTF-8"'

test('a chosen 405 has the methods of the path', async () => {
  const allow = async (line: string, headers: Record<string, string> = {}) => {
    const reply = await send(line, undefined, headers)
    assert.equal(reply.status, 405, line)
    return reply.headers.allow
  }
  assert.equal(await allow('GET /things/1?__code=405', bearer), 'GET, DELETE, HEAD, OPTIONS')
  assert.equal(await allow('DELETE /things/1?__code=405', { 'x-key': 'a' }), 'GET, DELETE, HEAD, OPTIONS')
  assert.equal(await allow('GET /fixed'), 'GET, PUT, POST, HEAD, OPTIONS')
  assert.equal(await allow('PATCH /fixed'), 'GET, PUT, POST, HEAD, OPTIONS')
  assert.equal(await allow('POST /fixed'), 'PUT')
})

test('a chosen 401 has the challenges of the operation', async () => {
  const challenge = async (line: string, headers: Record<string, string> = {}) => {
    const reply = await send(line, undefined, headers)
    assert.equal(reply.status, 401, line)
    return reply.headers['www-authenticate']
  }
  assert.equal(await challenge('GET /things/1'), CHALLENGES)
  assert.equal(await challenge('GET /things/1?__code=401', bearer), CHALLENGES)
  assert.equal(await challenge('PUT /fixed'), 'Bearer realm="Things"')
  const key = 'ApiKey realm="Things", in="header", name="x-key"'
  assert.equal(await challenge('DELETE /things/1?__code=401', { 'x-key': 'a' }), key)
})

test('other chosen statuses need no field', async () => {
  const { headers } = await send('GET /things/1?__code=200', undefined, bearer)
  assert.deepEqual([headers.allow, headers['www-authenticate']], [undefined, undefined])
})
