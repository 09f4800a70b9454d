// The built program for tests that start it: it loads in a third of the time of the sources.

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE, PROGRAM, ROOT } from './program-paths.ts'

export { LIBRARY, PROGRAM } from './program-paths.ts'

/**
 * Builds both unless they are newer than every source. `test/run.ts` calls this before it starts any test, and this module
 * calls it again for a test file that is run without `test/run.ts`.
 */
export function buildWhenStale(): void {
  const built = existsSync(PROGRAM) ? statSync(PROGRAM).mtimeMs : 0
  const changed = Math.max(newest(join(ROOT, 'src')), newest(join(ROOT, 'build')))
  if (changed < built && statSync(join(ROOT, 'package-lock.json')).mtimeMs < built) return
  mkdirSync(CACHE, { recursive: true })
  // The program reads its version from the manifest beside its folder.
  copyFileSync(join(ROOT, 'package.json'), join(CACHE, 'package.json'))
  execFileSync(process.execPath, ['build/program.mjs', join(CACHE, 'dist')], { cwd: ROOT, stdio: 'inherit' })
}

/** When a file below the folder was last written, added or removed, in milliseconds since 1970. */
function newest(folder: string): number {
  const times = readdirSync(folder, { withFileTypes: true }).map(entry => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs
  })
  return Math.max(statSync(folder).mtimeMs, ...times)
}

buildWhenStale()
