// For npm run build: reads Koa's tables of media types on first use. Koa needs them only if a middleware negotiates a type,
// and reading them took half of the time that loading Koa takes.

import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'

const FUNCTIONS = ['charset', 'contentType', 'extension', 'lookup']

/** A plugin of esbuild. */
export const lazyMediaTypes = {
  name: 'lazy-media-types',
  setup(build) {
    build.onResolve({ filter: /^mime-types$/ }, async ({ pluginData, kind, importer, resolveDir }) => {
      if (pluginData === 'itself') return undefined
      const { path } = await build.resolve('mime-types', { kind, importer, resolveDir, pluginData: 'itself' })
      // Relative: the bundle names it in a comment, and must not depend on where it was made.
      return { path: relative('', path), namespace: 'lazy-media-types' }
    })
    build.onLoad({ filter: /.*/, namespace: 'lazy-media-types' }, ({ path }) => ({
      contents: FUNCTIONS.map(
        name => `exports.${name} = (...given) => require(${JSON.stringify(resolve(path))}).${name}(...given)`,
      ).join('\n'),
      resolveDir: dirname(resolve(path)),
    }))
    // The engine parses JSON in a text faster than the same object in code, and only on use.
    build.onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, ({ path }) => {
      const table = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))
      return { contents: `module.exports = JSON.parse(${JSON.stringify(table)})` }
    })
  },
}
