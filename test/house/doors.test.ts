import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { houseWith } from '../../src/plan/house.ts'
import { WINGS } from '../../src/wings.ts'
import { ROOT, sourceFiles } from './source-files.ts'

/** The view of a wing is a part of the console's page. */
const placeOf = (path: string): string => (path.endsWith('.tsx') ? path.replace(/^wings\//, 'console/') : path)
/** The one file or folder that imports a package, or the common beginning of a few files. Its reason is in docs/contributing/packages.md. */
const DOORS: Readonly<Record<string, string | readonly string[]>> = {
  koa: 'http/',
  '@koa/router': 'http/control/control-plane.ts',
  '@koa/cors': 'http/data-plane.ts',
  '@peculiar/x509': 'http/self-signed.ts',
  'reflect-metadata': 'http/self-signed.ts',
  'koa-bodyparser': 'http/request.ts',
  '@marcbachmann/cel-js': 'expression/language.ts',
  re2js: 'kernel/pattern.ts',
  'jsonpath-rfc9535': 'wings/overlay/json-path.ts',
  '@scalar/openapi-upgrader': 'wings/swagger/convert-swagger.ts',
  mrmime: 'behaviours/respond/file.ts',
  'range-parser': 'behaviours/respond/ranges.ts',
  ajv: 'kernel/schema/',
  'ajv-formats': 'kernel/schema/keywords.ts',
  yaml: ['kernel/file/yaml-tree.ts', 'kernel/file/write-yaml.ts'],
  'js-yaml': 'kernel/file/yaml-events.ts',
  'prom-client': 'gateway/metrics/families.ts',
  pino: 'gateway/log.ts',
  'pino-pretty': 'gateway/log.ts',
  'sonic-boom': 'gateway/log.ts',
  'find-my-way': 'contract/paths.ts',
  'sorted-btree': 'world/records/rows.ts',
  jose: 'wings/tokens/',
  'lru-cache': ['world/', 'wings/real-api/'],
  '@redis/client': 'wings/redis/redis-connection.ts',
  '@modelcontextprotocol/server': 'wings/mcp/',
  preact: 'console/',
  '@preact/signals': 'console/',
  codemirror: 'console/editor/editor.ts',
  '@codemirror/lang-yaml': 'console/editor/',
  '@codemirror/merge': 'console/editor/editor.ts',
  '@codemirror/state': 'console/editor/editor.ts',
  '@codemirror/view': 'console/editor/editor.ts',
  '@codemirror/lint': 'console/editor/editor.ts',
  '@codemirror/autocomplete': 'console/editor/editor.ts',
  '@codemirror/language': 'console/editor/editor.ts',
  '@lezer/highlight': 'console/editor/editor.ts',
  '@playwright/test': 'fixtures/',
  vitest: 'fixtures/vitest.ts',
}
const TOOLS = [
  ...['tsx', 'playwright-core', 'axe-core', 'typescript', '@biomejs/biome', 'fast-check', 'esbuild', 'autocannon'],
  ...['rollup', 'rollup-plugin-dts', '@typescript/typescript6', 'publint', '@arethetypeswrong/cli', 'typescript-5.4'],
  ...['vitepress', 'koa-mount', 'koa-compress', '@actions/workflow-parser', '@modelcontextprotocol/client'],
]

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const manifest = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'peerDependencies',
  object
>
const packages = Object.keys(manifest.dependencies)
/** The runners, which a project has itself. */
const peers = Object.keys(manifest.peerDependencies)
const isTool = (name: string) => TOOLS.includes(name) || name.startsWith('@types/')
const architecture = read('docs/contributing/architecture.md')
const reasons = read('docs/contributing/packages.md')

const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
/** Packages of types only: nothing of them is in the program. */
const TYPES = ['har-format']
const isPackage = (name: string): boolean =>
  !name.startsWith('node:') && !/\.(?:tsx?|json)$/.test(name) && !TYPES.includes(name)
const importers = new Map<string, string[]>()
for (const { path, imports } of sourceFiles) {
  for (const name of new Set(imports.filter(isPackage).map(packageOf))) {
    importers.set(name, [...(importers.get(name) ?? []), placeOf(path)])
  }
}

test('each package is imported by one file or folder', () => {
  const wrong = [...importers].flatMap(([name, paths]) => {
    const door = DOORS[name]
    if (door !== undefined) {
      const isInside = (path: string) => [door].flat().some(place => path.startsWith(place))
      return paths.filter(path => !isInside(path)).map(path => `${name} in ${path}`)
    }
    const folders = new Set(paths.map(path => path.slice(0, path.lastIndexOf('/') + 1)))
    return folders.size > 1 ? [`${name} in ${paths.join(', ')}`] : []
  })
  assert.deepEqual(wrong, [])
})

test('the dependencies are the packages that src/ imports, the development dependencies are tools', () => {
  // The manifest has those of wings that were taken out, too.
  const isLeft = (name: string) => {
    const wing = /^wings\/([^/]+)\//.exec(String(DOORS[name]))?.[1]
    return wing === undefined || WINGS.some(({ name }) => name === wing)
  }
  assert.deepEqual([...importers.keys()].sort(), [...packages.filter(isLeft), ...peers].sort())
  assert.deepEqual(
    Object.keys(manifest.devDependencies).filter(name => !isTool(name)),
    [],
  )
})

test('the page of packages says in one line what each package is for', () => {
  const all = [...packages, ...peers, ...Object.keys(manifest.devDependencies)].sort()
  const named = [...reasons.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) =>
    [...(cell as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
  )
  assert.deepEqual(named.sort(), all)
})

test('the lock file names no registry', () => {
  assert.equal(read('package-lock.json').includes('"resolved"'), false)
})

test('the architecture page shows every behaviour on the path of a request', () => {
  const path = architecture.slice(architecture.indexOf("## A request's path"), architecture.indexOf('## The house'))
  const behaviours = houseWith(WINGS).behaviours.map(({ name }) => name)
  const shown = [...path.matchAll(/│ {4,}(\w+)/g)].map(([, name]) => name as string)
  assert.deepEqual(
    // The page has those of wings that were taken out, too.
    shown.filter(name => behaviours.includes(name)),
    behaviours,
    'draw the list of src/behaviours/index.ts, with the behaviours of wings, in docs/contributing/architecture.md, in its order',
  )
})

test('the architecture page lists every wing', () => {
  const listed = [...architecture.matchAll(/^\| \[`([\w-]+)`\]\(/gm)].map(([, name]) => name)
  assert.deepEqual(
    WINGS.map(({ name }) => name).filter(name => !listed.includes(name)),
    [],
    'add a line with its page to the table of docs/contributing/architecture.md',
  )
})
