// Refusals of a request for a record that does not exist, where errors are documented by field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { inProcess } from '../../support/in-process.ts'
import { closed, listOf, text } from './refusal-of.ts'

const THING = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: text } }
const WHY = 'there is no record 9 in things'

/** Sends a request for a record whose 404 has this content. */
async function missing(content: unknown, line = 'GET /things/9'): Promise<unknown> {
  const contract = {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: {
          operationId: 'getThing',
          responses: {
            200: { description: 'Fine', content: { 'application/json': { schema: THING } } },
            404: { description: 'None', content: { 'application/json': content } },
          },
        },
      },
    },
    components: { schemas: { Thing: THING } },
  }
  const configuration = {
    contract: './openapi.yaml',
    resources: { things: { schema: 'Thing', seed: [{ id: 1 }] } },
    operations: { getThing: { respond: { read: 'things' } } },
  }
  const { send } = inProcess({ 'gateway.yaml': stringify(configuration), 'openapi.yaml': stringify(contract) })
  return (await send(line)).body
}

const mapOf = (values: unknown) => ({ type: 'object', additionalProperties: values })
const errors = (values: unknown) => ({ schema: closed({ errors: values }) })

test('the documented example of a 404 names what is not found', async () => {
  const content = { ...errors(mapOf(listOf(text))), example: { errors: { resource: ['not found'] } } }
  assert.deepEqual(await missing(content), { errors: { resource: [WHY] } })
  assert.deepEqual(await missing(content, 'GET /things/nine'), {
    errors: { resource: ['path parameter id must be an integer'] },
  })
  const whole = { schema: mapOf(listOf(text)), example: { resource: ['not found'] } }
  assert.deepEqual(await missing(whole), { resource: [WHY] })
})

for (const [what, values, written] of [
  ['lists of texts', mapOf(listOf(text)), { request: [WHY] }],
  ['texts', mapOf(text), { request: WHY }],
  [
    'lists of objects',
    mapOf(listOf(closed({ message: text, code: text }))),
    { request: [{ message: WHY, code: 'not_found' }] },
  ],
  [
    'lists of texts, with a name for general ones',
    { type: 'object', properties: { base: listOf(text), name: listOf(text) } },
    { base: [WHY] },
  ],
] as const) {
  test(`a refusal without a field is told in a map of ${what}`, async () => {
    assert.deepEqual(await missing(errors(values)), { errors: written })
  })
}
