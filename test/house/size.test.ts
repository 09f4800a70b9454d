import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transformSync } from 'esbuild'
import { sourceFiles } from './source-files.ts'

const MOST_LINES = 400
const MOST_IN_A_FOLDER = 25
/** The size of src/. Raising a bound takes a decision in docs/decisions/ that says what users get for it. */
const MOST = { files: 320, lines: 50_592, kilobytes: 1_157 }
const ROOT = join(import.meta.dirname, '../..')

/** Files that hold one table and no code that a reader has to follow. */
const TABLES = new Set(['test/wire/control-samples.ts'])

test('a file has at most 400 lines', () => {
  const long = ['src', 'build', 'test', 'bench', 'docs/site']
    .flatMap(folder =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`),
    )
    .filter(path => /\.(?:ts|tsx|mjs|js|vue|css)$/.test(path) && !path.includes('/node_modules/') && !TABLES.has(path))
    .flatMap(path => {
      const lines = readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1
      return lines > MOST_LINES ? [`${path}: ${lines} lines`] : []
    })
  assert.deepEqual(long, [], 'split it by subject, so that a reader finds each half by its name')
})

test('a folder of src/ has at most 25 files', () => {
  const folders = new Map<string, number>()
  for (const { path } of sourceFiles) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  assert.deepEqual(
    [...folders].filter(([, count]) => count > MOST_IN_A_FOLDER),
    [],
    'give each subject in it a folder',
  )
})

test('src/ keeps within its size', () => {
  const own = sourceFiles.filter(({ path }) => !path.endsWith('.d.ts'))
  const lines = own
    .flatMap(({ text }) => text.split('\n'))
    .filter(line => line.trim() !== '' && !/^\s*(?:\/\/|\/?\*)/.test(line)).length
  const bytes = own.reduce((sum, { path, text }) => {
    const loader = path.endsWith('x') ? 'tsx' : 'ts'
    return sum + transformSync(text, { loader, minify: true }).code.length
  }, 0)
  const size = { files: own.length, lines, kilobytes: Math.round(bytes / 1000) }
  for (const [name, most] of Object.entries(MOST)) {
    const is = size[name as keyof typeof size]
    assert.ok(is <= most, `${is} ${name}, and the bound is ${most}: see docs/decisions/rooms-and-size.md`)
  }
})
