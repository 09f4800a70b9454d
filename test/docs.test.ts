// The pages of docs/ and README.md: every configuration loads as shown with its contract, and every link has a target.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { after, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { formatDiagnostics } from '../src/kernel/report.ts'
import { loadPlan } from './support/load.ts'
import { blocksOf, PAGES, ROOT, readPage } from './support/pages.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(scratch, { recursive: true }))

type Configuration = Readonly<Record<string, unknown>>
/** Makes a complete configuration of a block. */
type Complete = (shown: Configuration) => Configuration

const petStore: Configuration = {
  ...(parse(read('config/gateway.yaml')) as Configuration),
  contract: join(ROOT, 'config/openapi.yaml'),
  resources: { pets: { schema: 'Pet', defaults: { status: 'available' } } },
}
const shop = { ...(parse(read('config/shop.yaml')) as Configuration) }
const pictures = {
  contract: {
    openapi: '3.1.0',
    info: { title: 'Pictures', version: '1' },
    paths: {
      '/picture': {
        get: { operationId: 'getPicture', responses: { 200: { description: 'It.', content: { 'image/png': {} } } } },
      },
      '/order': {
        get: {
          operationId: 'getOrder',
          responses: {
            200: {
              description: 'It.',
              content: { 'application/json': { examples: { shipped: { value: { status: 'shipped' } } } } },
            },
          },
        },
      },
    },
  },
}

/** A complete file. The test adds its contract and other files only. */
const whole: Complete = shown => ({
  ...shown,
  contract: petStore.contract,
  resources: { pets: { ...(shown.resources as Record<string, object>).pets, seed: { generate: 5 } } },
})
/** Blocks that are added to those of a base, operation by operation. */
const beside =
  (base: Configuration): Complete =>
  shown => ({
    ...base,
    ...shown,
    operations: { ...(base.operations as object), ...(shown.operations as object) },
  })
/** Behaviours of one operation. */
const under =
  (operation: string): Complete =>
  shown => ({ ...petStore, operations: { ...(petStore.operations as object), [operation]: shown } })
/** A part about files or an API that the page does not show: only its keys and values are checked. */
const shape = 'shape'

/** By page, how each of its blocks in YAML becomes a configuration. */
const CONFIGURATIONS: Readonly<Record<string, readonly (Complete | typeof shape)[]>> = {
  'README.md': [whole, whole],
  'docs/browsers.md': [beside(petStore)],
  'docs/drift.md': [shape],
  'docs/forwarding.md': [shape, shape],
  'docs/getting-started.md': [whole],
  'docs/lasting-state.md': [beside(petStore), beside(petStore), beside(petStore)],
  'docs/operations.md': [shape, shape],
  'docs/changing-a-contract.md': [shape],
  'docs/overlays.md': [shape],
  'docs/sandbox-over-staging.md': [shape],
  'docs/rules.md': [beside(petStore), beside(petStore), beside(pictures)],
  'docs/state.md': [shape, shape, shape],
  'docs/states.md': [beside(shop), beside(shop)],
  'docs/sunset.md': [under('getPet')],
  'docs/worlds-and-time.md': [shape, shape],
  'docs/weather.md': [beside(petStore)],
}

const ajv = new Ajv2020({ strict: true, allErrors: true })
formats.default(ajv)
const fits = ajv.compile(JSON.parse(read('config/gateway.schema.json')))

for (const page of PAGES) {
  // The commands below a file with mistakes show them. Overlays and workflows are no configurations.
  const blocks = blocksOf(page).filter(
    ({ language, file, text }) =>
      language === 'yaml' && file !== 'mistakes.yaml' && !/^(?:overlay:|- |jobs:)/m.test(text),
  )
  const ways = CONFIGURATIONS[page] ?? []
  if (blocks.length === 0) continue
  test(`${page}: every configuration loads as shown`, () => {
    assert.equal(ways.length, blocks.length, `say in CONFIGURATIONS how each block of ${page} becomes a configuration`)
    for (const [i, { text }] of blocks.entries()) {
      const shown = parse(text) as Configuration
      const way = ways[i] as Complete | typeof shape
      if (way === shape) {
        assert.ok(fits({ contract: './openapi.yaml', ...shown }), ajv.errorsText(fits.errors))
        continue
      }
      const home = join(scratch, `${page.replaceAll('/', '-')}-${i}`)
      mkdirSync(home)
      writeFileSync(join(home, 'picture.png'), '')
      writeFileSync(join(home, 'gateway.yaml'), JSON.stringify(way(shown)))
      const { plan, report } = loadPlan('gateway.yaml', home, {})
      assert.ok(plan, formatDiagnostics(report.list))
      if (way === whole) assert.equal(report.list.length, 0, formatDiagnostics(report.list))
    }
  })
}

/** The anchors of a page: its headings as GitHub and VitePress slug them, a number behind those that repeat. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>()
  const text = readPage(page).replace(/^```.*?^```$/gms, '')
  return new Set(
    [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => {
      const slug = (heading as string)
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-')
      const times = seen.get(slug) ?? 0
      seen.set(slug, times + 1)
      return times === 0 ? slug : `${slug}-${times}`
    }),
  )
}

for (const page of PAGES) {
  test(`${page}: every link leads to a file or a heading`, () => {
    const text = readPage(page)
      .replace(/^```.*?^```$/gms, '')
      .replace(/`[^`\n]*`/g, '')
    const broken = [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].flatMap(([, link]) => {
      const [path = '', anchor] = (link as string).split('#')
      const target = path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, '')
      if (!existsSync(join(ROOT, target))) return [`${link}: there is no ${target}`]
      if (anchor === undefined) return []
      if (!target.endsWith('.md')) return statSync(join(ROOT, target)).isDirectory() ? [`${link}: a folder`] : []
      return anchorsOf(target).has(anchor) ? [] : [`${link}: ${target} has no heading #${anchor}`]
    })
    assert.deepEqual(broken, [])
  })
}

test('every shipped configuration is without a mistake or a warning', () => {
  for (const path of ['config/gateway.yaml', 'config/rehearsal.yaml', 'config/shop.yaml', 'deploy/gateway.yaml']) {
    const { report } = loadPlan(join(ROOT, path), ROOT, {}, { strict: true })
    assert.equal(formatDiagnostics(report.list), '', path)
  }
})

test('no page downloads the package that is called understudy on the npm registry, which is another program', () => {
  const downloads =
    /(?:npx|npm exec|npm (?:install|i|add)|pnpm dlx|yarn dlx|bunx)(?: (?:-[-\w]+|--))* understudy(?![-./\w])/
  for (const page of PAGES) {
    const command = read(page).match(downloads)?.[0] ?? ''
    assert.ok(command === '' || /^npx --no understudy$/.test(command), `${page}: ${command}`)
  }
})
