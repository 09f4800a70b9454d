// The configurations that a page shows, checked by the shipped schema and loaded.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import { loadPlan } from './load.ts'
import { type Block, blocksOf, ROOT } from './pages.ts'

export type Configuration = Readonly<Record<string, unknown>>
/** Makes a complete configuration of a block. */
export type Complete = (shown: Configuration) => Configuration
/** A part about files or an API that the page does not show: only its keys and values are checked. */
export const shape = 'shape'
export type Way = Complete | typeof shape

export const petStore: Configuration = {
  ...(parse(readFileSync(join(ROOT, 'config/gateway.yaml'), 'utf8')) as Configuration),
  contract: join(ROOT, 'config/openapi.yaml'),
  resources: { pets: { schema: 'Pet', defaults: { status: 'available' } } },
}

/** Blocks that are added to those of a base, operation by operation. */
export const beside =
  (base: Configuration): Complete =>
  shown => ({
    ...base,
    ...shown,
    operations: { ...(base.operations as object), ...(shown.operations as object) },
  })

/** The blocks of a page with parts of gateway.yaml. */
export const configurationsOf = (page: string): Block[] =>
  // The commands below a file with mistakes show them. Overlays and workflows are no configurations.
  blocksOf(page).filter(
    ({ language, file, text }) =>
      language === 'yaml' && file !== 'mistakes.yaml' && !/^(?:overlay:|- |jobs:)/m.test(text),
  )

let compiled: ValidateFunction | undefined
/** Asserts that a strict validator accepts a configuration with the shipped schema. */
export function assertFits(configuration: Configuration): void {
  if (compiled === undefined) {
    const ajv = new Ajv2020({ strict: true, allErrors: true })
    formats.default(ajv)
    compiled = ajv.compile(JSON.parse(readFileSync(join(ROOT, 'config/gateway.schema.json'), 'utf8')))
  }
  assert.ok(compiled(configuration), JSON.stringify(compiled.errors))
}

/** Checks each configuration of a page. Returns what loading reports of each. */
export function checkConfigurations(page: string, ways: readonly Way[]): string[] {
  const blocks = configurationsOf(page)
  assert.equal(ways.length, blocks.length, `say for each block of ${page} how it becomes a configuration`)
  return blocks.map(({ text }, i) => {
    const shown = parse(text) as Configuration
    const way = ways[i] as Way
    if (way === shape) assertFits({ contract: './openapi.yaml', ...shown })
    else if ('contract' in shown && !text.includes('…')) assertFits(shown)
    return way === shape ? '' : loadShown(way(shown))
  })
}

/** Loads a configuration in a folder with a picture. Returns the warnings. */
function loadShown(configuration: Configuration): string {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  try {
    writeFileSync(join(home, 'picture.png'), '')
    writeFileSync(join(home, 'gateway.yaml'), JSON.stringify(configuration))
    const { plan, report } = loadPlan('gateway.yaml', home, {})
    assert.ok(plan, formatDiagnostics(report.list))
    return formatDiagnostics(report.list)
  } finally {
    rmSync(home, { recursive: true })
  }
}
