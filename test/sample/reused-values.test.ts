import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sampler } from '../../src/sample/sample.ts'

/** A record of many parts, each of which must differ from another branch. */
const part = {
  type: 'object',
  required: ['kind', 'note'],
  properties: { kind: { type: 'string' }, note: { type: 'string', minLength: 8 }, size: { type: 'integer' } },
}
const dear = {
  type: 'object',
  required: Array.from({ length: 40 }, (_, i) => `part${i}`),
  properties: Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `part${i}`,
      { oneOf: [part, { type: 'object', required: ['kind'], properties: { kind: { enum: ['a', 'b'] } } }] },
    ]),
  ),
}
const sampler = new Sampler({ dear, part })

/** Returns the number of comparisons for a value. */
const costOf = (make: () => unknown): number => {
  const begun = sampler.work
  make()
  return sampler.work - begun
}

test('a few values of a slow schema are made once and reused', () => {
  const values = new Set<string>()
  for (let seed = 0; seed < 100; seed++) {
    const { value, fits } = sampler.sample('dear', { seed, dynamic: true, few: true })
    assert.ok(fits)
    values.add(JSON.stringify(value))
  }
  assert.ok(values.size > 1 && values.size <= 8, `${values.size} values`)
  const first = costOf(() => sampler.sample('dear', { seed: 3, dynamic: true }))
  assert.ok(first > 200, `${first} comparisons`)
  assert.equal(
    costOf(() => sampler.sample('dear', { seed: 103, dynamic: true, few: true })),
    0,
  )
})

test('each seed has a different value unless a few are enough', () => {
  const values = new Set<string>()
  for (let seed = 0; seed < 40; seed++) {
    values.add(JSON.stringify(sampler.sample('dear', { seed, dynamic: true }).value))
    values.add(JSON.stringify(sampler.sample('part', { seed, dynamic: true, few: true }).value))
  }
  assert.ok(values.size > 60, `${values.size} values`)
})
