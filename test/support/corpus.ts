// The public documents: those that the house reads, and those that only a wing does.

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './pages.ts'

const folders = ['test/corpus', ...readdirSync(join(ROOT, 'test/wings')).map(name => `test/wings/${name}/corpus`)]

/** Their paths relative to the root. */
export const CORPUS: readonly string[] = folders
  .filter(folder => existsSync(join(ROOT, folder)))
  .flatMap(folder => readdirSync(join(ROOT, folder)).map(name => `${folder}/${name}`))
