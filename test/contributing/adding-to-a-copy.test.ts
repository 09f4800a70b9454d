// Adds the route, the kind of fault and the kind of reply of docs/contributing/ to a copy of the sources, as a contributor
// would: the type check names every table that was forgotten, and the complete copy answers requests.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { ControlRoute } from '../../src/http/control/route.ts'

const ROOT = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'understudy-contributing-'))
after(() => rmSync(folder, { recursive: true }))
for (const name of ['package.json', 'tsconfig.json', 'config/gateway.schema.json']) {
  cpSync(join(ROOT, name), join(folder, name))
}
for (const name of ['src', 'test/simulate.ts', 'test/support/in-process.ts', 'test/virtual-clock.ts']) {
  cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: path => !/src.console/.test(path) })
}
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))

/** The blocks of code of a page, without the indentation of the list that they stand in. */
const codeOf = (page: string): string[] =>
  [...readFileSync(join(ROOT, 'docs/contributing', page), 'utf8').matchAll(/^( *)```ts\n(.*?)^ *```$/gms)].map(
    ([, indentation, code]) => (code as string).replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  )
const [teapot, word] = codeOf('adding-a-kind.md') as [string, string]
const greeting = codeOf('adding-a-route.md').at(-1) as string

function edit(file: string, before: string | RegExp, now: string): void {
  const path = join(folder, 'src', file)
  const text = readFileSync(path, 'utf8')
  assert.ok(typeof before === 'string' ? text.includes(before) : before.test(text), `${file} has ${before}`)
  writeFileSync(
    path,
    text.replace(before, () => now),
  )
}

/** The mistakes that the type check finds in the copy. */
function mistakes(): string {
  try {
    execFileSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), '--singleThreaded', '-p', '.', '--incremental', 'false'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    )
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const FAULT = 'behaviours/fault.ts'
const SETTINGS = 'behaviours/respond/config.ts'
const RESPOND = 'behaviours/respond/index.ts'
const ROUTES = 'http/control/index.ts'

test('the type check names every table that lacks the new kind, and every answer that a route lacks', () => {
  edit(FAULT, "'hang'] as const", "'hang', 'teapot'] as const")
  edit(SETTINGS, "'forward'] as const", "'forward', 'word'] as const")
  writeFileSync(join(folder, 'src/http/control/greetings.ts'), greeting.replace(/^ +underWorkers.*\n/m, ''))
  edit(ROUTES, 'import { openApiRoute,', "import { greetingRoutes } from './greetings.ts'\nimport { openApiRoute,")
  edit(ROUTES, '...historyRoutes(control),', '...greetingRoutes(),\n    ...historyRoutes(control),')
  const found = mistakes()
  assert.match(found, /fault\.ts.*'teapot' is missing/)
  assert.match(found, /respond\/config\.ts.*\n.*'word' is missing/)
  assert.match(
    found,
    /respond\/index\.ts.*'word' is missing in type .* but required in type 'Readonly<Record<.*Responder>>'/,
  )
  assert.match(found, /greetings\.ts.*'underWorkers' is missing/)
})

test('the complete additions pass the type check and answer requests', async () => {
  edit(FAULT, '  reset: () => instead', `  ${teapot.trim()}\n  reset: () => instead`)
  writeFileSync(join(folder, 'src/behaviours/respond/word.ts'), word)
  edit(SETTINGS, '    status: setting', "    word: setting.text('The word.'),\n    status: setting")
  edit(RESPOND, '  file: compileFile,', '  word: config => compileWord(config.word as string),\n  file: compileFile,')
  edit(RESPOND, 'import { ACTIONS,', "import { compileWord } from './word.ts'\nimport { ACTIONS,")
  writeFileSync(join(folder, 'src/http/control/greetings.ts'), greeting)
  assert.equal(mistakes(), '')

  const load = async <Module>(file: string) => (await import(pathToFileURL(join(folder, file)).href)) as Module
  const { simulate } = await load<typeof import('../simulate.ts')>('test/simulate.ts')
  const { ask } = simulate(`
operations:
  listThings: { respond: { word: hello } }
  getThing: { fault: { kind: teapot } }
`)
  assert.equal((await ask('GET /things')).body, 'hello')
  assert.equal((await ask('GET /things/1')).status, 418)

  const { greetingRoutes } = await load<{ greetingRoutes: () => ControlRoute[] }>('src/http/control/greetings.ts')
  const [route] = greetingRoutes()
  const call = { parameters: { name: 'Ann' }, body: undefined, text: undefined, prefers: () => false }
  assert.equal((await route?.handle(call as never))?.body, 'Hello Ann')
})
