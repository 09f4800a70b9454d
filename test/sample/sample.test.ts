import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Check, type Schema, Schemas } from '../../src/kernel/schema/schema.ts'
import { Sampler } from '../../src/sample/sample.ts'
import { array, object, schemas, string } from './schemas-of-all-kinds.ts'

const sampled = (schema: Schema, defs: Record<string, Schema> = {}) => {
  const definitions = { ...defs, it: schema }
  const sampler = new Sampler(definitions)
  let check: Check | undefined
  return (seed = 1, dynamic = false) => {
    const sample = sampler.sample('it', { seed, dynamic })
    check ??= new Schemas(definitions).compileKey('it')
    return { ...sample, faults: check(sample.value) }
  }
}

test('a value fits every kind of schema', () => {
  const sampler = new Sampler(schemas)
  const validator = new Schemas()
  for (const [name, schema] of Object.entries(schemas)) {
    const check = validator.compile(schema)
    for (let seed = 0; seed < 12; seed++) {
      const { value, fits } = sampler.sample(name, { seed, dynamic: seed % 2 === 1 })
      const faults = check(value)
      assert.equal(faults, undefined, `${name}: ${JSON.stringify(value)?.slice(0, 200)} ${JSON.stringify(faults)}`)
      assert.equal(fits, true, name)
    }
  }
})

const node = object({
  required: ['value'],
  properties: {
    value: { type: 'integer' },
    next: { $ref: '#/$defs/node' },
    children: array({ items: { $ref: '#/$defs/node' } }),
    parent: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/node' }] },
  },
})
const circles: Record<string, [Schema, Record<string, Schema>, unknown]> = {
  'an optional property is left out, a list stays empty, a null is null': [
    { $ref: '#/$defs/node' },
    { node },
    { value: 'a number', children: [], parent: null },
  ],
  'a required one goes on to where it may end': [
    { $ref: '#/$defs/sum' },
    {
      sum: { oneOf: [{ $ref: '#/$defs/pair' }, { type: 'integer' }] },
      pair: object({ required: ['left'], properties: { left: { $ref: '#/$defs/sum' } } }),
    },
    { left: 'a number' },
  ],
  'a branch that would need it again is the last one tried': [
    { $ref: '#/$defs/term' },
    {
      term: {
        oneOf: [
          object({ required: ['of'], properties: { of: array({ minItems: 1, items: { $ref: '#/$defs/term' } }) } }),
          { const: 'n' },
        ],
      },
    },
    { of: ['n'] },
  ],
  'two that need each other and may end': [
    { $ref: '#/$defs/a' },
    {
      a: object({ required: ['b'], properties: { b: { $ref: '#/$defs/b' } } }),
      b: object({ properties: { a: { $ref: '#/$defs/a' }, n: { const: 1 } } }),
    },
    { b: { n: 1 } },
  ],
}

test('a recursive value ends as early as possible', () => {
  for (const [name, [schema, definitions, expected]] of Object.entries(circles)) {
    const { value, faults } = sampled(schema, definitions)()
    assert.equal(faults, undefined, name)
    const shape = JSON.parse(JSON.stringify(value), (key, item) =>
      typeof item === 'number' && key !== 'n' ? 'a number' : item,
    )
    assert.deepEqual(shape, expected, name)
  }
})

test('an unsatisfiable schema is recognised quickly', () => {
  const endless = { a: object({ required: ['a'], properties: { a: { $ref: '#/$defs/a' } } }) }
  assert.equal(sampled({ $ref: '#/$defs/a' }, endless)().fits, false)
  assert.equal(sampled({ type: 'integer', minimum: 2, maximum: 1 })().fits, false)
  assert.equal(sampled(false)().fits, false)
})

test('a body has a bounded size', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `level${i}`,
      object({
        properties: Object.fromEntries(
          Array.from({ length: 30 }, (_, j) => [
            `to${j}`,
            array({ items: { $ref: `#/$defs/level${(i + j + 1) % 30}` } }),
          ]),
        ),
      }),
    ]),
  )
  const { value, faults } = sampled({ $ref: '#/$defs/level0' }, wide)()
  assert.equal(faults, undefined)
  assert.ok(JSON.stringify(value).length < 50_000)
})

