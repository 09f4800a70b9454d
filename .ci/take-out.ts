// Takes each wing out of a copy of the tree: its folder, its tests, its lines in the two lists, and the wings that import from it.
// What is left must pass the type check, serve, and pass a few tests of the house: without any wing, or with names of wings (or `--each`)
// without each of them. With `--quick` it must pass the quick tests, with `--full` all tests. A copy is used for one wing after another,
// so that a check of types begins with what the one before found. `test/house/wings.test.ts` holds that no import is lost with a wing.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { WINGS } from '../src/wings.ts'
import { sourceFiles } from '../test/house/source-files.ts'
import { copyTree } from '../test/support/copy.ts'
import { startProgram } from './program.ts'

const LISTS = ['src/wings.ts', 'src/console/shell/views.ts']
/** Quick tests of the house: a behaviour, worlds and a reload. */
const TESTS = ['behaviours/validate.test', 'gateway/worlds.test', 'gateway/swap.test']

const run = promisify(execFile)
const names = WINGS.map(({ name }) => name)
const words = process.argv.slice(2)
const chosen = words.filter(word => !word.startsWith('--'))
const tests = words.includes('--full') ? ['--all'] : words.includes('--quick') ? [] : TESTS
for (const name of chosen) assert.ok(names.includes(name), `${name} is not a wing: ${names.join(', ')}`)
const wingOf = (path: string): string | undefined => /^wings\/([^/]+)\//.exec(path)?.[1]

/** Returns the wings that go with one: those that import from it, and those that import from these. */
function goingWith(wing: string): ReadonlySet<string> {
  const gone = new Set([wing])
  for (const name of names) {
    const needs = sourceFiles.filter(({ path }) => wingOf(path) === name).flatMap(({ imports }) => imports.map(wingOf))
    if (needs.some(need => need !== undefined && gone.has(need))) gone.add(name)
  }
  return gone
}

const TSC = 'node_modules/typescript/bin/tsc'

