import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import type { RequestPath } from '../support/request-path.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The most files and functions of src/ that a warm request of the pet store runs through; the architecture page names them. */
const MOST: Readonly<Record<string, readonly [files: number, functions: number]>> = {
  createPet: [45, 134],
  listPets: [39, 92],
}

test('a request runs through no more files and functions than a reader can follow', () => {
  const output = execFileSync(process.execPath, ['--import', 'tsx', 'test/support/request-path.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const paths = JSON.parse(output) as Record<string, RequestPath>
  for (const [name, [files, functions]] of Object.entries(MOST)) {
    const path = paths[name] as RequestPath
    assert.ok(path.files.length <= files, `${name}: ${path.files.length} files\n${path.files.join('\n')}`)
    assert.ok(
      path.functions.length <= functions,
      `${name}: ${path.functions.length} functions\n${path.functions.join('\n')}`,
    )
  }
})
