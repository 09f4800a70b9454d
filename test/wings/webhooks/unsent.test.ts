import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadAnew } from '../../support/in-process.ts'

const operation = (id: string) => `
    post:
      operationId: ${id}
      callbacks:
        done: { "{$request.body#/url}": { post: { responses: { 200: { description: ok } } } } }
      responses: { 200: { description: ok } }`

const warnings = (more: string, gateway = '') => {
  const { report } = loadAnew({
    'gateway.yaml': `contract: ./openapi.yaml\n${gateway}`,
    'openapi.yaml': `openapi: 3.1.0\ninfo: { title: Calls, version: "1" }\npaths:\n  /free: { get: { responses: { 200: { description: ok } } } }${more}`,
  })
  return report.list.flatMap(({ code, message }) => (code === 'unsent-request' ? [message] : []))
}

test('callbacks and webhooks are warned of once in a document', () => {
  const calls = `\n  /a:${operation('a')}\n  /b:${operation('b')}`
  const hooks = '\nwebhooks: { paid: { post: { responses: { 200: { description: ok } } } } }'
  assert.deepEqual(warnings(calls), ['the callbacks of this contract are not sent'])
  assert.deepEqual(warnings(calls + hooks), ['the callbacks and webhooks of this contract are not sent'])
  assert.deepEqual(warnings(hooks), ['the webhooks of this contract are not sent'])
  assert.deepEqual(warnings(''), [])
  assert.deepEqual(warnings(calls, 'webhooks: { a.done: { on: { operation: a }, to: http://localhost:1/ } }'), [])
})
