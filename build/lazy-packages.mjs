// For npm run build: packages that the program needs only at times are files of their own, which are read at their first use.
// That saves a start a tenth of its time and of its memory.

import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** What is used of each package. Media types: Koa needs them only if a middleware negotiates a type. */
const USED = {
  'mime-types': ['charset', 'contentType', 'extension', 'lookup'],
  re2js: ['RE2JS'],
  '@marcbachmann/cel-js': ['Environment'],
  'fast-xml-parser': ['XMLParser', 'XMLValidator'],
  '@eslint-community/regexpp': ['RegExpParser'],
  rfc6902: ['applyPatch'],
  '@scalar/openapi-upgrader': ['upgrade'],
  'jsonpath-rfc9535': ['exec'],
  yaml: ['Document', 'isAlias', 'isCollection', 'isMap', 'isPair', 'isScalar', 'isSeq', 'parseDocument', 'visit'],
}

/** Stands for an export, which may be called, constructed or read. */
const STAND_IN = `const later = load => new Proxy(function () {}, {
  get: (_, name) => load()[name],
  apply: (_, self, given) => load().apply(self, given),
  construct: (_, given) => new (load())(...given),
})`

/** A plugin of esbuild. @param inputs the paths of all files of these packages are added to it */
export const lazyPackages = (outdir, inputs) => ({
  name: 'lazy-packages',
  setup({ onResolve, onLoad, resolve, esbuild, initialOptions: { platform, target } }) {
    onResolve({ filter: new RegExp(`^(${Object.keys(USED).join('|')})$`) }, async args => {
      const { path: name, pluginData, kind, importer, resolveDir } = args
      if (pluginData === 'itself') return undefined
      const { path } = await resolve(name, { kind, importer, resolveDir, pluginData: 'itself' })
      // Relative: the bundle names it in a comment, and must not depend on where it was made.
      return { path: relative('', path), namespace: 'lazy-packages', pluginData: name }
    })
    onLoad({ filter: /.*/, namespace: 'lazy-packages' }, async ({ path, pluginData: name }) => {
      const [home] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)
      const { version } = JSON.parse(readFileSync(`${home}/package.json`, 'utf8'))
      const file = `packages/${name.replace(/\W+/g, '-').replace(/^-/, '')}-${version}.cjs`
      const { metafile } = await esbuild.build({
        ...{ entryPoints: [path], outfile: `${outdir}/${file}`, bundle: true, platform, target, format: 'cjs' },
        ...{ plugins: [mediaTypes], metafile: true, logLevel: 'warning' },
      })
      inputs.push(...Object.keys(metafile.inputs))
      const load = used => `export const ${used} = later(() => require('./${file}').${used})`
      return { contents: [STAND_IN, ...USED[name].map(load)].join('\n') }
    })
    onResolve({ filter: /^\.\/packages\// }, ({ path }) => ({ path, external: true }))
  },
})

/** The engine parses JSON in a text faster than the same object in code. */
const mediaTypes = {
  name: 'media-types',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, ({ path }) => {
      const table = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))
      return { contents: `module.exports = JSON.parse(${JSON.stringify(table)})` }
    })
  },
}
