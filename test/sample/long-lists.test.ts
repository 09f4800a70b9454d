import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../src/kernel/json.ts'
import { Fitting } from '../../src/sample/fits.ts'
import { Sampler } from '../../src/sample/sample.ts'

const numbered = <Value>(count: number, make: (i: number) => Value): Value[] =>
  Array.from({ length: count }, (_, i) => make(i))

const sampleOf = (schema: object) => new Sampler({ s: schema as never }).sample('s', { seed: 7 })

test('a value of an enum of 200,000 values is found', () => {
  const values = numbered(200_000, i => `value-${i}`)
  const { value, fits } = sampleOf({ type: 'array', minItems: 50, items: { enum: values } })
  assert.equal(fits, true)
  for (const item of value as Json[]) assert.ok(values.includes(item as string))
})

test('the only value of a long enum that fits the other keywords is found', () => {
  const values = numbered(50_000, i => `value-${i}`)
  assert.deepEqual(sampleOf({ enum: values, pattern: '-49999$' }).value, 'value-49999')
  assert.deepEqual(sampleOf({ enum: values, not: { enum: values.slice(0, 49_999) } }).value, 'value-49999')
})

test('objects and lists of a long enum are compared by their content', () => {
  const fitting = new Fitting({})
  const list = [...numbered(100, i => ({ a: i, b: [i] })), null, 'text', [1, { x: 1, y: 2 }]]
  for (const value of [{ b: [7], a: 7 }, null, 'text', [1, { y: 2, x: 1 }]])
    assert.ok(fitting.fits({ enum: list }, value))
  for (const value of [{ a: 7 }, 'null', '{"a":1,"b":[1]}', [], 7]) assert.ok(!fitting.fits({ enum: list }, value))
})

test('a list that must have more items than can be generated has some', () => {
  const { value, fits } = sampleOf({ type: 'array', minItems: 1e9, items: { type: 'string' } })
  assert.equal(fits, false)
  assert.ok((value as Json[]).length > 0)
})

test('the only value that a list elsewhere does not exclude is found, in each reply', () => {
  const values = numbered(50_000, i => `value-${i}`)
  const sampler = new Sampler({
    s: { allOf: [{ $ref: '#/$defs/all' }, { $ref: '#/$defs/half' }, { not: { $ref: '#/$defs/most' } }] } as never,
    all: { type: 'string', enum: values },
    half: { enum: values.slice(25_000) },
    most: { title: 'Most', enum: values.slice(0, 49_999) },
  })
  for (const seed of [1, 2, 3]) assert.equal(sampler.sample('s', { seed }).value, 'value-49999')
})

test('a list with another keyword excludes only the values that fit both', () => {
  const sampler = new Sampler({
    s: { enum: ['a', 'b'], not: { $ref: '#/$defs/no' } } as never,
    no: { enum: ['a', 'b'], pattern: 'a' },
  })
  assert.equal(sampler.sample('s', { seed: 7 }).value, 'b')
})
