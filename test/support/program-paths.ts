// The paths of the program that is built for the tests.

import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
/** A folder that is not in the repository. */
export const CACHE = join(ROOT, 'node_modules/.cache/understudy')
/** The path of the built command line; give it to `node`. */
export const PROGRAM = join(CACHE, 'dist/cli.js')
/** The path of the built library. */
export const LIBRARY = join(CACHE, 'dist/index.js')
