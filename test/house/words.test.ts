import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles, testFiles } from './source-files.ts'

/** A sentence that begins so hides its subject: "What arrived" instead of "The request". */
const HIDDEN = /^\s*(?:\/\*\*|\*|\/\/)\s*(?:What|Who|Whom|Whose|Whoever|Where|Which|Of|That|Whatever)\b/

test('a comment begins with its subject or its verb', () => {
  const found = [...sourceFiles, ...testFiles].flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (HIDDEN.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
  )
  assert.deepEqual(found, [], 'name the subject first: see docs/contributing/style.md')
})

/** Words of riddles in a message: "is no status" instead of "is not a status", "nobody known" instead of "unknown". */
const RIDDLE =
  /\b(?:(?<![Tt]here )(?<!this )is no (?!longer\b)[a-z]|whoever\b|nobody (?:known|asks)\b|stands (?:here|there)\b|leads nowhere\b)/

test('a message says what is wrong in plain words', () => {
  const texts = /'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g
  const found = sourceFiles
    .filter(({ path }) => !path.startsWith('console/'))
    .flatMap(({ path, text }) => {
      const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')
      return [...code.matchAll(texts)].flatMap(([literal]) => (RIDDLE.test(literal) ? [`src/${path}: ${literal}`] : []))
    })
  assert.deepEqual(found, [], 'first what is wrong, then what to write instead: see docs/contributing/style.md')
})
