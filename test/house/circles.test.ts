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

test('a circle of any length is found, and a shared file is not a circle', () => {
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
