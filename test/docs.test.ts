// The configurations that docs/ shows: each is loaded as it stands there, beside the contract that it speaks of.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import { formatDiagnostics } from '../src/kernel/diagnostic.ts'
import { loadPlan } from '../src/load/load.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const scratch = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(scratch, { recursive: true }))

const petStore = {
  ...(parse(read('config/gateway.yaml')) as object),
  contract: join(ROOT, 'config/openapi.yaml'),
  resources: { pets: { schema: 'Pet', defaults: { status: 'available' } } },
}
const shop = parse(read('config/shop.yaml')) as Record<string, unknown>
const picture = {
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

const blocksOf = (page: string): string[] =>
  [...read(page).matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text as string)

/** By page, what each of its blocks stands beside. */
const PAGES: Readonly<Record<string, readonly object[]>> = {
  'docs/rules.md': [petStore, picture],
  'docs/states.md': [shop, shop],
}

for (const [page, beside] of Object.entries(PAGES)) {
  test(`${page}: every configuration loads as it stands there`, () => {
    const blocks = blocksOf(page)
    assert.equal(blocks.length, beside.length, 'each block has something to stand beside')
    for (const [i, block] of blocks.entries()) {
      const home = join(scratch, `${page.replaceAll('/', '-')}-${i}`)
      mkdirSync(home)
      writeFileSync(join(home, 'picture.png'), '')
      const base = beside[i] as { operations?: object; resources?: object }
      const shown = parse(block) as { operations?: object; resources?: object }
      const merged = {
        ...base,
        ...(shown.resources === undefined ? {} : { resources: shown.resources }),
        operations: { ...base.operations, ...shown.operations },
      }
      writeFileSync(join(home, 'gateway.yaml'), JSON.stringify(merged))
      const { plan, report } = loadPlan('gateway.yaml', home, {})
      assert.ok(plan, formatDiagnostics(report.list))
    }
  })
}
