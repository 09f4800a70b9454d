// Test files as JavaScript, one file for each process: Node loads a bundle in a tenth of the time of its sources.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { CACHE, PROGRAM, ROOT } from './program-paths.ts'

const TESTS = join(ROOT, 'test')
const HOME = join(CACHE, 'tests')
/** Milliseconds after which the bundles of an interrupted run are removed. */
const STALE = 3_600_000

/** The files of one process. */
export interface Group {
  readonly name: string
  /** Relative to test/. */
  readonly files: readonly string[]
  /** How many of the files run at the same time. */
  readonly concurrency: number
}

/** Files that load sources by their path, which must be those of the test too. They are not bundled. */
const FROM_SOURCES = /^contributing\//

/** Gives a module in a bundle the place of its source, so that it finds the files beside it. */
const places: Plugin = {
  name: 'places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/](?:src|test)[\\/].*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes('import.meta')) return { contents: text, loader: 'ts' }
      // The built program has the pages of the console.
      const place = path.endsWith('/src/wings/console/console-files.ts') ? PROGRAM : path
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(place)))
      return { contents, loader: 'ts' }
    })
  },
}

/** Resolves `group:NAME` to a module that runs the files of the group. */
const entriesOf = (groups: readonly Group[]): Plugin => ({
  name: 'entries',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.slice('group:'.length), namespace: 'group' }))
    onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => {
      const group = groups.find(({ name }) => name === path) as Group
      return { contents: entryOf(group), loader: 'ts', resolveDir: TESTS }
    })
  },
})

/** Each file is a suite, so that a hook of one file is not a hook of all. */
function entryOf({ name, files, concurrency }: Group): string {
  const suites = files.map(
    file => `suite('${file}', async () => {
  recordCost('${file}')
  await import('./${file}')
})`,
  )
  return `import { suite } from 'node:test'
import { recordCost } from './support/costs.ts'
${files.some(file => file.includes('property/')) ? "import './support/property-runs.ts'" : ''}
suite('${name}', { concurrency: ${concurrency} }, () => {
${suites.join('\n')}
})
`
}

const fromSources = ({ files }: Group): string => `import 'tsx'
${files.map(file => `await import('${pathToFileURL(join(TESTS, file)).href}')`).join('\n')}
`

/** Writes a bundle for each group into a new folder, which is removed at the end, and returns their paths. */
export async function bundle(groups: readonly Group[]): Promise<string[]> {
  mkdirSync(HOME, { recursive: true })
  for (const name of readdirSync(HOME)) {
    const old = join(HOME, name)
    if (statSync(old).mtimeMs < Date.now() - STALE) rmSync(old, { recursive: true })
  }
  const folder = mkdtempSync(join(HOME, 'run-'))
  process.on('exit', () => rmSync(folder, { recursive: true }))
  // Node looks for no manifest above node_modules.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const plain = groups.filter(({ files }) => !FROM_SOURCES.test(files[0] as string))
  await build({
    entryPoints: Object.fromEntries(plain.map(({ name }) => [name, `group:${name}`])),
    outdir: folder,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [places, entriesOf(plain)],
    logLevel: 'warning',
  })
  return groups.map(group => {
    const path = join(folder, `${group.name}.js`)
    if (!plain.includes(group)) writeFileSync(path, fromSources(group))
    return path
  })
}
