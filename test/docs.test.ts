// The pages of docs/ and README.md: every configuration loads as shown with its contract, and every link has a target.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { formatDiagnostics } from '../src/kernel/report.ts'
import { WINGS } from '../src/wings.ts'
import { testFiles } from './house/source-files.ts'
import {
  beside,
  type Complete,
  type Configuration,
  checkConfigurations,
  configurationsOf,
  petStore,
  shape,
  type Way,
} from './support/configurations.ts'
import { loadPlan } from './support/load.ts'
import { PAGES, pagesOfWings, ROOT, readPage } from './support/pages.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

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
/** Behaviours of one operation. */
const under =
  (operation: string): Complete =>
  shown => ({ ...petStore, operations: { ...(petStore.operations as object), [operation]: shown } })

/** By page, how each of its blocks becomes a configuration. The tests of a wing have those of its pages. */
const CONFIGURATIONS: Readonly<Record<string, readonly Way[]>> = {
  'README.md': [whole, whole],
  'docs/browsers.md': [beside(petStore)],
  'docs/operations.md': [shape, shape, shape],
  'docs/rules.md': [beside(petStore), beside(petStore), beside(pictures)],
  'docs/state.md': [shape, shape, shape, shape],
  'docs/states.md': [beside(shop), beside(shop)],
  'docs/sunset.md': [under('getPet')],
  'docs/worlds-and-time.md': [shape, shape],
  'docs/weather.md': [beside(petStore)],
}

for (const [page, ways] of Object.entries(CONFIGURATIONS)) {
  test(`${page}: every configuration loads as shown`, () => {
    const diagnostics = checkConfigurations(page, ways)
    for (const [i, way] of ways.entries()) if (way === whole) assert.equal(diagnostics[i], '')
  })
}

test('every configuration of a page is checked', () => {
  const wings = WINGS.map(({ name }) => name)
  const ofAbsentWings = [...pagesOfWings()].flatMap(([name, pages]) => (wings.includes(name) ? [] : pages))
  const testsOfWings = testFiles.filter(({ path }) => path.startsWith('test/wings/'))
  const isChecked = (page: string) =>
    page in CONFIGURATIONS || testsOfWings.some(({ text }) => text.includes(`'${page}'`))
  const others = PAGES.filter(
    page => configurationsOf(page).length > 0 && !isChecked(page) && !ofAbsentWings.includes(page),
  )
  assert.deepEqual(
    others,
    [],
    'say in CONFIGURATIONS, or in the tests of its wing, how its blocks become configurations',
  )
})

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
  for (const path of ['config/gateway.yaml', 'config/rehearsal.yaml', 'config/shop.yaml']) {
    const { report } = loadPlan(join(ROOT, path), ROOT, {}, { strict: true })
    assert.equal(formatDiagnostics(report.list), '', path)
  }
})

test('no page runs or installs the package that is called understudy on the npm registry, which is another program', () => {
  const another =
    /(?:npx|npm exec|npm (?:install|i|add)|pnpm dlx|yarn dlx|bunx)(?: (?:-[-\w]+|--))* understudy(?![-./\w])/
  assert.deepEqual(
    PAGES.filter(page => another.test(read(page))),
    [],
  )
})
