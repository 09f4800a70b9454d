import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesWith, sourceFiles } from './source-files.ts'

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

test('there is no `any`, no suppressed error and no TODO', () => {
  const wrong = sourceFiles.flatMap(file => [
    ...linesWith(file, /(?<!\.)\bany\b/),
    ...(/@ts-(?:ignore|expect-error|nocheck)|\b(?:TODO|FIXME|XXX)\b/.test(file.text) ? [file.path] : []),
  ])
  assert.deepEqual(wrong, [])
})

test('exports are named, and files are named after their main export', () => {
  assert.deepEqual(
    sourceFiles.flatMap(file => linesWith(file, /\bexport default\b/)),
    [],
  )
  const vague = /(?:^|[/-])(?:utils?|helpers?|common|managers?|base|misc)(?:[.-]|$)/
  const wrong = sourceFiles
    .map(({ path }) => path)
    .filter(path => !/^[a-z0-9/-]+(?:\.d)?\.tsx?$/.test(path) || vague.test(path))
  assert.deepEqual(wrong, [])
})
