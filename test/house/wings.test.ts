// The house knows no wing: a folder below src/wings/ can be deleted with its lines in two lists.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { WINGS } from '../../src/wings.ts'
import { pagesOfWings } from '../support/pages.ts'
import { ROOT, sourceFiles, testFiles, testImports } from './source-files.ts'

/** The two lists of wings: that of the program, and that of the console's views. */
const LISTS = ['wings.ts', 'console/shell/views.ts']
const wingOf = (path: string): string | undefined => /^wings\/([^/]+)\//.exec(path)?.[1]
const names = WINGS.map(({ name }) => name)
const imports = sourceFiles.flatMap(({ path, imports }) => imports.map(target => ({ path, target })))

const linesOf = (list: readonly { readonly path: string; readonly target: string }[]): string[] =>
  list.map(({ path, target }) => `${path} imports ${target}`)

test('every folder of src/wings/ is a wing of the list, under its name', () => {
  const folders = new Set(sourceFiles.map(({ path }) => wingOf(path)).filter(name => name !== undefined))
  assert.deepEqual([...folders].sort(), [...names].sort())
})

test('nothing outside of src/wings/ imports from it but the two lists', () => {
  const wrong = imports.filter(
    ({ path, target }) => wingOf(target) !== undefined && wingOf(path) === undefined && !LISTS.includes(path),
  )
  assert.deepEqual(linesOf(wrong), [], 'let the wing bring it: a block, a behaviour, an observer, a route, a command')
})

test('a wing imports only wings before it in the list', () => {
  const wrong = imports.filter(({ path, target }) => {
    const [from, to] = [wingOf(path), wingOf(target)]
    return from !== undefined && to !== undefined && names.indexOf(to) > names.indexOf(from)
  })
  assert.deepEqual(linesOf(wrong), [])
})

test('only the tests of a wing, and of wings behind it, import from it', () => {
  const wrong = testImports.filter(({ path, target }) => {
    // The tests of two wings are in `test/wings/A+B/`.
    const tested = /^test\/wings\/([^/]+)\//.exec(path)?.[1]?.split('+') ?? []
    const to = wingOf(target)
    return to !== undefined && names.indexOf(to) > Math.max(-1, ...tested.map(name => names.indexOf(name)))
  })
  assert.deepEqual(linesOf(wrong), [], 'move the test to test/wings/NAME/')
})

test('tests of the house use no helper of the tests of a wing', () => {
  const helper = /\bfrom '(?:\.\.\/)+wings\/[^']*'/
  const wrong = testFiles.filter(({ path, text }) => !path.startsWith('test/wings/') && helper.test(text))
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  )
})

test('every folder of test/wings/ is that of a wing, or of several', () => {
  const tested = readdirSync(join(ROOT, 'test/wings')).flatMap(folder => folder.split('+'))
  assert.deepEqual(
    tested.filter(name => !names.includes(name)),
    [],
  )
})

test('every wing has its tests and its page', () => {
  const pages = pagesOfWings()
  const missing = names.flatMap(name =>
    [
      `test/wings/${name}`,
      ...(pages.get(name) ?? [`${name} in the table of docs/contributing/architecture.md`]),
    ].filter(path => !existsSync(join(ROOT, path))),
  )
  assert.deepEqual(missing, [])
})