/** A copy of the tree, from which wings are taken, and to which they come back. */
class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), 'understudy-without-'))
  /** Holds the folders of the wings that are out. */
  readonly #aside = mkdtempSync(join(tmpdir(), 'understudy-aside-'))

  constructor() {
    copyTree(this.folder)
  }

  /** Runs a command without some wings; they are back afterwards. Tests of `A+B` go with either wing. */
  async without(gone: ReadonlySet<string>, work: () => Promise<void>): Promise<void> {
    const tests = readdirSync(join(this.folder, 'test/wings')).filter(folder =>
      folder.split('+').some(name => gone.has(name)),
    )
    const moved = [...[...gone].map(name => `src/wings/${name}`), ...tests.map(folder => `test/wings/${folder}`)]
    const lists = LISTS.map(list => [join(this.folder, list), readFileSync(join(this.folder, list), 'utf8')] as const)
    for (const folder of moved) renameSync(join(this.folder, folder), join(this.#aside, folder.replaceAll('/', '-')))
    for (const [path, text] of lists) writeFileSync(path, withoutLines(text, gone))
    try {
      await work()
    } finally {
      for (const folder of moved) renameSync(join(this.#aside, folder.replaceAll('/', '-')), join(this.folder, folder))
      for (const [path, text] of lists) writeFileSync(path, text)
    }
  }

  async checkTypes(): Promise<void> {
    await this.node(TSC)
    await this.node(TSC, '-p', 'src/console')
  }

  async node(...args: string[]): Promise<void> {
    await run(process.execPath, args, { cwd: this.folder, maxBuffer: 1 << 28 })
  }

  remove(): void {
    for (const folder of [this.folder, this.#aside]) rmSync(folder, { recursive: true })
  }
}

/**
 * Removes some wings from a list: their imports and exports, the entries with the names that these import, and the objects that
 * load one of their files.
 */
function withoutLines(list: string, gone: ReadonlySet<string>): string {
  const text = list.replace(/^ {2}\{\n(?: {4}.*\n)* {2}\},\n/gm, entry =>
    gone.has(/[./]+\/wings\/([^/]+)\//.exec(entry)?.[1] ?? '') ? '' : entry,
  )
  const isOfGone = (line: string) => gone.has(/\bfrom '[./]+\/wings\/([^/]+)\//.exec(line)?.[1] ?? '')
  const [lost, kept] = [text.split('\n').filter(isOfGone), text.split('\n').filter(line => !isOfGone(line))]
  const imported = lost
    .filter(line => line.startsWith('import'))
    .flatMap(line => [...(/\{(.*)\}/.exec(line)?.[1] ?? '').matchAll(/(\w+)(?=,| *$)/g)].map(([name]) => name))
  const names = imported.join('|')
  if (names === '') return kept.join('\n')
  return kept
    .filter(line => !new RegExp(`^ +(?:${names}),$`).test(line))
    .join('\n')
    .replace(new RegExp(`\\{ [^{}\\n]*\\b(?:${names})\\b[^{}\\n]* \\}(?:, )?`, 'g'), '')
    .replace(new RegExp(`(extends|,) (?:${names})(?=,| \\{)`, 'g'), '')
    .replace(new RegExp(`(?<=[[ ])(?:${names})(?:, |(?=\\]))`, 'g'), '')
}

/** Serves the configuration that is shipped, and calls it. */
async function serve(folder: string): Promise<void> {
  const command = ['node', '--import', 'tsx', 'src/cli.ts', 'serve', 'config/gateway.yaml', '--log-level', 'warn']
  const program = await startProgram(command, folder, { PORT: '0', CONTROL_PORT: '0' })
  try {
    const headers = { authorization: 'Bearer demo-key', 'content-type': 'application/json' }
    assert.equal((await fetch(`${program.url}/pets/7`, { headers })).status, 200)
    const body = '{"name":"Rex","categoryId":1}'
    assert.equal((await fetch(`${program.url}/pets`, { method: 'POST', headers, body })).status, 201)
    for (const path of ['/readyz', '/metrics', '/openapi.json', '/requests']) {
      assert.equal((await fetch(program.control + path)).status, 200, path)
    }
  } finally {
    await program.stop()
  }
}

/** @returns why the tree is broken without a wing, `undefined` for none; or `undefined` if it holds */
async function breakOf(wing: string | undefined, copy: Copy): Promise<string | undefined> {
  const gone = wing === undefined ? new Set(names) : goingWith(wing)
  const started = performance.now()
  try {
    await copy.without(gone, async () => {
      await copy.checkTypes()
      await serve(copy.folder)
      await runTests(copy)
    })
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    console.log(`without ${[...gone].join(', ')}: types, tests and the program hold (${seconds} s)`)
    return undefined
  } catch (error) {
    const { stdout = '', message } = error as { readonly stdout?: string; readonly message: string }
    return `without ${[...gone].join(', ')}:\n${failuresIn(stdout) || message}`
  }
}

async function runTests(copy: Copy): Promise<void> {
  // Lists of keys, options and routes lose those of the wing, as a contributor who takes it out would write them anew.
  if (tests !== TESTS) {
    await copy.node('--import', 'tsx', 'test/reference/generate.ts')
    await run(process.execPath, ['--import', 'tsx', 'test/run.ts', 'golden'], {
      cwd: copy.folder,
      env: { ...process.env, UPDATE: '1' },
    })
  }
  await copy.node('--import', 'tsx', 'test/run.ts', ...tests)
}

/** The end of a report: the failing tests, or the mistakes of the type check. */
const failuresIn = (output: string): string => output.slice(Math.max(0, output.indexOf('failing tests:')))

const isEach = words.includes('--each') || tests !== TESTS
const waiting: (string | undefined)[] = chosen.length > 0 ? [...chosen] : isEach ? [...names] : [undefined]
async function work(): Promise<void> {
  const copy = new Copy()
  try {
    while (waiting.length > 0) {
      const reason = await breakOf(waiting.shift(), copy)
      if (reason === undefined) continue
      console.error(reason)
      process.exitCode = 1
    }
  } finally {
    copy.remove()
  }
}
await Promise.all(Array.from({ length: Math.min(2, availableParallelism(), waiting.length) }, work))
