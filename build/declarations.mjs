// npm run build: writes the public types of the library as one file without internals.

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'

const FOLDER = 'dist/types'

// The plugin ignores files below node_modules, so that the declarations of all files are first written here.
const compiler = ['node_modules/typescript/bin/tsc', '-p', 'src', '--outDir', FOLDER, '--stripInternal']
execFileSync(process.execPath, compiler, { stdio: 'inherit' })
const isOutside = name => /^(?:node:|util$|@playwright\/test$|vitest$)/.test(name)
/** Bundles the declarations of an entry. @param library how those of a fixture name the library */
async function bundle(input, file, library) {
  const isLibrary = name => library !== undefined && /(?:^|\/)index\.[jt]s$/.test(name)
  const external = name => isOutside(name) || isLibrary(name)
  const declarations = await rollup({ input: `${FOLDER}/${input}`, plugins: [dts()], external })
  await declarations.write({ file: `dist/${file}`, paths: name => (isLibrary(name) ? library : name) })
}
await bundle('index.d.ts', 'index.d.ts')
for (const runner of ['playwright', 'vitest', 'node-test']) {
  await bundle(`fixtures/${runner}.d.ts`, `${runner}.d.ts`, './index.js')
}
rmSync(FOLDER, { recursive: true })
