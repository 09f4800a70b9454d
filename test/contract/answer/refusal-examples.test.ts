import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closed, listOf, refusalOf, text, WHY } from './refusal-of.ts'

test('a refusal replaces only the texts for people of an example', async () => {
  const example = { name: 'UNPROCESSABLE_ENTITY', code: 'E17', message: 'The age is missing', hint: 'see docs' }
  const schema = { type: 'object', properties: { name: text, code: text, message: text, hint: text } }
  const { body } = await refusalOf({ schema, example })
  assert.deepEqual(body, { ...example, message: WHY })
})

test('an example of several statuses gets the code and message of this status', async () => {
  const example = { code: 'NOT_FOUND', status: 404, message: 'No such person' }
  const schema = closed({ code: { enum: ['NOT_FOUND', 'BAD_REQUEST'] }, status: { type: 'integer' }, message: text })
  const { body } = await refusalOf({ schema, example }, 'POST /people?age=x', 'default')
  assert.deepEqual(body, { code: 'BAD_REQUEST', status: 400, message: WHY })
})

test('an error that is an enum gets the nearest of its codes, and the reason is in a header', async () => {
  const error = { enum: ['channel_not_found', 'not_authed', 'invalid_form_data'] }
  const { body, headers } = await refusalOf({ schema: closed({ ok: { type: 'boolean' }, error }) })
  assert.deepEqual(body, { ok: false, error: 'invalid_form_data' })
  assert.equal(headers['understudy-problem'], WHY)
})

test('the type of a problem document is a URI, and that of another problem is not kept', async () => {
  const example = { type: 'https://example.com/errors/conflict', title: 'Conflict', detail: 'Taken', status: 409 }
  const schema = closed({ type: text, title: text, detail: text, status: { type: 'integer' } })
  const { body } = await refusalOf({ schema, example }, 'POST /people?age=x', 'default')
  assert.deepEqual(body, { type: 'about:blank', title: 'Invalid request', detail: WHY, status: 400 })
})

test('the list of errors in an example is replaced by the mistakes of this request', async () => {
  const example = { message: 'Wrong', errors: [{ field: 'email', message: 'is taken' }] }
  const entry = closed({ field: text, message: text }, ['message'])
  const { body } = await refusalOf({ schema: closed({ message: text, errors: listOf(entry) }), example }, 'GET /people')
  assert.deepEqual(body, {
    message: 'query parameter id is required',
    errors: [{ field: 'id', message: 'is required' }],
  })
})

test('the texts for people of an example without a schema are replaced', async () => {
  const { body } = await refusalOf({ example: { error: 'bad', message: 'Wrong' } }, 'GET /people')
  assert.deepEqual(body, { error: 'bad', message: 'query parameter id is required' })
})
