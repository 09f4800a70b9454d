// Refusals of operations that document `default` and no success: they match its schema, since it is documented for them too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { inProcess } from '../../support/in-process.ts'
import { closed, listOf, text } from './refusal-of.ts'

/** Sends a request without its required query parameter to an operation whose only response is this `default`. */
async function refused(content: Readonly<Record<string, unknown>>) {
  const id = { name: 'id', in: 'query', required: true, schema: { type: 'string' } }
  const get = { parameters: [id], responses: { default: { description: 'Done', content } } }
  const contract = { openapi: '3.1.0', info: { title: 'People', version: '1' }, paths: { '/people': { get } } }
  const { send } = inProcess({ 'openapi.yaml': stringify(contract) })
  return send('GET /people')
}

const WHY = 'query parameter id is required'

test('a field for messages has the reason', async () => {
  const schema = { type: 'object', properties: { message: text } }
  const example = { message: 'a private key is required' }
  const { status, headers, body } = await refused({ 'application/json': { schema, example } })
  assert.deepEqual([status, headers['content-type'], body], [400, 'application/json', { message: WHY }])
})

test('the fields of a record have no text about the mistake, which is in a header', async () => {
  const schema = { type: 'object', properties: { id: { type: 'integer' }, username: text } }
  const { headers, body } = await refused({ 'application/json': { schema } })
  assert.deepEqual([headers['content-type'], body], ['application/json', {}])
  assert.equal(headers['understudy-problem'], WHY)
})

test('required fields of a record are there', async () => {
  const { body } = await refused({ 'application/json': { schema: closed({ id: { type: 'integer' } }) } })
  assert.equal(typeof (body as { id: unknown }).id, 'number')
})

test('a list is a list', async () => {
  const { status, headers, body } = await refused({ 'application/json': { schema: listOf(closed({ id: text })) } })
  assert.deepEqual([status, headers['content-type']], [400, 'application/json'])
  assert.ok(Array.isArray(body))
})
