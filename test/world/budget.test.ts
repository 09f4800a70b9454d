import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBudget } from '../../src/world/idle-turns.ts'

test('work has its share of the time, and more at once after a rest, up to a limit', () => {
  let now = 0
  const { has, spend } = createBudget(0.2, 100, () => now)
  spend(100)
  assert.equal(has(), false)
  now += 50
  assert.equal(has(), true)
  spend(30)
  now += 50
  assert.equal(has(), false)
  now += 100_000
  assert.equal(has(), true)
  spend(99)
  assert.equal(has(), true)
  spend(1)
  assert.equal(has(), false)
})
