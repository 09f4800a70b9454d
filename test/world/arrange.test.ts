import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../src/kernel/json.ts'
import type { Comparison, Entry } from '../../src/world/records/types.ts'
import { arrange } from '../../src/world/records/values.ts'

const VALUES: readonly Json[] = [1, 2n, 'a', null, true, ['a', 2], { a: 1 }]
const rows = VALUES.map((value, id): Entry => ({ id, value: { field: value }, text: '', revision: 0 }))
const selected = (is: Comparison['is'], ...others: Json[]) =>
  arrange([...rows], { filters: [], comparisons: [{ field: 'field', is, value: others }] } as never).map(({ id }) => id)

test('records are compared with many values of several types', () => {
  const many = Array.from({ length: 3000 }, (_, i) => `${i}`)
  assert.deepEqual(selected('not', ...many), [0, 1, 2, 3, 4, 5, 6])
  assert.deepEqual(selected('not', ...many, 'a', 1n, 2), [3, 4, 5, 6])
  assert.deepEqual(selected('not', null, false), [0, 1, 2, 4, 5, 6])
  assert.deepEqual(selected('contains', ...many, 2n), [5])
  assert.deepEqual(selected('contains', 3), [])
})
