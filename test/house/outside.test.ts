import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linesWith, sourceFiles } from './source-files.ts'

// The console runs in a browser and uses the time there. A guarded search is bounded by its processor time.
const READERS = [
  'cli.ts',
  'world/clock.ts',
  'world/real-time.ts',
  'world/dates.ts',
  'world/process-watch.ts',
  'gateway/log.ts',
  'http/',
  'console/',
  'kernel/pattern.ts',
  'wings/real-api/client.ts',
  'wings/mcp/',
  'wings/workers/',
]
const isReader = (path: string): boolean => READERS.some(reader => path.startsWith(reader)) || path.endsWith('.tsx')
// `process:` is a property name of a library; `process.versions` never changes.
const OUTSIDE = new RegExp(
  `(?<![.\\w$])(?:${[
    ...['process(?!:|\\.versions\\b)', 'Date', 'Math\\.random', 'console', 'performance', 'crypto', 'fetch(?=\\()'],
    ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'clearInterval', 'queueMicrotask'],
  ].join('|')})\\b`,
)
const MODULES = ['node:process', 'node:timers', 'node:timers/promises', 'node:perf_hooks', 'node:console']

const indoors = sourceFiles.filter(({ path }) => !isReader(path))

test('only a few named files use the process, the time, chance and the console', () => {
  assert.deepEqual(
    indoors.flatMap(file => linesWith(file, OUTSIDE)),
    [],
  )
})

test('only those files import their modules', () => {
  const wrong = indoors.flatMap(({ path, imports }) =>
    imports.filter(name => MODULES.includes(name)).map(name => `src/${path} imports ${name}`),
  )
  assert.deepEqual(wrong, [])
})

test('only the command line reads the environment and ends the process', () => {
  const others = sourceFiles.filter(({ path }) => path !== 'cli.ts')
  assert.deepEqual(
    others.flatMap(file => linesWith(file, /\bprocess\.(?:env|argv|exit|exitCode|cwd|on)\b/)),
    [],
  )
})
