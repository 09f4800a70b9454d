// Adds the wing of docs/contributing/adding-a-wing.md to a copy of the tree, as a contributor would: the copy then passes the type
// checks, the linter, the tests of the wing and those of the house. Without its folder and its lines it is the original.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { copyTree } from '../support/copy.ts'
import { blocksOf } from '../support/pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'understudy-contributing-'))
after(() => rmSync(folder, { recursive: true }))

const { NODE_TEST_CONTEXT: _, ...env } = process.env
const npm = (...words: string[]): void => {
  try {
    execFileSync('npm', ['run', '-s', ...words], { cwd: folder, env, encoding: 'utf8' })
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string }
    assert.fail(`npm run ${words.join(' ')}\n${stdout}${stderr}`)
  }
}

/** Inserts the lines with a `+` below the first line, which the file has. */
function insert(file: string, diff: string): void {
  const [first = '', ...added] = diff.trimEnd().split('\n')
  const [path, line] = [join(folder, file), `${first.slice(1)}\n`]
  const text = readFileSync(path, 'utf8')
  assert.ok(text.includes(line), `${file} has the line ${line}`)
  assert.ok(added.every(row => row.startsWith('+')))
  const rows = added.map(row => `${row.slice(1)}\n`).join('')
  writeFileSync(
    path,
    text.replace(line, () => line + rows),
  )
}

test('the wing of the page passes the checks of a contribution', () => {
  copyTree(folder)
  for (const { language, file, text } of blocksOf('docs/contributing/adding-a-wing.md')) {
    if (file === undefined) continue
    if (language === 'diff') insert(file, text)
    else {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
  }
  // The first run writes the schemas of replies, which the second one reads.
  writeFileSync(join(folder, 'src/wings/budgets/reply-schemas.json'), '{}\n')
  npm('generate')
  npm('fresh')
  npm('lint')
  npm('types')
  npm('test', '--', 'wings/budgets', 'house/', 'wire/control-openapi')
})
