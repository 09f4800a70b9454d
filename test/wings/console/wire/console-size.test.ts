// The compressed size of the files that a browser loads to show the console.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { PROGRAM } from '../../../support/built-program.ts'

const FOLDER = join(dirname(PROGRAM), 'console')
const files = readdirSync(FOLDER)
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

/** Returns the files that a module loads at once, including itself. An `import()` loads later. */
function loadedWith(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const [, other] of read(name).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) loadedWith(other as string, found)
  return found
}

const kilobytes = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + statSync(join(FOLDER, `${name}.br`)).size, 0) / 1000

const page = read('index.html')
const named = [...page.matchAll(/(?:src|href)="\/console\/([\w.-]+\.(?:js|css))"/g)].map(([, name]) => name as string)
const shell = new Set(['index.html', ...named.flatMap(name => (name.endsWith('.js') ? [...loadedWith(name)] : [name]))])

test('the page names its files, each with its compressed twins', () => {
  assert.ok(named.some(name => name.endsWith('.js')) && named.some(name => name.endsWith('.css')))
  for (const name of files.filter(file => /\.(?:js|css|html|svg)$/.test(file))) {
    assert.ok(files.includes(`${name}.br`) && files.includes(`${name}.gz`), name)
  }
})

test('the page with its first view is at most 100 kB, and with each other view without editor and reference', () => {
  assert.ok(kilobytes(shell) <= 100)
  for (const view of ['operations-view', 'worlds-view', 'time-view', 'weather-view']) {
    const chunk = files.find(file => file.startsWith(`${view}-`) && file.endsWith('.js')) as string
    const size = kilobytes(new Set([...shell, ...loadedWith(chunk)]))
    assert.ok(size <= 100, `${view}: ${size} kB`)
  }
})

test('the page first loads one module and the shared chunk', () => {
  assert.equal(named.filter(name => name.endsWith('.js')).length, 2)
  assert.deepEqual(
    [...shell].filter(name => !named.includes(name)),
    ['index.html'],
  )
})

test('the page has no inline script or style and no other origin', () => {
  assert.doesNotMatch(page, /<style|<script(?![^>]*\bsrc=)|https?:/)
})
