// Builds the pages of docs/, README.md and their neighbours into a site with a local search, in .site/dist. Needs no network.
// The pages link to each other, and to files of the repository, as they lie there: each is copied to .site/pages, and a file
// or folder that is linked to becomes a page of its own. VitePress then fails on a link that leads nowhere.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, posix, relative, resolve } from 'node:path'
import { build, serve } from 'vitepress'
import { configure } from './config.mjs'

const ROOT = resolve(import.meta.dirname, '../..')
const SITE = join(ROOT, '.site')
const STAGE = join(SITE, 'pages')
/** Pages outside docs/, with their address. */
const OUTSIDE = {
  'README.md': 'readme.md',
  'CONTRIBUTING.md': 'contribute.md',
  'SECURITY.md': 'security.md',
  'CHANGELOG.md': 'changelog.md',
}
const PICTURES = /^\.(?:svg|png|webp)$/

rmSync(SITE, { recursive: true, force: true })
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter(
  path => path.endsWith('.md') && !path.startsWith('site'),
)
/** By the path in the repository, the page's path in the site. */
const addresses = new Map([
  ...Object.entries(OUTSIDE),
  ...pages.map(path => /** @type {[string, string]} */ ([posix.join('docs', path), path])),
])
/** Files that are linked to, and have no page yet. */
const wanted = new Set()

for (const [path, address] of [...addresses])
  write(address, translate(readFileSync(join(ROOT, path), 'utf8'), path, address))
for (const path of wanted) write(addresses.get(path), describe(path))
if (existsSync(join(ROOT, 'docs/pictures'))) {
  cpSync(join(ROOT, 'docs/pictures'), join(STAGE, 'pictures'), { recursive: true })
}
const titles = new Map(
  [...addresses]
    .filter(([path]) => path.endsWith('.md'))
    .map(([path, address]) => [address.slice(0, -3), titleOf(path)]),
)
// `{{name}}` in code is text, and not an expression of Vue.
const asText = `md => {
  const code = md.renderer.rules.code_inline
  md.renderer.rules.code_inline = (...given) => code(...given).replace('<code', '<code v-pre')
}`
const site = JSON.stringify(configure(titles))
write('.vitepress/config.mjs', `export default { ...${site}, markdown: { config: ${asText} } }\n`)

await build(STAGE)
console.log(`${addresses.size} pages are in ${relative(ROOT, join(SITE, 'dist'))}`)
if (process.argv.includes('--serve')) await serve({ root: STAGE, base: '/', port: Number(process.env.PORT ?? 4173) })

/** @param {string} address @param {string} text */
function write(address, text) {
  mkdirSync(dirname(join(STAGE, address)), { recursive: true })
  writeFileSync(join(STAGE, address), text)
}

/**
 * The text of a page with its links as they are in the site.
 *
 * @param {string} text @param {string} path in the repository @param {string} address in the site
 */
function translate(text, path, address) {
  let fenced = false
  return text
    .split('\n')
    .map(line => {
      if (line.startsWith('```')) fenced = !fenced
      if (fenced) return line
      return line.replace(/\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)/g, (_, link, anchor = '') => {
        const target = posix.normalize(posix.join(posix.dirname(path), link)).replace(/\/$/, '')
        return `](${addressOf(target, address)}${anchor})`
      })
    })
    .join('\n')
}

/** @param {string} target in the repository @param {string} from a page of the site */
function addressOf(target, from) {
  if (PICTURES.test(extname(target))) return relativeTo(from, target.replace(/^docs\//, ''))
  if (!addresses.has(target)) {
    addresses.set(target, `files/${target}.md`)
    wanted.add(target)
  }
  return relativeTo(from, addresses.get(target))
}

/** @param {string} from @param {string} to */
function relativeTo(from, to) {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}

/** The heading of a page. @param {string} path in the repository */
function titleOf(path) {
  return /^# (.+)$/m.exec(readFileSync(join(ROOT, path), 'utf8'))?.[1] ?? path
}

/** A page that shows a file, or lists a folder. @param {string} path in the repository */
function describe(path) {
  const address = addresses.get(path)
  const file = join(ROOT, path)
  if (statSync(file).isDirectory()) {
    const entries = readdirSync(file).sort()
    const lines = entries.map(name => `- [${name}](${addressOf(posix.join(path, name), address)})`)
    return `# ${path}/\n\n${lines.join('\n')}\n`
  }
  const language =
    { '.ts': 'ts', '.yaml': 'yaml', '.yml': 'yaml', '.json': 'json', '.mjs': 'js' }[extname(path)] ?? 'text'
  return `# ${path}\n\n\`\`\`\`${language}\n${readFileSync(file, 'utf8')}\`\`\`\`\n`
}
