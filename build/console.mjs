// npm run build: the console as static files below `console/` of the output folder, each with its compressed twins. The
// control plane serves them; names contain a hash of the content, so that a browser may keep them forever.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib'
import { build } from 'esbuild'

const SOURCE = 'src/console'
const MAIN = `${SOURCE}/shell/shell.tsx`
/** Linked by the view of the contract when it is opened. */
/** Compressed files of earlier builds, by the hash of their content. */
const COMPRESSED = 'node_modules/.cache/understudy/compressed'
/** The path below which the control plane serves the files. */
const BASE = '/console/'

/**
 * Builds the console.
 *
 * @param {string} outdir the folder of the program; the files go to `console/` in it
 * @returns the names of the modules that were bundled, relative to the working directory
 */
export async function buildConsole(outdir) {
  const options = {
    entryPoints: [MAIN, `${SOURCE}/style/console.css`, `${SOURCE}/icon.svg`],
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    outdir: join(outdir, 'console'),
    // The views of wings are outside of the folder whose tsconfig.json says so.
    jsx: 'automatic',
    jsxImportSource: 'preact',
    bundle: true,
    // Each view is a separate chunk that is loaded when it is first opened.
    splitting: true,
    platform: 'browser',
    format: 'esm',
    target: ['es2022', 'chrome123', 'firefox128', 'safari17.5'],
    loader: { '.svg': 'copy' },
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'warning',
    logOverride: { 'ignored-bare-import': 'silent' },
  }
  const { metafile, outputFiles } = await build({ ...options, plugins: [await oneFirstChunk(options)] })
  mkdirSync(join(outdir, 'console'), { recursive: true })
  for (const { path, contents } of outputFiles) writeCompressed(path, contents)
  const built = Object.entries(metafile.outputs).map(([path, { entryPoint }]) => ({ path, entryPoint }))
  const urlOf = entry => BASE + basename(built.find(({ entryPoint }) => entryPoint === entry).path)
  // The browser requests the imports of the first module without having parsed it.
  const first = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === MAIN)
  const preloads = first.imports
    .filter(({ kind }) => isStatic(kind))
    .map(({ path }) => `<link rel="modulepreload" href="${BASE}${basename(path)}">`)
  const page = readFileSync(`${SOURCE}/index.html`, 'utf8')
    .replace('{{script}}', urlOf(MAIN))
    .replace('{{style}}', urlOf(`${SOURCE}/style/console.css`))
    .replace('{{preload}}', preloads.join('\n'))
    .replace('{{icon}}', BASE + basename(built.find(({ path }) => path.endsWith('.svg')).path))
  writeCompressed(join(outdir, 'console/index.html'), Buffer.from(page))
  return Object.keys(metafile.inputs)
}

/**
 * Returns a plugin that puts the modules which the page loads first into one chunk. esbuild makes a chunk for each set of
 * views that share a module, ten small ones; a module that every view imports is in the chunk of all.
 */
async function oneFirstChunk(options) {
  const { outputs } = (await build({ ...options, entryPoints: [MAIN] })).metafile
  const first = new Set([Object.keys(outputs).find(path => outputs[path].entryPoint === MAIN)])
  for (const path of first)
    for (const { kind, path: next } of outputs[path].imports) if (isStatic(kind)) first.add(next)
  // The modules of the first chunk itself import those of the others.
  const shared = [...first].slice(1).flatMap(path => Object.keys(outputs[path].inputs))
  const statements = shared.map(path => `import ${JSON.stringify(resolve(path))}`).join('\n')
  const later = Object.values(outputs)
    .flatMap(({ entryPoint }) => entryPoint ?? [])
    .filter(entry => entry !== MAIN)
  return {
    name: 'one-first-chunk',
    setup({ onLoad }) {
      onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        if (!later.some(entry => resolve(entry) === path)) return undefined
        return { contents: `${await readFile(path, 'utf8')}\n${statements}`, loader: extname(path).slice(1) }
      })
    },
  }
}

/** Whether an import of that kind is loaded together with the module that has it. */
const isStatic = kind => kind === 'import-statement'

/** Writes a file and its compressed versions with the highest compression, so that the server never compresses. */
function writeCompressed(path, contents) {
  writeFileSync(path, contents)
  if (!['.js', '.css', '.html', '.svg'].includes(extname(path))) return
  const params = { [zlib.BROTLI_PARAM_QUALITY]: zlib.BROTLI_MAX_QUALITY }
  writeFileSync(
    `${path}.br`,
    kept('br', contents, () => brotliCompressSync(contents, { params })),
  )
  writeFileSync(
    `${path}.gz`,
    kept('gz', contents, () => gzipSync(contents, { level: 9 })),
  )
}

/** Returns the compressed bytes from an earlier build with the same engine, or makes them: most builds change few files. */
function kept(form, contents, compress) {
  const hash = createHash('sha256').update(process.version).update(contents).digest('hex')
  const path = join(COMPRESSED, `${hash}.${form}`)
  if (existsSync(path)) return readFileSync(path)
  const bytes = compress()
  mkdirSync(COMPRESSED, { recursive: true })
  // Another build may read at the same time: the file appears whole.
  writeFileSync(`${path}.${process.pid}`, bytes)
  renameSync(`${path}.${process.pid}`, path)
  return bytes
}
