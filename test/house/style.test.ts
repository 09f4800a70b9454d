import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

test('every file begins with a comment of at most five lines on its purpose', () => {
  const wrong = sourceFiles.filter(({ text }) => !/^(?:#!.*\n)?(?:\/\/ .+\n){1,5}(?!\/\/)/.test(text))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('no source file names the API that is shipped as an example', () => {
  // Comments and texts count: the word itself, and the beginning of a name.
  const word = /(?<![a-z])(?:pets?(?![a-z])|pet(?:Id|Store|s?tore)\b)/i
  const wrong = sourceFiles.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (word.test(line) ? [`src/${path}:${i + 1}: ${line.trim()}`] : [])),
  )
  assert.deepEqual(wrong, [])
})

test('no file is named after nothing, and none leaves an error or a task for later', () => {
  const vague = /(?:^|[/-])(?:utils?|helpers?|common|managers?|base|misc)(?:[.-]|$)/
  const later = /@ts-(?:expect-error|nocheck)|\b(?:TODO|FIXME|XXX)\b/
  const wrong = sourceFiles.filter(({ path, text }) => vague.test(path) || later.test(text))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})
