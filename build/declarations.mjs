// npm run build: writes the public types of the library as one file without internals.

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const FOLDER = 'dist/types'

// The plugin ignores files below node_modules, so that the declarations of all files are first written here.
const compiler = ['node_modules/typescript/bin/tsc', '-p', 'src', '--outDir', FOLDER, '--stripInternal']
execFileSync(process.execPath, compiler, { stdio: 'inherit' })
const bundle = await rollup({ input: `${FOLDER}/index.d.ts`, plugins: [dts()], external: /^(?:node:|util$)/ })
await bundle.write({ file: 'dist/index.d.ts' })
rmSync(FOLDER, { recursive: true })
