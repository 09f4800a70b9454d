// What the house and each wing weigh, and the functions that do not fit on a screen. A bound is 5 % above the size at the time it
// was set. A new wing needs a line here and no other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transform } from 'esbuild'
import { functionsOf } from './functions.ts'
import { sourceFiles } from './source-files.ts'

/** The most kB of each part. A kB is 1,000 bytes of code, each file minified. */
const MOST_KB: Readonly<Record<string, number>> = {
  core: 786,
  page: 130,
  swagger: 6,
  'state-file': 12,
  redis: 17,
  workers: 10,
  overlay: 14,
  advice: 14,
  probe: 25,
  effects: 12,
  streams: 14,
  infer: 53,
  'real-api': 33,
  project: 70,
  record: 29,
  drift: 28,
  import: 55,
  coverage: 21,
  deprecations: 10,
  next: 32,
  webhooks: 48,
  tokens: 44,
  mcp: 5,
  fixtures: 4,
  console: 12,
}

/** The most lines of a function. */
const SCREEN = 60
/** Functions that are longer, with their length. A length may only become less; a table of data may stay. */
const LONGER: Readonly<Record<string, number>> = {
  'behaviours/respond/record.ts compileMaker': 71,
  'behaviours/respond/write.ts compileCreateOne': 71,
  'cli/command-line.ts readCommandLine': 65,
  'expression/template.ts compileFilling': 80,
  'kernel/schema/schema.ts reachedBy': 85,
  'load/seed/seed-records.ts recordsOf': 68,
  'wings/import/stubs.ts readResponse': 75,
  'wings/project/inferred-project.ts inferredProject': 70,
}

const partOf = (path: string): string =>
  /^wings\/([^/]+)\//.exec(path)?.[1] ??
  (path.startsWith('console/') ? 'page' : path.startsWith('fixtures/') ? 'fixtures' : 'core')

test('the core, the page and each wing stay within their bound', async () => {
  const sizes = new Map<string, number>()
  for (const { path, text } of sourceFiles.filter(({ path }) => !path.endsWith('.d.ts'))) {
    const { code } = await transform(text, { loader: path.endsWith('x') ? 'tsx' : 'ts', minify: true })
    sizes.set(partOf(path), (sizes.get(partOf(path)) ?? 0) + code.length)
  }
  const kB = [...sizes].map(([part, bytes]) => [part, Math.ceil(bytes / 1000)] as const)
  const unnamed = [...sizes.keys()].filter(part => MOST_KB[part] === undefined)
  assert.deepEqual(unnamed, [], 'give every part its bound here')
  const wrong = kB.filter(([part, size]) => size > (MOST_KB[part] as number))
  assert.deepEqual(
    wrong.map(([part, size]) => `${part}: ${size} kB instead of ${MOST_KB[part]}`),
    [],
    'could it be a wing? could something go? else say in the commit what a user gets for it',
  )
})

test('a function has at most 60 lines; the list of longer ones only shrinks', () => {
  const found = new Map<string, number>()
  for (const { path, text } of sourceFiles) {
    for (const { name, lines } of functionsOf(path, text)) {
      const key = `${path} ${name}`
      if (lines > SCREEN) found.set(key, Math.max(lines, found.get(key) ?? 0))
    }
  }
  const longer = [...found].filter(([key, lines]) => lines > (LONGER[key] ?? 0))
  assert.deepEqual(
    longer.map(([key, lines]) => `${key}: ${lines} lines`),
    [],
    'divide it; a closure over many variables is a class',
  )
  // The entries of a wing that was taken out may stay.
  const isOut = (key: string) =>
    key.startsWith('wings/') && !sourceFiles.some(({ path }) => partOf(path) === partOf(key))
  const shorter = Object.entries(LONGER).filter(([key, lines]) => (found.get(key) ?? 0) < lines && !isOut(key))
  assert.deepEqual(
    shorter.map(([key]) => `${key}: ${found.get(key) ?? 'no longer there, or short'}`),
    [],
    'write its length into the list, or remove it',
  )
})
