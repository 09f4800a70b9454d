import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../support/in-process.ts'

const contract = `
openapi: 3.1.0
info: { title: Books, version: "1" }
paths:
  /books:
    get: { operationId: listBooks, x-stability: beta, responses: { "204": { description: None } } }
    post: { operationId: createBook, responses: { "204": { description: None } } }
`
const books = (defaults = '{}') =>
  inProcess({ 'gateway.yaml': `{ contract: ./openapi.yaml, defaults: ${defaults} }`, 'openapi.yaml': contract })

test('replies and refusals have X-Stability', async () => {
  const { send } = books()
  assert.equal((await send('GET /books')).headers['x-stability'], 'beta')
  const refused = await send('GET /books', undefined, { prefer: 'code=abc' })
  assert.equal(refused.status, 400)
  assert.equal(refused.headers['x-stability'], 'beta')
})

test('an operation without x-stability has no X-Stability', async () => {
  assert.equal((await books().send('POST /books')).headers['x-stability'], undefined)
})

test('`stability: false` switches X-Stability off', async () => {
  assert.equal((await books('{ stability: false }').send('GET /books')).headers['x-stability'], undefined)
})
