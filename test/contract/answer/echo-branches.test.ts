// The reply of an operation whose request and reply are one of several things: it is the one that was sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcess } from '../../support/in-process.ts'

const CARD =
  '{ type: object, required: [object, number, cvc], properties: { object: { const: card }, number: { type: string }, cvc: { type: string, writeOnly: true } } }'
const BANK =
  '{ type: object, required: [object, number, sort_code], properties: { object: { const: bank_account }, number: { type: string }, sort_code: { type: string }, made: { type: string, readOnly: true } } }'
const both = (schema: string, examples = '') =>
  `post: { requestBody: { required: true, content: { application/json: { schema: ${schema} } } }, responses: { "200": { description: ok, content: { application/json: { schema: ${schema}${examples} } } } } }`
const within = '{ type: object, properties: { source: { $ref: "#/components/schemas/Source" } } }'
const CARD_EXAMPLE = '{ source: { object: card, number: "4242", cvc: "123" } }'
const BANK_EXAMPLE = '{ source: { object: bank_account, number: "0001", sort_code: "12", made: today } }'

const { send } = inProcess({
  'openapi.yaml': `openapi: 3.1.0
info: { title: Payments, version: "1" }
paths:
  /examples: { ${both(within, `, examples: { card: { value: ${CARD_EXAMPLE} }, bank: { value: ${BANK_EXAMPLE} } }`)} }
  /example: { ${both(within, `, example: ${CARD_EXAMPLE}`)} }
  /generated: { ${both(within)} }
  /closed: { ${both('{ $ref: "#/components/schemas/Closed" }')} }
components:
  schemas:
    Source: { oneOf: [${CARD}, ${BANK}] }
    Closed: { oneOf: [{ type: object, additionalProperties: false, required: [a], properties: { a: { type: integer } } }, { type: object, additionalProperties: false, required: [b], properties: { b: { type: string } } }] }
`,
})

const bank = { object: 'bank_account', number: '7', sort_code: '8' }

test('the example of the branch that was sent is chosen, and has what was sent', async () => {
  assert.deepEqual((await send('POST /examples', { source: bank })).body, { source: { ...bank, made: 'today' } })
})

test('the branch that was sent is generated where no example takes it', async () => {
  for (const path of ['/example', '/generated']) {
    const { body } = await send(`POST ${path}`, { source: bank })
    const { made: _, ...source } = (body as { source: Record<string, unknown> }).source
    assert.deepEqual(source, bank, path)
  }
})

test('a request that takes no branch gets the first example', async () => {
  assert.deepEqual((await send('POST /examples', {})).body, { source: { object: 'card', number: '4242' } })
})

test('a property that only requests have is in no reply, in a branch too', async () => {
  for (const path of ['/examples', '/example', '/generated']) {
    const { body } = await send(`POST ${path}`, { source: { object: 'card', number: '7', cvc: '9' } })
    assert.deepEqual(body, { source: { object: 'card', number: '7' } }, path)
  }
})

test('closed branches without a discriminator are told apart by their properties', async () => {
  assert.deepEqual((await send('POST /closed', { b: 'x' })).body, { b: 'x' })
  assert.deepEqual((await send('POST /closed', { a: 3 })).body, { a: 3 })
})
