import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Json, parseJson } from '../../src/kernel/json.ts'
import { isFormat } from '../../src/kernel/schema/keywords.ts'
import { type Schema, Schemas } from '../../src/kernel/schema/schema.ts'
import { size } from '../support/cases.ts'

const faults = (schema: Schema, text: string): string[] => {
  const parsed = parseJson(text)
  assert.ok('value' in parsed)
  const violations = new Schemas().compile(schema)(parsed.value, parsed.exact) ?? []
  return violations.map(({ pointer, message }) => `${pointer || '(root)'} ${message}`)
}

const INT64 = { type: 'integer', format: 'int64' }
const UNION = { anyOf: [{ type: 'string' }, { type: 'object', required: ['a'], properties: { a: INT64 } }] }
const LONG_LIST = Array.from({ length: 10_000 }, (_, i) => i)
const TOO_LONG = `(root) must be one of ${LONG_LIST.slice(0, 200).join(', ')} or one of 9800 others`
for (const [schema, text, expected] of [
  [INT64, '9223372036854775807', []],
  [INT64, '9223372036854775808', ['(root) must be a valid int64']],
  [INT64, '-9223372036854775808', []],
  [INT64, '-9223372036854775809', ['(root) must be a valid int64']],
  [INT64, '1.5', ['(root) must be an integer']],
  [INT64, '"1"', ['(root) must be an integer']],
  [{ type: 'number' }, '9223372036854775808', []],
  [{ minimum: 1, maximum: 100 }, '9007199254740993', ['(root) must be at most 100']],
  [{ minimum: 1, maximum: 100 }, '-9007199254740993', ['(root) must be at least 1']],
  [{ exclusiveMinimum: 0 }, '0', ['(root) must be greater than 0']],
  [{ exclusiveMaximum: 0 }, '0', ['(root) must be less than 0']],
  [{ type: 'string', enum: ['a', 'b'] }, 'null', ['(root) must be a string']],
  [{ type: ['string', 'null'] }, '1', ['(root) must be a string or null']],
  [{ enum: ['a', 1, null] }, '2', ['(root) must be one of "a", 1, null']],
  [{ enum: LONG_LIST }, '9999', []],
  [{ enum: LONG_LIST }, '-0', []],
  [{ enum: LONG_LIST }, '{}', [TOO_LONG]],
  [{ enum: LONG_LIST }, '10000', [TOO_LONG]],
  [{ enum: [...LONG_LIST, { a: [1] }] }, '{"a":[1]}', []],
  [{ enum: [...LONG_LIST, { a: [1] }] }, '5000', []],
  [{ const: 'a' }, '"b"', ['(root) must be "a"']],
  [{ minLength: 1 }, '""', ['(root) must not be empty']],
  [{ multipleOf: 0.01 }, '19.99', []],
  [{ multipleOf: 0.01 }, '123456.78', []],
  [{ multipleOf: 0.1 }, '9.10', []],
  [{ multipleOf: 0.1 }, '-9.3', []],
  [{ multipleOf: 0.01 }, '19.995', ['(root) must be a multiple of 0.01']],
  [{ multipleOf: 0.0001 }, '0.00751', ['(root) must be a multiple of 0.0001']],
  [{ multipleOf: 0.123456789 }, '1e308', ['(root) must be a multiple of 0.123456789']],
  [{ multipleOf: 3 }, '9007199254740990', []],
  [{ multipleOf: 7 }, '8', ['(root) must be a multiple of 7']],
  [{ multipleOf: 1.5 }, '4.5', []],
  [{ minLength: 2 }, '""', ['(root) must have at least 2 characters']],
  [{ maxLength: 2 }, '"🐕🐕🐕"', ['(root) must have at most 2 characters']],
  [{ pattern: '^a$' }, '"b"', ['(root) must match the pattern ^a$']],
  [{ format: 'date' }, '"2026-02-30"', ['(root) must be a valid date']],
  [{ minItems: 1, maxItems: 1 }, '[1,2]', ['(root) must have at most 1 items']],
  [{ uniqueItems: true }, '[1,"1",true,null,[1],{"a":1}]', []],
  [{ uniqueItems: true }, '[{"a":1,"b":2},{"b":2,"a":1}]', ['(root) must not contain duplicate items']],
  [{ uniqueItems: true }, '[1,1.0]', ['(root) must not contain duplicate items']],
  [{ uniqueItems: true }, '[9007199254740992,9007199254740993]', []],
  [{ uniqueItems: true }, '[9007199254740993,9007199254740993]', ['(root) must not contain duplicate items']],
  [
    { properties: { 'a/b': { uniqueItems: true } } },
    '{"a/b":[9007199254740993,9007199254740993.0]}',
    ['/a~1b must not contain duplicate items'],
  ],
  [{ uniqueItems: false }, '[1,1]', []],
  [{ required: ['__proto__'] }, '{}', ['/__proto__ is required']],
  [{ required: ['toString'] }, '{}', ['/toString is required']],
  [{ additionalProperties: false }, '{"a/b":1}', ['/a~1b is not allowed']],
  [{ properties: { a: false } }, '{"a":1}', ['/a is not allowed']],
  [UNION, '1', ['(root) must be a string or object']],
  [UNION, '{"a":"x"}', ['/a must be an integer']],
  [UNION, '{}', ['/a is required']],
  [{ type: 'array', items: UNION }, '["x",{"a":1.5},[]]', ['/1/a must be an integer', '/2 must be a string or object']],
] as const) {
  test(`${text} under ${JSON.stringify(schema)}: ${expected.join(', ') || 'nothing wrong'}`, () => {
    assert.deepEqual(faults(schema, text), expected)
  })
}

