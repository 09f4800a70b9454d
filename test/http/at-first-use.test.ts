import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atFirstUse } from '../../src/http/at-first-use.ts'

test('a part is loaded once, at its first use', async () => {
  let loaded = 0
  const part = atFirstUse(async () => {
    loaded += 1
    return 'part'
  })
  assert.equal(loaded, 0)
  assert.deepEqual(await Promise.all([part(), part()]), ['part', 'part'])
  assert.equal(await part(), 'part')
  assert.equal(loaded, 1)
})

test('a part that could not be loaded is loaded at its next use', async () => {
  const gone = new Error('gone')
  let there = false
  const part = atFirstUse(async () => {
    if (!there) throw gone
    return 'part'
  })
  await assert.rejects(part(), gone)
  there = true
  assert.equal(await part(), 'part')
})
