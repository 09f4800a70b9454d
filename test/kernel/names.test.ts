import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { searchFor } from '../../src/kernel/names.ts'

test('a word is found wherever it is, however long it is', () => {
  const letters = fc.constantFrom('a', 'b', 'ab', 'aab')
  const texts = fc.array(letters, { maxLength: 40 }).map(parts => parts.join(''))
  // Long words are searched in another way than short ones.
  const padded = fc.constantFrom('', 'a'.repeat(200), 'ab'.repeat(150))
  fc.assert(
    fc.property(texts, texts, padded, texts, (before, word, padding, after) => {
      const long = `${padding}${word}`
      assert.ok(searchFor(long)(`${before}${long}${after}`))
      for (const text of [`${before}${after}`, `${padding}${after}`, `${before}${padding}`]) {
        assert.equal(searchFor(long)(text), text.includes(long))
      }
    }),
    { numRuns: 300 },
  )
})
