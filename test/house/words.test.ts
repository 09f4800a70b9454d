import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

/** A sentence that begins so hides its subject: "What arrived" instead of "The request". */
const HIDDEN = /^\s*(?:\/\*\*|\*|\/\/)\s*(?:What|Who|Whom|Whose|Whoever|Where|Which|Of|That|Whatever)\b/

test('a comment begins with its subject or its verb', () => {
  const found = sourceFiles.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (HIDDEN.test(line) ? [`src/${path}:${i + 1}: ${line.trim()}`] : [])),
  )
  assert.deepEqual(found, [], 'name the subject first: see docs/contributing/style.md')
})
