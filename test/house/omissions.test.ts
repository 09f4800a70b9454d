import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fault } from '../../src/behaviours/fault.ts'
import { behaviours } from '../../src/behaviours/index.ts'
import { respond } from '../../src/behaviours/respond/index.ts'
import { simulationSchema } from '../../src/plan/simulation-schema.ts'
import { ROOT, sourceFiles, testFiles } from './source-files.ts'

/** The files that a process, a thread or the page of the console begins with. */
const ENTRIES = new Set(['cli.ts', 'index.ts', 'load/try-load.ts', 'console/shell/shell.tsx'])

/** The pages that people write; the reference is generated. */
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.md') && !/^(?:reference|decisions|contributing)/.test(path))
  .map(path => readFileSync(join(ROOT, 'docs', path), 'utf8'))
  .concat(readFileSync(join(ROOT, 'README.md'), 'utf8'))
const isDescribed = (pattern: RegExp): boolean => pages.some(text => pattern.test(text))
const isTested = (folder: string, pattern: RegExp): boolean =>
  testFiles.some(({ path, text }) => path.startsWith(folder) && pattern.test(text))

/** Matches a key in a configuration or between backticks. */
const usageOf = (key: string): RegExp => new RegExp(`\\b${key}: |\`${key}\``)

const kindsOf = (kinds: unknown): readonly string[] => kinds as readonly string[]
const faultKinds = kindsOf((fault.schema as { properties: { kind: { enum: unknown } } }).properties.kind.enum)

test('every file is imported by another', () => {
  const imported = new Set(sourceFiles.flatMap(({ imports }) => imports))
  const alone = sourceFiles
    .filter(({ path }) => !ENTRIES.has(path) && !path.endsWith('.d.ts') && !imported.has(path))
    .map(({ path }) => `src/${path}`)
  assert.deepEqual(
    alone,
    [],
    'add it to the list of its kind, such as src/behaviours/index.ts or src/http/control/index.ts, or delete it',
  )
})

test('every key of the configuration has a description', () => {
  const missing: string[] = []
  const seen = new Set<object>()
  const walk = (schema: SchemaPart | boolean | undefined, at: string): void => {
    if (typeof schema !== 'object' || seen.has(schema)) return
    seen.add(schema)
    for (const [key, child] of Object.entries(schema.properties ?? {})) {
      if (!child.description && child.$ref === undefined) missing.push(`${at}${key}`)
      walk(child, `${at}${key}.`)
    }
    for (const child of [schema.items, schema.additionalProperties]) walk(child, at)
    for (const [name, child] of Object.entries(schema.$defs ?? {})) walk(child, `${name}.`)
    for (const child of [schema.anyOf, schema.oneOf, schema.allOf].flatMap(list => list ?? [])) walk(child, at)
  }
  walk(simulationSchema as SchemaPart, '')
  assert.deepEqual(missing, [], 'add a "description" to the schema of the key: the editor and the reference show it')
})

interface SchemaPart {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, SchemaPart>>
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly items?: SchemaPart
  readonly additionalProperties?: SchemaPart | boolean
  readonly anyOf?: readonly SchemaPart[]
  readonly oneOf?: readonly SchemaPart[]
  readonly allOf?: readonly SchemaPart[]
}

test('every behaviour with a key is described in docs/', () => {
  const missing = behaviours.filter(({ name, schema }) => schema !== undefined && !isDescribed(usageOf(name)))
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
    'describe the key of the behaviour in the page of its subject in docs/',
  )
})

test('every code of a mistake is in a test', () => {
  const codes = sourceFiles
    .filter(({ path }) => !path.startsWith('console/'))
    .flatMap(({ text }) => [...text.matchAll(/\b(?:error|warn|warning)\(\s*'([a-z]+(?:-[a-z]+)+)'/g)])
    .map(([, code]) => code as string)
  assert.ok(codes.length > 50, 'the codes are found by their calls of "error", "warn" and "warning"')
  const goldens = readdirSync(join(ROOT, 'test/golden'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.txt'))
    .map(path => readFileSync(join(ROOT, 'test/golden', path), 'utf8'))
  const texts = [...goldens, ...testFiles.map(({ text }) => text)].join('\n')
  assert.deepEqual(
    [...new Set(codes)].filter(code => !texts.includes(code)),
    [],
    'add a case with the mistake to test/golden/diagnostics/; `UPDATE=1 npm test -- golden` writes its output',
  )
})

test('the console offers every kind of fault', () => {
  const form = sourceFiles.find(({ path }) => path === 'console/forms/operation-forms.tsx')?.text ?? ''
  assert.deepEqual(
    faultKinds.filter(kind => kind !== 'status' && !form.includes(`  ${kind}: '`)),
    [],
    'add the kind to FAULTS in src/console/forms/operation-forms.tsx',
  )
})

test('every view of the console is described in docs/console.md and visited by a browser test', () => {
  const list = sourceFiles.find(({ path }) => path === 'console/shell/views.ts')?.text ?? ''
  const views = [...list.matchAll(/^ {4}id: '(\w+)',\n {4}title: '([\w ]+)',$/gm)].map(
    ([, id, title]) => [id, title] as const,
  )
  assert.ok(views.length > 6, 'the views are found by their lines "id:" and "title:"')
  const page = readFileSync(join(ROOT, 'docs/console.md'), 'utf8')
  const undescribed = views.filter(([, title]) => !page.includes(`\n## ${title}\n`))
  assert.deepEqual(undescribed, [], 'describe the view in docs/console.md, under a heading with its title')
  const unvisited = views.filter(([id]) => !isTested('test/browser/', new RegExp(`\\bopen\\(['\`]${id}\\b`)))
  assert.deepEqual(unvisited, [], 'open the view in a file of test/browser/')
})

test('every kind of fault is described in docs/', () => {
  const missing = faultKinds.filter(kind => !isDescribed(new RegExp(`\\bkind: ${kind}\\b|\`${kind}\``)))
  assert.deepEqual(missing, [], 'describe the kind in docs/weather.md')
})

test('every kind of reply has a test, and is described in docs/', () => {
  const kinds = Object.keys((respond.schema as { properties: object }).properties)
  assert.deepEqual(
    kinds.filter(key => !isTested('test/behaviours/', usageOf(key)) && !isTested('test/golden/', usageOf(key))),
    [],
    'write a test of the key in test/behaviours/respond/',
  )
  assert.deepEqual(
    kinds.filter(key => !isDescribed(usageOf(key))),
    [],
    'describe the key in docs/state.md or the page of its subject',
  )
})

test('every route of the control plane is described in docs/', () => {
  const paths = sourceFiles
    .filter(({ path }) => path.startsWith('http/control/'))
    .flatMap(({ text }) => [...text.matchAll(/^ +at: '[A-Z]+ (\/[^']*)'/gm)].map(([, path]) => path as string))
  assert.ok(paths.length > 30, 'the routes are found by their lines "at:"')
  const missing = paths.filter(path => {
    const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^{}]+\}/g, '[^/\\s]+')
    return path !== '/' && !isDescribed(new RegExp(`${pattern}(?![a-z])`))
  })
  assert.deepEqual(missing, [], 'describe the use of the route in the page of its subject in docs/')
})
