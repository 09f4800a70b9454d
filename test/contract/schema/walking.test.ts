// Checks of an inference or of a large schema walk the schema instead of compiling it. Both give the same result.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { size } from '../../support/cases.ts'
import { loadAnew } from '../../support/in-process.ts'

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
        built: { type: integer, format: int64 }
        engine: { oneOf: [{ $ref: '#/components/schemas/Sail' }, { $ref: '#/components/schemas/Motor' }] }
    Sail: { type: object, required: [masts], properties: { masts: { type: integer } }, additionalProperties: false }
    Motor: { type: object, required: [power], properties: { power: { type: number } }, additionalProperties: false }
`

const schema = () => {
  // Contracts that another test has used have compiled schemas.
  const { contract } = loadAnew({ 'boats.yaml': BOATS, 'gateway.yaml': 'contract: ./boats.yaml\n' }).plan ?? {}
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
  'an integer beyond int64': { name: 'Ann', engine: { masts: 2 }, built: 1e300 },
  'an integer next to the end of int64': { name: 'Ann', engine: { masts: 2 }, built: 9223372036854775808n },
  'the last int64': { name: 'Ann', engine: { masts: 2 }, built: 9223372036854775807n },
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

/** A schema too large to be compiled for one value. */
const FORM = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Forms', version: '1' },
  paths: { '/forms': { get: { responses: { 200: { description: 'All.' } } } } },
  components: {
    schemas: {
      Form: {
        type: 'object',
        required: ['field0'],
        additionalProperties: false,
        properties: Object.fromEntries(
          Array.from({ length: 250 }, (_, i) => [
            `field${i}`,
            {
              type: 'object',
              required: ['value'],
              properties: { value: { type: 'integer', maximum: 2 ** 53 } },
            },
          ]),
        ),
      },
    },
  },
})

for (const [what, value, expected] of [
  ['fits', { field0: { value: 1 }, field249: { value: 2 } }, undefined],
  ['is no object', [], [' must be an object']],
  ['lacks a field', { field1: { value: 1 } }, ['/field0 is required']],
  [
    'breaks one of several fields',
    { field0: { value: 1 }, field7: { value: 'x' } },
    ['/field7/value must be an integer'],
  ],
  ['has an unknown field', { field0: { value: 1 }, field250: 1 }, ['/field250 is not allowed']],
  [
    'has a number that no double holds',
    { field0: { value: 9007199254740995n } },
    ['/field0/value must be at most 9007199254740992'],
  ],
] as const) {
  test(`a large schema tells the mistakes of a value that ${what}, each time`, () => {
    const { contract } = loadAnew({ 'forms.json': FORM, 'gateway.yaml': 'contract: ./forms.json\n' }).plan ?? {}
    const form = contract?.schemas.get('Form')
    for (let time = 0; time < size(20, 60); time++) {
      const found = form?.check(value, true)?.map(({ pointer, message }) => `${pointer} ${message}`)
      assert.deepEqual(found, expected)
    }
  })
}