const CARD = {
  type: 'object',
  required: ['pan', 'cvc'],
  properties: { pan: { type: 'string' }, cvc: { type: 'string' } },
}
const BANK = { title: 'Transfer', type: 'object', required: ['iban'], properties: { iban: { type: 'string' } } }
const KINDS = [
  { type: 'object', required: ['kind', 'a'], properties: { kind: { const: 'x' }, a: { type: 'integer' } } },
  { type: 'object', required: ['kind', 'b'], properties: { kind: { const: 'y' }, b: { type: 'integer' } } },
]

for (const [schema, value, expected] of [
  [
    { oneOf: [{ $ref: '#/$defs/card' }, BANK] },
    { pan: '1' },
    ['(root) must match one of 2 alternatives; the closest is Card', '/cvc is required'],
  ],
  [
    { anyOf: [{ $ref: '#/$defs/card' }, BANK] },
    { iban: 1 },
    ['(root) must match one of 2 alternatives; the closest is Transfer', '/iban must be a string'],
  ],
  [
    { oneOf: KINDS },
    { kind: 'y', a: 1 },
    ['(root) must match one of 2 alternatives; the closest is alternative 2', '/b is required'],
  ],
  [
    { oneOf: [{ $ref: '#/$defs/card' }, { type: 'object' }] },
    { pan: '1', cvc: '2' },
    ['(root) must match exactly one alternative, but matches Card and alternative 2'],
  ],
  [
    { oneOf: [{ $ref: '#/$defs/card' }, BANK], unevaluatedProperties: false },
    { pan: '1', cvc: 2 },
    ['(root) must match one of 2 alternatives; the closest is Card', '/cvc must be a string'],
  ],
  [
    { oneOf: [{ $ref: '#/$defs/card' }, BANK], unevaluatedProperties: false },
    { pan: '1', cvc: '2', cvv: '3' },
    ['/cvv is not allowed'],
  ],
  [{ oneOf: [{ $ref: '#/$defs/card' }, { type: 'null' }] }, { pan: '1' }, ['/cvc is required']],
  [{ oneOf: [{ $ref: '#/$defs/card' }, { type: 'null' }] }, 7, ['(root) must be an object or null']],
  [
    {
      properties: {
        pay: {
          anyOf: [
            BANK,
            { type: 'object', required: ['pay'], properties: { pay: { oneOf: [{ $ref: '#/$defs/card' }, BANK] } } },
          ],
        },
      },
    },
    { pay: { pay: { pan: '1' } } },
    [
      '/pay must match one of 2 alternatives; the closest is alternative 2',
      '/pay/pay must match one of 2 alternatives; the closest is Card',
      '/pay/pay/cvc is required',
    ],
  ],
] as const) {
  test(`a union names its closest branch: ${expected.join('; ')}`, () => {
    const schemas = new Schemas()
    schemas.add('card', CARD, 'Card')
    schemas.add('it', schema)
    const violations = schemas.compileKey('it')(value) ?? []
    assert.deepEqual(
      violations.map(({ pointer, message }) => `${pointer || '(root)'} ${message}`),
      expected,
    )
    const alone =
      new Schemas().compile({ ...schema, $defs: { card: { ...CARD, title: 'Card' } } } as Schema)(value) ?? []
    assert.equal(alone.length, violations.length)
  })
}

test('a union of many branches reports the mistakes of one branch', () => {
  const count = size(100, 300)
  const branches = Array.from({ length: count }, (_, index) => ({
    type: 'object',
    required: ['kind', `own${index}`],
    properties: { kind: { enum: [`k${index}`] }, [`own${index}`]: { type: 'integer' } },
  }))
  const check = new Schemas().compile({ type: 'array', items: { oneOf: branches } })
  const violations = check(Array.from({ length: 500 }, () => ({ kind: 'k71' }))) ?? []
  assert.deepEqual(
    violations.slice(0, 2).map(({ pointer, message }) => `${pointer} ${message}`),
    [`/0 must match one of ${count} alternatives; the closest is alternative 72`, '/0/own71 is required'],
  )
  assert.ok(violations.length <= 1000)
})

test('uniqueItems accepts 20,000 different items', () => {
  const items: Json = Array.from({ length: 20_000 }, (_, id) => ({ id }))
  assert.equal(new Schemas().compile({ uniqueItems: true })(items), undefined)
})

test('a large value is refused with its first mistake, and a small one with all of them', () => {
  const schema = { items: { type: 'string' } }
  const wrong = (length: number): Json => Array.from({ length }, () => 1)
  const pointersOf = (violations: readonly { readonly pointer: string }[] = []) => violations.map(one => one.pointer)
  assert.deepEqual(pointersOf(new Schemas().compile(schema)(wrong(20_000))), ['/0'])
  assert.equal(new Schemas().compile(schema)(wrong(300))?.length, 300)
  const all = new Schemas().compile(schema, true)(wrong(20_000))
  assert.deepEqual([all?.length, all?.omitted], [1000, 19_000])
  assert.equal(new Schemas().compile({ items: UNION })(wrong(20_000))?.length, 1)
})

test('a schema that cannot be compiled throws', () => {
  assert.throws(() => new Schemas().compile({ type: 'strnig' }))
  assert.throws(() => new Schemas().compile({ pattern: '(' }))
  assert.throws(() => new Schemas().compile({ $ref: '#/nowhere' }))
})

test('the format url, which no registry describes, accepts every text', () => {
  for (const format of ['url', 'unheard-of']) {
    assert.equal(new Schemas().compile({ type: 'string', format })('/relative'), undefined)
    assert.equal(isFormat(format, '/relative'), true)
  }
  assert.notEqual(new Schemas().compile({ type: 'string', format: 'uri' })('/relative'), undefined)
})
