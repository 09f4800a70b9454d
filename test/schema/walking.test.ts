// Checks of an inference walk a schema instead of compiling it. Both give the same result.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadFiles } from '../support/in-process.ts'

const BOATS = `
openapi: 3.0.3
info: { title: Boats, version: '1' }
paths: { /boats: { get: { responses: { '200': { description: All. } } } } }
components:
  schemas:
    Boat:
      type: object
      required: [name, engine]
      properties:
        name: { type: string, pattern: '^[A-Z]' }
        crew: { type: integer, format: int64, maximum: 9007199254740993 }
        engine: { oneOf: [{ $ref: '#/components/schemas/Sail' }, { $ref: '#/components/schemas/Motor' }] }
    Sail: { type: object, required: [masts], properties: { masts: { type: integer } }, additionalProperties: false }
    Motor: { type: object, required: [power], properties: { power: { type: number } }, additionalProperties: false }
`

const schema = () => {
  const { contract } = loadFiles({ 'boats.yaml': BOATS, 'gateway.yaml': 'contract: ./boats.yaml\n' }).plan ?? {}
  const boat = contract?.schemas.get('Boat')
  assert.ok(contract && boat)
  return { contract, boat }
}

for (const [what, value] of Object.entries({
  'a value that fits': { name: 'Ann', engine: { masts: 2 } },
  'a value that fits no branch': { name: 'Ann', engine: { masts: 'two' } },
  'a value without a field': { engine: { power: 1.5 } },
  'a text that breaks its pattern': { name: 'ann', engine: { power: 1.5 } },
  'a number that no double holds': { name: 'Ann', engine: { masts: 2 }, crew: 9007199254740995n },
  nothing: undefined,
})) {
  test(`${what} is validated alike while schemas are walked`, async () => {
    const walked = schema()
    const found = await walked.contract.walking(async () => walked.boat.check(value, true))
    const violations = (all: typeof found) => all?.map(({ pointer, message }) => `${pointer} ${message}`)
    assert.deepEqual(violations(found), violations(schema().boat.check(value, true)))
  })
}

test('schemas are compiled again after the work, even if it fails', async () => {
  const { contract, boat } = schema()
  await assert.rejects(
    contract.walking(() => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(boat.check({ name: 'Ann', engine: { masts: 1 } }), undefined)
  assert.ok(boat.check({}))
})
