import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { behaviours } from '../../src/behaviours/index.ts'
import { problems } from '../../src/kernel/http.ts'
import { houseWith } from '../../src/plan/house.ts'
import { WINGS } from '../../src/wings.ts'
import { DOES } from '../reference/pictures/request.ts'
import { ROOT, sourceFiles } from './source-files.ts'

/** The life-cycle of the house with all wings. A behaviour of a wing has its tests in test/wings/NAME/. */
const all = houseWith(WINGS).behaviours

const kebab = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

test('every behaviour has a test file of its name, or a folder of them', () => {
  const homes = behaviours.map(({ name }) => `test/behaviours/${kebab(name)}`)
  assert.deepEqual(
    homes.filter(home => !existsSync(join(ROOT, `${home}.test.ts`)) && !existsSync(join(ROOT, home))),
    [],
    'write a test file of the name of the behaviour, as test/behaviours/latency.test.ts is',
  )
})

/** The file that declares a behaviour, or its folder. */
const homeOf = (name: string): string => {
  const declaration = new RegExp(`: Behaviour<.*> =(?:> \\(| )\\{\\n  name: '${name}',`)
  const file = sourceFiles.find(({ text }) => declaration.test(text))
  return (file?.path ?? '').replace(/index\.ts$/, '')
}

/** Returns the code of a behaviour's files. */
const codeOf = (name: string): string => {
  const home = homeOf(name)
  const isPart = (path: string) => (home === 'behaviours/' ? path === 'behaviours/index.ts' : path.startsWith(home))
  return sourceFiles
    .filter(({ path }) => isPart(path))
    .map(({ code }) => code)
    .join('\n')
}

test('every behaviour is in a file that is named after it or after its subject', () => {
  assert.deepEqual(
    all.filter(({ name }) => homeOf(name) === '').map(({ name }) => name),
    [],
  )
})

test('the drawing of a request has the status of every refusal of a behaviour', () => {
  const wrong = all.flatMap(({ name }) => {
    const used = [...codeOf(name).matchAll(/\brefuse\(\s*problems\.(\w+)/g)].map(
      ([, problem]) => problems[problem as keyof typeof problems].status,
    )
    const drawn = all
      .filter(behaviour => homeOf(behaviour.name) === homeOf(name))
      .flatMap(behaviour => (DOES[behaviour.name]?.[1] ?? '').split(' '))
    return [...new Set(used)].filter(status => !drawn.includes(`${status}`)).map(status => `${name}: ${status}`)
  })
  assert.deepEqual(wrong, [], 'add the status of the refusal to test/reference/pictures/request.ts')
})

test('every behaviour that keeps state in the world says so', () => {
  const wrong = all.filter(({ name, remembers }) => remembers !== true && /\.keep\(/.test(codeOf(name)))
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
    'add "remembers: true" to the behaviour: "serve --workers" then requires a state in Redis',
  )
})

test('the extension point imports no extension', () => {
  const homes = behaviours.map(({ name }) => homeOf(name)).filter(home => home !== 'behaviours/')
  const isExtension = (path: string) => homes.some(home => path.startsWith(home))
  const point = sourceFiles.filter(({ path }) => path.startsWith('behaviours/') && !isExtension(path))
  const wrong = point
    .filter(({ path }) => path !== 'behaviours/index.ts')
    .flatMap(({ path, imports }) => imports.filter(isExtension).map(target => `${path} imports ${target}`))
  assert.deepEqual(wrong, [])
})

/** The files that may write each field of an exchange, besides its own. */
const AUTHORS: Readonly<Record<string, readonly string[]>> = {
  request: ['behaviours/prefer.ts'],
  consumer: ['behaviours/authenticate.ts', 'behaviours/deprecation.ts', 'plan/answers.ts', 'wings/tokens/'],
  values: ['behaviours/validate/parameters.ts'],
  body: ['behaviours/validate/index.ts', 'plan/conditions.ts'],
  bytes: ['behaviours/validate/index.ts', 'plan/conditions.ts'],
  sent: ['behaviours/validate/index.ts'],
  deprecatedInputs: ['behaviours/deprecation.ts'],
  entry: ['behaviours/respond/'],
  effects: ['wings/effects/'],
  precondition: ['behaviours/conditional.ts'],
  accepted: ['plan/compile-operation.ts'],
  admit: ['gateway/worlds/visit.ts'],
  overlay: ['behaviours/turns.ts', 'wings/real-api/'],
  scope: ['behaviours/expressions.ts'],
  release: ['behaviours/idempotency.ts'],
  queued: ['behaviours/limits.ts'],
  passing: ['wings/real-api/'],
  refusal: ['behaviours/validate/judge.ts'],
  bare: ['plan/compile-operation.ts'],
  shadow: ['wings/drift/'],
  choice: ['behaviours/prefer.ts'],
  weather: ['gateway/weather.ts'],
  fault: ['behaviours/fault/index.ts'],
  awaited: ['wings/real-api/'],
  nth: ['behaviours/expressions.ts', 'plan/conditions.ts'],
  failures: ['plan/conditions.ts'],
  unreadable: ['plan/conditions.ts'],
  drawn: ['gateway/gateway.ts'],
}

test('a field of an exchange is written in the files of its authors only', () => {
  const written = sourceFiles.flatMap(({ path, code }) =>
    [...code.matchAll(/\bexchange\.(\w+) (?:[?+]?\??=)(?![=>])/g)].map(([, field]) => ({
      path,
      field: field as string,
    })),
  )
  assert.deepEqual(
    written.map(({ field }) => field).filter(field => AUTHORS[field] === undefined),
    [],
    'name its authors here; a value of a wing is in a slot instead (`exchange.set`)',
  )
  const wrong = written
    .filter(({ path, field }) => !AUTHORS[field]?.some(home => path.startsWith(home)))
    .map(({ path, field }) => `src/${path} writes exchange.${field}`)
  assert.deepEqual(wrong, [], 'let one of its authors write it, or name this file as an author')
})
