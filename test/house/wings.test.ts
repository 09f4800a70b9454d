// The house knows no wing: a folder below src/wings/ can be deleted with its lines in two lists.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
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

/** The wings that a wing imports from, and those that these import from: without one of them it goes, too. */
function neededBy(wing: string): ReadonlySet<string> {
  const needed = new Set([wing])
  for (const name of needed) {
    for (const { path, target } of imports) {
      const to = wingOf(target)
      if (wingOf(path) === name && to !== undefined) needed.add(to)
    }
  }
  return needed
}

/** The wings whose taking out takes the tests of a folder along: `test/wings/A+B/` has those of two. */
const goneWith = (path: string): ReadonlySet<string> => {
  const tested = /^test\/wings\/([^/]+)\//.exec(path)?.[1]?.split('+') ?? []
  return new Set(tested.flatMap(name => [...neededBy(name)]))
}

test('a test imports only from wings that cannot be taken out without it', () => {
  const wrong = testImports.filter(({ path, target }) => {
    const to = wingOf(target)
    return to !== undefined && !goneWith(path).has(to)
  })
  assert.deepEqual(linesOf(wrong), [], 'move the test to test/wings/NAME/, or to A+B')
})

test('tests of a wing use helpers of tests that go with them only', () => {
  const wrong = testFiles.flatMap(({ path, text }) =>
    [...text.matchAll(/\bfrom '((?:\.\.?\/)+[^']*)'/g)].flatMap(([, target = '']) => {
      const [, folder = ''] = /^test\/wings\/([^/]+)\//.exec(posix.join(posix.dirname(path), target)) ?? []
      const lost = folder.split('+').filter(name => name !== '' && !goneWith(path).has(name))
      return lost.length === 0 ? [] : [`${path} imports ${target}`]
    }),
  )
  assert.deepEqual(wrong, [])
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
