// npm run build: the program as a handful of files that bring along the packages they use, so that it starts at once.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

const { metafile } = await build({
  entryPoints: ['src/cli.ts', 'src/index.ts'],
  outdir: 'dist',
  bundle: true,
  // What is imported on demand stays in files of its own.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // A stack trace is to point at a line that can be read.
  minify: false,
  // Packages that are CommonJS ask for the modules of Node in their own way.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  metafile: true,
  logLevel: 'warning',
})

// Whoever passes packages on passes their licences on.
const homes = Object.keys(metafile.inputs).flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
const notices = [...new Set(homes)].sort().map(home => {
  const { name, version, license } = JSON.parse(readFileSync(`${home}/package.json`, 'utf8'))
  const file = readdirSync(home).find(entry => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? 'The package has no file of it.' : readFileSync(`${home}/${file}`, 'utf8').trim()
  return `${name} ${version}, ${license}\n\n${text}\n`
})
writeFileSync('dist/LICENSES.txt', notices.join(`\n${'-'.repeat(80)}\n\n`))
