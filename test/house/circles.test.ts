import assert from 'node:assert/strict'
import { test } from 'node:test'
import { circlesOf, sourceFiles } from './source-files.ts'

test('no files import each other in a circle, types included', () => {
  const found = circlesOf(new Map(sourceFiles.map(({ path, imports }) => [path, imports])))
  const hint = 'move what two of them share into a file that imports neither'
  assert.deepEqual(
    found.map(files => files.join(' → ')),
    [],
    hint,
  )
})

test('a circle is found, however long, and a file that two others share is none', () => {
  const imports = new Map([
    ['a', ['b', 'd']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', ['node:fs']],
    ['e', ['e']],
  ])
  assert.deepEqual(circlesOf(imports), [
    ['a', 'b', 'c', 'a'],
    ['e', 'e'],
  ])
})
