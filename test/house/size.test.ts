import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

const MOST_LINES = 250

test('a file has at most 250 lines', () => {
  const long = sourceFiles.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1
    return lines > MOST_LINES ? [`src/${path}: ${lines} lines`] : []
  })
  assert.deepEqual(long, [], 'split it by subject, so that a reader finds each half by its name')
})
