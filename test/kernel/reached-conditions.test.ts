// A large schema is judged by the parts that a value reaches. Conditions that a value fails by a required property or by a
// listed text are not among them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachedBy, type Schema, Schemas } from '../../src/kernel/schema/schema.ts'

const when = (kind: string) => ({ type: 'object', required: ['kind'], properties: { kind: { enum: [kind] } } })

/** A linter takes a literal with `then` for a promise. */
const rule = (condition: Schema, consequence: Schema, otherwise: Schema = true): Schema =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
    ...(otherwise === true ? [] : [['else', otherwise] as const]),
  ])

const SHARED = { required: ['shared'] }

const PARTS: Readonly<Record<string, Schema>> = {
  it: { type: 'array', items: { $ref: '#/$defs/one' } },
  one: {
    type: 'object',
    properties: { kind: { enum: ['card', 'bank', 'cash', 'none'] } },
    allOf: [
      rule(when('card'), { $ref: '#/$defs/card' }),
      rule(when('bank'), SHARED, { required: ['notBank'] }),
      rule(when('cash'), SHARED),
      { if: { required: ['extra'], properties: { extra: { type: 'integer' } } } },
    ],
    unevaluatedProperties: { type: 'string' },
  },
  card: { required: ['number'], properties: { number: { type: 'integer' } } },
}

const VALUES: readonly unknown[] = [
  [],
  [{ kind: 'card' }],
  [{ kind: 'card', number: 'x', notBank: 1 }],
  [{ kind: 'bank' }, { kind: 'card', number: 1 }],
  [
    { kind: 'bank', shared: 'x' },
    { kind: 'cash', notBank: 'x' },
  ],
  [{ kind: 'cash', notBank: 'x', shared: 2 }],
  [
    { kind: 'unknown', extra: 1 },
    { extra: 'text', notBank: 'x' },
  ],
  [{ kind: 7, extra: 'x' }, 5, { kind: 'none', notBank: 'x', extra: 5 }],
]

for (const value of VALUES) {
  test(`${JSON.stringify(value)} is judged by its parts as by the whole schema`, () => {
    const schemas = new Schemas(PARTS)
    const said = (violations: ReturnType<typeof schemas.judge>) =>
      violations?.map(({ pointer, message }) => `${pointer} ${message}`)
    const judged = schemas.judge('it', value, () => false)
    assert.deepEqual(said(judged), said(schemas.compileKey('it')(value)))
    assert.deepEqual(said(schemas.judge('it', value, () => false)), said(judged), 'judged again')
  })
}

test('a value reaches only the condition that it meets', () => {
  const kinds = Array.from({ length: 100 }, (_, i) => `k${i}`)
  const definitions = {
    it: { allOf: kinds.map(kind => rule(when(kind), { $ref: `#/$defs/${kind}` })) },
    ...Object.fromEntries(kinds.map(kind => [kind, { required: [`own of ${kind}`] }])),
  }
  const reached = reachedBy({ kind: 'k42' }, 'it', definitions, () => false)
  assert.deepEqual(Object.keys(reached), ['it', 'k42'])
})
