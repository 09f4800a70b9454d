import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

/** Types, functions and exported constants; a private constant belongs to the subject of its file. */
const DECLARATIONS =
  /^(?:(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum|(?:async )?function\*?) (\w+)|export const (\w+)|const (\w+)(?:: [^=\n]*(?:=>[^=\n]*)?)? = (?:async )?(?:<[^\n]*>)?(?:\([^\n]*=>|\w+ =>|\($))/gm

test('one name is one thing: it is declared in one file', () => {
  const files = new Map<string, string[]>()
  for (const { path, code } of sourceFiles) {
    const names = [...code.matchAll(DECLARATIONS)].map(
      ([, ...found]) => found.find(name => name !== undefined) as string,
    )
    for (const name of new Set(names)) files.set(name, [...(files.get(name) ?? []), path])
  }
  const twice = [...files].filter(([, paths]) => paths.length > 1)
  assert.deepEqual(
    twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`),
    [],
    'rename one of them after what it does, or import it',
  )
})
