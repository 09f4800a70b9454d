import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const MOST_LINES = 400
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
