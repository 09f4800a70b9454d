import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-files.ts'

test('a type name is declared in one file', () => {
  const files = new Map<string, string[]>()
  // The console is a separate program: a client with types for the replies of the control plane.
  for (const { path, code } of sourceFiles.filter(({ path }) => !path.startsWith('console/'))) {
    const names = code.matchAll(/^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)\b/gm)
    for (const name of new Set([...names].map(([, name]) => name as string))) {
      files.set(name, [...(files.get(name) ?? []), path])
    }
  }
  const twice = [...files].filter(([, paths]) => paths.length > 1)
  assert.deepEqual(
    twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`),
    [],
    'one name, one meaning: rename one of them after what it holds, or import it',
  )
})
