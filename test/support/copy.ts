// A copy of the tree, for tests that change its files.

import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './program-paths.ts'

/** Copies all files but those that git ignores. The copy has the packages of the original, and no cache. */
export function copyTree(folder: string, isWanted: (file: string) => boolean = () => true): void {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  for (const file of list.split('\0')) {
    if (file === '' || !isWanted(file) || !existsSync(join(ROOT, file))) continue
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file), { verbatimSymlinks: true })
  }
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '.cache') symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
}
