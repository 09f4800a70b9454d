// The console's files, which `npm run build` writes beside the program.

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ControlPage } from '../../http/control/page.ts'
import { GUARD_HEADERS } from '../../http/control/replies.ts'

const PREFIX = '/console/'
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}
const CODINGS = { br: '.br', gzip: '.gz', identity: '' } as const

/**
 * The policy of every file of the page: scripts, styles and requests of its origin only, and no frames. Attributes may have
 * styles, since Chromium gives one to text that is typed over a selection in the editor.
 */
const PAGE_HEADERS = {
  ...GUARD_HEADERS,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const NOT_BUILT = 'The console is not built: npm run build writes it beside the program.\n'

const owns = (path: string): boolean => path === '/' || path.startsWith(PREFIX)

/**
 * Serves the page at `/` to a browser and its files below `/console/`. The name of such a file changes with its content.
 */
const serve: ControlPage['serve'] = async (ctx, next) => {
  const isRoot = ctx.path === '/' && ctx.accepts('json', 'html') === 'html'
  if ((!isRoot && !ctx.path.startsWith(PREFIX)) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
  const name = isRoot ? 'index.html' : ctx.path.slice(PREFIX.length)
  const type = TYPES[/^[\w-][\w.-]*\.(\w+)$/.exec(name)?.[1] ?? '']
  if (type === undefined) return next()
  // Without weights the order of the client has no meaning: send the smallest accepted file.
  const coding = (['br', 'gzip'] as const).find(one => ctx.acceptsEncodings(one) === one) ?? 'identity'
  let file = await readBuilt(name + CODINGS[coding])
  const encoded = file !== undefined && coding !== 'identity'
  file ??= await readBuilt(name)
  if (file === undefined && !isRoot) return next()
  ctx.set(PAGE_HEADERS)
  ctx.vary(isRoot ? 'Accept, Accept-Encoding' : 'Accept-Encoding')
  ctx.set('cache-control', isRoot ? 'no-cache' : 'public, max-age=31536000, immutable')
  if (file === undefined) {
    ctx.status = 503
    ctx.body = NOT_BUILT
    return
  }
  ctx.status = 200
  if (encoded) ctx.set('content-encoding', coding)
  ctx.type = type
  ctx.body = file
}

export const consolePage: ControlPage = { owns, serve }

let folder: Promise<string> | undefined

/** Reads a file; `undefined` where there is none. */
async function readBuilt(name: string): Promise<Buffer | undefined> {
  try {
    folder ??= findFolder()
    return await readFile((await folder) + name)
  } catch {
    return undefined
  }
}

/** Returns the folder of the built page. When run from the sources, the page is built at the first request. */
async function findFolder(): Promise<string> {
  const beside = new URL('./console/', import.meta.url)
  if (!import.meta.url.endsWith('/src/wings/console/console-files.ts')) return fileURLToPath(beside)
  const out = fileURLToPath(new URL('../../../node_modules/.cache/understudy/from-sources/', import.meta.url))
  // The bundler does not resolve a computed name.
  const { buildConsole } = await import(['../../..', 'build/console.mjs'].join('/'))
  await buildConsole(out)
  return `${out}console/`
}
