import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../../src/kernel/json.ts'
import { type Schema, Schemas } from '../../src/kernel/schema/schema.ts'
import { Fitting } from '../../src/sample/fits.ts'
import { Sampler } from '../../src/sample/sample.ts'
import { cases } from '../support/cases.ts'

const NAMES = ['id', 'name', 'email', 'tags', 'kind', 'parent', 'price', 'createdAt'] as const
const PATTERNS = ['^[a-z]{2,5}$', '\\d{3}', '^[A-Z][a-z]+( [A-Z][a-z]+)?$', '^(?:foo|bar)-\\w+$', '^\\p{Lu}']
const FORMATS = ['date', 'date-time', 'time', 'email', 'uuid', 'uri', 'ipv4', 'ipv6', 'hostname', 'byte', 'duration']

const range = (from: number, to: number) =>
  fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: 0, max: to - from }))
const some = <Value>(value: Value) => fc.option(fc.constant(value), { nil: {} as Value })

const strings = fc.oneof(
  fc.constantFrom(...FORMATS).map(format => ({ type: 'string', format })),
  fc.constantFrom(...PATTERNS).map(pattern => ({ type: 'string', pattern })),
  range(0, 12).map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
)
const numbers = fc.oneof(
  range(-1000, 1000).map(([minimum, more]) => ({ type: 'integer', minimum, maximum: minimum + more })),
  range(-50, 50).map(([exclusiveMinimum, more]) => ({
    type: 'number',
    exclusiveMinimum,
    exclusiveMaximum: exclusiveMinimum + more + 0.5,
  })),
  fc.constantFrom(0.01, 0.1, 0.5, 3, 7, 250).map(multipleOf => ({ type: 'number', multipleOf })),
  fc.constantFrom('int32', 'int64').map(format => ({ type: 'integer', format })),
)
const values = fc.oneof(fc.integer(), fc.string({ maxLength: 4 }), fc.boolean(), fc.constant(null))
const choices = fc.uniqueArray(values, { minLength: 2, maxLength: 4 }).map(list => ({ enum: list }))

/** A schema to which another one may add properties. */
const open = (one: Schema): Schema => ({ ...(one as object), additionalProperties: true })

/** Schemas that are satisfiable by construction. */
const { schema } = fc.letrec<{ schema: Schema; object: Schema; array: Schema }>(tie => ({
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 4 }),
      fc.subarray([...NAMES], { maxLength: 3 }),
      some({ additionalProperties: { type: 'integer' } as Schema }),
      some({ minProperties: 2 }),
      some({ patternProperties: { '^x-': { type: 'boolean' } } }),
      some({ not: { required: ['unwanted'] } }),
    )
    .map(([properties, required, ...rest]) =>
      Object.assign({ type: 'object', properties, required: required.filter(name => name in properties) }, ...rest),
    ),
  array: fc
    .tuple(tie('schema'), range(0, 3), some({ prefixItems: [{ type: 'string' }] }), fc.boolean())
    .map(([items, [minItems, more], prefix, bounded]) => ({
      type: 'array',
      items,
      minItems,
      ...(bounded ? { maxItems: minItems + more } : {}),
      ...prefix,
    })),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    strings,
    numbers,
    choices,
    fc.constant({ type: 'boolean' }),
    strings.map(one => ({ ...one, type: ['null', 'string'] })),
    choices.map(one => ({ not: one })),
    tie('object'),
    tie('array'),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map(anyOf => ({ anyOf })),
    tie('object').map(one => ({
      allOf: [open(one), { properties: { extra: { type: 'string' } }, required: ['extra'] }],
    })),
    fc.tuple(tie('object'), tie('array')).map(oneOf => ({ oneOf: [...oneOf, { type: 'string' }] })),
    tie('object').map(one => ({
      oneOf: ['cat', 'dog'].map(kind => ({
        allOf: [open(one), { type: 'object', required: ['kind2'], properties: { kind2: { const: kind } } }],
      })),
    })),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    tie('schema').map(one => ({ if: { type: 'string' }, then: { type: 'string', minLength: 1 }, else: one })),
  ),
}))

const validator = new Schemas()

test('a value fits its schema and is the same for the same seed', () => {
  fc.assert(
    fc.property(schema, fc.integer(), fc.boolean(), (one, seed, dynamic) => {
      const definitions = { one }
      const sampler = new Sampler(definitions)
      const { value, fits } = sampler.sample('one', { seed, dynamic })
      assert.equal(validator.compile(one)(value), undefined)
      assert.equal(fits, true)
      assert.deepEqual(new Sampler(definitions).sample('one', { seed, dynamic }).value, value)
    }),
    { numRuns: cases(120) },
  )
})

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>

test('walking a schema judges a value like the validator', () => {
  fc.assert(
    fc.property(schema, json, fc.integer(), (one, value, seed) => {
      // The validator divides by text, which is wrong for numbers with an exponent.
      fc.pre(!/\de[-+]?\d|\d{16}/.test(JSON.stringify(value)))
      const definitions = { one }
      const check = validator.compile(one)
      const fitting = new Fitting(definitions)
      const sample = new Sampler(definitions).sample('one', { seed }).value
      for (const each of [value, sample, [sample], { ...Object(sample), name: value }]) {
        assert.equal(fitting.fits(one, each), check(each) === undefined)
      }
    }),
    { numRuns: cases(80) },
  )
})

test('a value has the same mistakes by the parts of a schema that it reaches as by the whole schema', () => {
  fc.assert(
    fc.property(schema, schema, json, fc.integer(), (one, other, value, seed) => {
      fc.pre(!/\de[-+]?\d|\d{16}/.test(JSON.stringify(value)))
      const definitions = {
        one: { properties: { name: { $ref: '#/$defs/two' }, id: one }, anyOf: [one, { $ref: '#/$defs/two' }, true] },
        two: { not: { type: 'array', contains: one }, if: { required: ['name'] }, else: { $ref: '#/$defs/three' } },
        three: other,
      }
      const whole = new Schemas(definitions)
      const check = whole.compileKey('one')
      const fitting = new Fitting(definitions)
      const sampler = new Sampler({ one, three: other })
      const samples = [sampler.sample('one', { seed }).value, sampler.sample('three', { seed }).value]
      for (const each of [value, ...samples, { name: samples, id: value }, { ...Object(samples[0]), tags: value }]) {
        const found = whole.judge('one', each, (schema, inside) => fitting.fits(schema, inside as Json))
        const mistakes = (all: ReturnType<typeof check>) => all?.map(({ pointer, message }) => `${pointer} ${message}`)
        assert.deepEqual(mistakes(found), mistakes(check(each)))
      }
    }),
    { numRuns: cases(60) },
  )
})