test('the same seed gives the same value, another seed a different one', () => {
  const person = sampled(
    object({ properties: { name: string({}), age: { type: 'integer' }, id: string({ format: 'uuid' }) } }),
  )
  assert.deepEqual(person(7).value, person(7).value)
  assert.notDeepEqual(person(7).value, person(8).value)
})

test('valid examples and defaults are used unless `dynamic` is set', () => {
  const text = (rest: object) => sampled(string({ minLength: 2, ...rest }))
  assert.equal(text({ example: 'an example' })().value, 'an example')
  assert.equal(text({ examples: ['x', 'the first that fits'] })().value, 'the first that fits')
  assert.equal(text({ default: 'the default' })().value, 'the default')
  assert.equal(text({ example: 'an example', default: 'the default' })().value, 'an example')
  assert.notEqual(text({ example: 'x' })().value, 'x')
  assert.notEqual(text({ example: 'an example' })(1, true).value, 'an example')
})

test('texts follow from names and formats', () => {
  const { value } = sampled(
    object({
      properties: {
        firstName: string({}),
        email: string({}),
        city: string({}),
        price: { type: 'number' },
        createdAt: string({ format: 'date-time' }),
        homepage: string({ format: 'uri' }),
      },
    }),
  )()
  assert.deepEqual(value, {
    firstName: 'Hugo',
    email: 'ada.fontaine@example.com',
    city: 'Jaipur',
    price: 484.35,
    createdAt: '2022-08-21T10:59:27.000Z',
    homepage: 'https://example.com/keen-beacon',
  })
})

test('a text has the topic of its name in any spelling', () => {
  const { value } = sampled(
    object({ properties: { 'e-mail': string({}), eMail: string({}), last_name: string({}) } }),
  )()
  assert.deepEqual(value, {
    'e-mail': 'hugo.adler@example.com',
    eMail: 'greta.kaur@example.com',
    last_name: 'Kaur',
  })
})

test('a value leaves out writeOnly properties, however they are marked', () => {
  const { value } = sampled(
    object({
      properties: {
        shown: { const: 1 },
        plain: string({ writeOnly: true }),
        referred: { $ref: '#/$defs/secret' },
        extended: { allOf: [{ $ref: '#/$defs/secret' }] },
      },
    }),
    { secret: string({ writeOnly: true }) },
  )()
  assert.deepEqual(value, { shown: 1 })
})

for (const [format, expected] of [
  ['datetime', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/],
  ['date-time-rfc-2822', /^\d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000$/],
  ['URL', /^https:\/\/example\.com\//],
  ['UUID', /^[\da-f]{8}-/],
  ['ip', /^192\.0\.2\.\d+$/],
  ['phone-number', /^\+1555\d{7}$/],
] as const) {
  test(`a text of the format ${format}, which no standard has, looks like one`, () => {
    assert.match(String(sampled(string({ format }))().value), expected)
  })
}

test('an integer of the format unix-time is a time of these years in seconds', () => {
  const value = Number(sampled({ type: 'integer', format: 'unix-time' })().value)
  assert.ok(value > 1_600_000_000 && value < 1_800_000_000, String(value))
})

for (const [what, schema, form] of [
  ['has milliseconds', {}, /\.000Z$/],
  ['is written as an example without them', { example: '2024-01-01T10:00:00Z' }, /:\d\dZ$/],
  ['is written as its pattern says', { pattern: '^[0-9-]{10}T[0-9:]{8}Z$' }, /^20[\d-]+T[\d:]+Z$/],
  ['leaves them out where the text would be too long', { maxLength: 20 }, /:\d\dZ$/],
] as const) {
  test(`a generated time ${what}`, () => {
    for (const format of [{ format: 'date-time' }, {}]) {
      const properties = { created_at: { type: 'string', ...format, ...schema } }
      const sampler = new Sampler({ it: { type: 'object', required: ['created_at'], properties } } as never)
      for (let seed = 1; seed < 20; seed++) {
        const { value } = sampler.sample('it', { seed, dynamic: true })
        assert.match(String((value as { created_at: unknown }).created_at), form)
      }
    }
  })
}
