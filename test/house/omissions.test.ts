import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fault } from '../../src/behaviours/fault.ts'
import { respond } from '../../src/behaviours/respond/index.ts'
import { ROOT, sourceFiles, testFiles } from './source-files.ts'

/** The files that a process, a thread or the page of the console begins with. */
const ENTRIES = new Set(['cli.ts', 'index.ts', 'load/try-load.ts', 'console/main.tsx'])

/** The pages that people write; the reference is generated. */
const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.md') && !/^(?:reference|decisions|contributing)/.test(path))
  .map(path => readFileSync(join(ROOT, 'docs', path), 'utf8'))
  .concat(readFileSync(join(ROOT, 'README.md'), 'utf8'))
const isDescribed = (pattern: RegExp): boolean => pages.some(text => pattern.test(text))
const isTested = (folder: string, pattern: RegExp): boolean =>
  testFiles.some(({ path, text }) => path.startsWith(folder) && pattern.test(text))

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

test('every kind of fault is described in docs/', () => {
  const missing = faultKinds.filter(kind => !isDescribed(new RegExp(`\\bkind: ${kind}\\b|\`${kind}\``)))
  assert.deepEqual(missing, [], 'describe the kind in docs/weather.md')
})

test('every kind of reply has a test, and is described in docs/', () => {
  const kinds = Object.keys((respond.schema as { properties: object }).properties)
  const called = (key: string) => new RegExp(`\\b${key}: |\`${key}\``)
  assert.deepEqual(
    kinds.filter(key => !isTested('test/behaviours/', called(key)) && !isTested('test/golden/', called(key))),
    [],
    'write a test of the key in test/behaviours/respond/',
  )
  assert.deepEqual(
    kinds.filter(key => !isDescribed(called(key))),
    [],
    'describe the key in docs/state.md or the page of its subject',
  )
})

test('every route of the control plane is described in docs/', () => {
  const paths = sourceFiles
    .filter(({ path }) => path.startsWith('http/control/'))
    .flatMap(({ text }) => [...text.matchAll(/^ +path: '(\/[^']*)'/gm)].map(([, path]) => path as string))
  assert.ok(paths.length > 30, 'the routes are found by their lines "path:"')
  const missing = paths.filter(path => {
    const pattern = path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^{}]+\}/g, '[^/\\s]+')
    return path !== '/' && !isDescribed(new RegExp(`${pattern}(?![a-z])`))
  })
  assert.deepEqual(missing, [], 'describe the use of the route in the page of its subject in docs/')
})
