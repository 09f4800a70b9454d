// The names of a large object take milliseconds to list, so a union of many branches must not list them for each branch.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reachedBy } from '../../src/kernel/schema/schema.ts'
import { closestBranch } from '../../src/kernel/schema/violations.ts'

/** Counts how often the names of a value are listed. */
function counted(value: object) {
  const lists = { count: 0 }
  const proxy = new Proxy(value, {
    ownKeys(target) {
      lists.count += 1
      return Reflect.ownKeys(target)
    },
  })
  return { proxy, lists }
}

const BRANCHES = Array.from({ length: 60 }, (_, i) => ({
  allOf: [{ type: 'object' }, { required: [`r${i}`] }],
  properties: { [`b${i}`]: { type: 'string' } },
  additionalProperties: false,
}))

test('the closest branch of many is found with one list of the names', () => {
  const { proxy, lists } = counted({ r7: 1, b7: 'a', other: 1 })
  assert.deepEqual(
    closestBranch(BRANCHES, proxy, () => undefined),
    { index: 7, candidates: 60 },
  )
  assert.equal(lists.count, 1)
})

test('the parts of a schema that a value reaches are found without a list of the names', () => {
  const { proxy, lists } = counted({ b7: 1, other: 1 })
  const reached = reachedBy(proxy, 'a', { a: { anyOf: BRANCHES } }, () => false)
  const { anyOf } = reached.a as { anyOf: readonly Record<string, unknown>[] }
  assert.deepEqual(anyOf[7]?.properties, { b7: { type: 'string' } })
  assert.deepEqual(anyOf[8]?.properties, { b8: true })
  assert.equal(lists.count, 0)
})
