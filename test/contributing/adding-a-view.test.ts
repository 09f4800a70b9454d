// Adds the view of docs/contributing/adding-a-view.md to a copy of the console, as a contributor would, and checks its types.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

test('the view of the page compiles in the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-view-'))
  try {
    for (const name of ['package.json', 'tsconfig.json', 'src'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const page = readFileSync(join(ROOT, 'docs/contributing/adding-a-view.md'), 'utf8')
    const [view, entry] = [...page.matchAll(/^ *```tsx\n(.*?)^ *```$/gms)].map(([, code]) => code as string)
    mkdirSync(join(folder, 'src/console/callers'))
    writeFileSync(join(folder, 'src/console/callers/callers-view.tsx'), view as string)
    const views = join(folder, 'src/console/shell/views.ts')
    const list = 'VIEWS: readonly View[] = [\n'
    writeFileSync(
      views,
      readFileSync(views, 'utf8').replace(list, () => list + entry),
    )
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    execFileSync(process.execPath, [tsc, '-p', 'src/console', '--incremental', 'false', '--tsBuildInfoFile', 'null'], {
      cwd: folder,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    assert.ok(readFileSync(views, 'utf8').includes("id: 'callers'"))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
