// npm run build: bundles the program and its packages into a few files, so that it starts quickly.
// `node build/program.mjs FOLDER` writes them to another folder than `dist`.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { buildConsole } from './console.mjs'
import { lazyPackages } from './lazy-packages.mjs'

const [, , outdir = 'dist'] = process.argv
const lazy = []
const { metafile } = await build({
  entryPoints: {
    cli: 'src/cli.ts',
    index: 'src/index.ts',
    playwright: 'src/fixtures/playwright.ts',
    vitest: 'src/fixtures/vitest.ts',
    'node-test': 'src/fixtures/node-test.ts',
  },
  // The runners of a project are its own.
  external: ['@playwright/test', 'vitest'],
  outdir,
  bundle: true,
  // Modules that are imported on demand stay in separate files.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Less to read and to keep in memory; stack traces name whole names, in short lines.
  minifyWhitespace: true,
  lineLimit: 120,
  // CommonJS packages `require` the modules of Node.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  plugins: [lazyPackages(outdir, lazy)],
  metafile: true,
  logLevel: 'warning',
})

// The bundle redistributes these packages, so that it must contain their licences.
const program = Object.keys(metafile.inputs).filter(path => !path.startsWith('lazy-packages:'))
const inputs = [...program, ...lazy, ...(await buildConsole(outdir))]
const homes = [...new Set(inputs.flatMap(path => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))].sort()
const packages = homes.map(home => ({ home, ...JSON.parse(readFileSync(`${home}/package.json`, 'utf8')) }))
const notices = packages.map(({ home, name, version, license }) => {
  const file = readdirSync(home).find(entry => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? 'The package has no file of it.' : readFileSync(`${home}/${file}`, 'utf8').trim()
  return `${name} ${version}, ${license}\n\n${text}\n`
})
writeFileSync(`${outdir}/LICENSES.txt`, notices.join(`\n${'-'.repeat(80)}\n\n`))

// A bill of materials for scanners, which see no package in a bundle. It has no time and no serial number: the same sources
// give the same file.
const own = JSON.parse(readFileSync('package.json', 'utf8'))
const component = ({ name, version, license }) => {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  // CycloneDX has one field for an SPDX identifier and another for an expression of several.
  const licenses = /[ (]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }]
  return { type: 'library', 'bom-ref': purl, name, version, licenses, purl }
}
const bill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { ...component(own), type: 'application' } },
  components: packages.map(component),
}
writeFileSync(`${outdir}/sbom.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`)
