import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CodeOptions, SchemaValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { boundErrors } from '../../src/kernel/bounded-errors.ts'
import { type Schema, Schemas } from '../../src/kernel/schema.ts'
import { cases } from '../support/cases.ts'

const OPTIONS = { allErrors: true, verbose: true, strict: false, ownProperties: true, validateSchema: false } as const

/** The same keywords in every combination in which one scope of errors lies in another. */
const leaf = fc.constantFrom<Schema>(
  { type: 'string' },
  { type: 'integer', minimum: 3 },
  { required: ['a'] },
  false,
  true,
)
const { schema } = fc.letrec<{ schema: Schema }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    leaf,
    fc.record({ twice: fc.constant(true), items: tie('schema') }),
    fc.record({ items: tie('schema') }),
    fc.record({ contains: tie('schema') }),
    fc.record({ not: tie('schema') }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc
      .tuple(tie('schema'), tie('schema'), tie('schema'))
      .map(([a, b, c]) =>
        JSON.parse(`{"if":${JSON.stringify(a)},"then":${JSON.stringify(b)},"else":${JSON.stringify(c)}}`),
      ),
    fc.record({ propertyNames: tie('schema'), additionalProperties: tie('schema') }),
    fc.record({ properties: fc.record({ a: tie('schema') }), unevaluatedProperties: tie('schema') }),
    fc.constant<Schema>({ $ref: '#/$defs/node' }),
  ) as fc.Arbitrary<Schema>,
}))
const NODE = {
  type: ['object', 'array', 'string'],
  properties: { a: { $ref: '#/$defs/node' } },
  items: { $ref: '#/$defs/node' },
}
const value = fc.jsonValue({ maxDepth: 4 })

/** A keyword that makes errors, which ajv completes. */
const failTwice: SchemaValidateFunction = () => {
  failTwice.errors = [{ keyword: 'first' }, { keyword: 'second' }]
  return false
}

test('a bound on described mistakes changes neither the verdict nor the first mistakes', () => {
  fc.assert(
    fc.property(schema, value, fc.integer({ min: 1, max: 4 }), (one, data, most) => {
      const whole = { $defs: { node: NODE }, allOf: [one] }
      const compile = (code?: CodeOptions) => {
        const ajv = new Ajv2020({ ...OPTIONS, ...(code === undefined ? {} : { code }) })
        return ajv.addKeyword({ keyword: 'twice', errors: true, validate: failTwice }).compile(whole)
      }
      const [free, bounded] = [compile(), compile({ process: code => boundErrors(code, most) })]
      const valid = free(data)
      assert.equal(bounded(data), valid)
      if (valid) return
      const all = (free.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
      const some = (bounded.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
      assert.deepEqual(some, all.slice(0, some.length))
      assert.ok(some.length >= Math.min(most, all.length))
      assert.equal((bounded as { count?: number }).count, all.length)
    }),
    { numRuns: cases(300) },
  )
})

test('every error that ajv generates is bounded', () => {
  let written = ''
  const note = (code: string) => {
    const bounded = boundErrors(code)
    written += bounded
    return bounded
  }
  const ajv = new Ajv2020({ ...OPTIONS, code: { process: note } })
  ajv.compile({
    $defs: { node: NODE },
    anyOf: [{ $ref: '#/$defs/node' }, { items: { pattern: '^a' } }],
    required: ['a', 'b'],
  })
  const count = (piece: string) => written.split(piece).length - 1
  assert.ok(count('vErrors.push(') > 2)
  assert.equal(count('vErrors.push('), count('vErrors.length >= 1000'))
  assert.doesNotMatch(written, /errors = vErrors\.length|vErrors\.length = _errs/)
})

// Without the bound each invalid item behind a reference copies the list of all before it, which takes minutes.
test('the first of 200,000 invalid items behind a reference are described, and all are counted', () => {
  const schemas = new Schemas({ P: { type: 'object', required: ['a', 'b'], properties: { c: { $ref: '#/$defs/P' } } } })
  const items = Array.from({ length: 200_000 }, () => ({}))
  const violations = schemas.compile({ type: 'array', items: { $ref: 'contract#/$defs/P' } })(items)
  assert.equal((violations?.length ?? 0) + (violations?.omitted ?? 0), 400_000)
})
