// Puts each behaviour of docs/contributing/adding-a-behaviour.md into the list and sends requests to it. The list is changed
// before its readers are loaded, so that this file needs a separate process.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Behaviour } from '../../src/behaviours/behaviour.ts'
import { behaviours } from '../../src/behaviours/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(ROOT, 'node_modules/.cache-contributing-'))
after(() => rmSync(folder, { recursive: true }))

const page = readFileSync('docs/contributing/adding-a-behaviour.md', 'utf8')
const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code as string)
/** A step's code, with imports that lead from the folder of this test to the sources. */
const files = blocks.map((code, i) => {
  const path = join(folder, `step-${i + 1}.ts`)
  const source = (name: string) => join(ROOT, 'src', name)
  const moved = code
    .replaceAll("from '../kernel/", `from '${source('kernel/')}`)
    .replaceAll("from './", `from '${source('behaviours/')}`)
  writeFileSync(path, moved)
  return path
})
const greetings = await Promise.all(
  files.map(async file => ((await import(pathToFileURL(file).href)) as { greeting: Behaviour<unknown> }).greeting),
)
const list = behaviours as Behaviour<unknown>[]
const [noop, configured, stateful, weathered] = greetings as [
  Behaviour<unknown>,
  Behaviour<unknown>,
  Behaviour<unknown>,
  Behaviour<unknown>,
]
// One entry of the list, which each step replaces in turn. The list also determines the keys of weather.
const greeting = { ...noop, weather: true }
list.unshift(greeting)
const { CONTRACT, simulate } = await import('../simulate.ts')
const { load } = await import('../support/in-process.ts')
const { Diagnostics } = await import('../../src/kernel/diagnostic.ts')
const { parseSource } = await import('../../src/kernel/file/read-source.ts')
const YAML = `
weather: { kind: { defaults: { greeting: welcome } } }
operations: { listThings: { greeting: hello, respond: { list: things } }, getThing: { respond: { read: things } } }
`
const WITHOUT = YAML.split('\n').slice(2).join('\n')
let loads = 0

/** Returns the greetings of `times` requests to `GET /things`. */
async function heard(step: Behaviour<unknown>, times = 1): Promise<(string | undefined)[]> {
  Object.assign(greeting, { remembers: undefined, describe: undefined }, step)
  // A text that was loaded before keeps its behaviours.
  const { ask } = simulate(`${WITHOUT}# ${loads++}\n`)
  const all: (string | undefined)[] = []
  for (let i = 0; i < times; i++) all.push((await ask('GET /things')).headers['x-greeting'] as string | undefined)
  all.push((await ask('GET /things/1')).headers['x-greeting'] as string | undefined)
  return all
}

test('the code is strictly typed', () => {
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--noUnusedLocals', '--erasableSyntaxOnly']
  const module = [
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    '--target',
    'es2023',
    '--skipLibCheck',
    '--types',
    'node',
  ]
  execFileSync(
    process.execPath,
    [
      'node_modules/typescript/bin/tsc',
      '--singleThreaded',
      '--ignoreConfig',
      '--noEmit',
      ...strict,
      ...module,
      ...files,
    ],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
})

test('a behaviour that does nothing accepts a configuration and changes no reply', async () => {
  assert.deepEqual(await heard(noop), [undefined, undefined])
})

test('a configured behaviour acts on its operation, and reports mistakes with their place', async () => {
  assert.deepEqual(await heard(configured), ['hello', undefined])
  const { plan, report } = load(CONTRACT + WITHOUT.replace('hello', '"a\\nb"'))
  assert.equal(plan, undefined)
  assert.ok(report.list.some(({ code, message }) => code === 'greeting-not-a-header' && /single line/.test(message)))
})

test('a behaviour with state counts from one request to the next', async () => {
  assert.deepEqual(await heard(stateful, 3), ['hello 1', 'hello 2', 'hello 3', undefined])
})

test('weather replaces the configuration of a behaviour', async () => {
  assert.deepEqual(await heard(weathered), ['hello', undefined])
  const { ask, gateway } = simulate(YAML)
  const report = new Diagnostics()
  const source = parseSource('weather', '{ name: kind }', report)
  assert.ok(source)
  gateway.weather.overall.make(gateway.plan, source, report)
  assert.deepEqual(report.list, [])
  assert.equal((await ask('GET /things/1')).headers['x-greeting'], 'welcome')
})
