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

/** Counts the items of arrays that are iterated over while `work` runs. */
function iteratedIn(work: () => void): number {
  const original = Array.prototype[Symbol.iterator]
  let count = 0
  Array.prototype[Symbol.iterator] = function* (this: unknown[]) {
    for (let i = 0; i < this.length; i++) {
      count += 1
      yield this[i]
    }
    return undefined
  } as typeof original
  try {
    work()
  } finally {
    Array.prototype[Symbol.iterator] = original
  }
  return count
}

test('the valid items of a long list are collected without copying those before', () => {
  const list = { type: 'array', items: { type: 'object' } }
  const items = Array.from({ length: 2000 }, () => ({}))
  const count = iteratedIn(() => reachedBy([...items, 1], 'a', { a: list }, (_, item) => typeof item === 'object'))
  assert.ok(count < 20 * items.length, `${count} steps`)
})
