import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { behaviours } from '../../src/behaviours/index.ts'
import { ROOT, sourceFiles } from './source-files.ts'

const kebab = (name: string): string => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)

test('every behaviour has a test file of its name, or a folder of them', () => {
  const homes = behaviours.map(({ name }) => `test/behaviours/${kebab(name)}`)
  assert.deepEqual(
    homes.filter(home => !existsSync(join(ROOT, `${home}.test.ts`)) && !existsSync(join(ROOT, home))),
    [],
    'write a test file of the name of the behaviour, as docs/contributing/adding-a-behaviour.md says',
  )
})

/** Returns the code of a behaviour's files. */
const codeOf = (name: string): string =>
  sourceFiles
    .filter(({ path }) => path === `behaviours/${kebab(name)}.ts` || path.startsWith(`behaviours/${kebab(name)}/`))
    .map(({ code }) => code)
    .join('\n')

test('every behaviour lists the problems that it refuses with', () => {
  const wrong = behaviours.flatMap(({ name, problems = [] }) => {
    const used = [...codeOf(name).matchAll(/\brefuse\(\s*problems\.(\w+)/g)].map(([, problem]) => problem as string)
    const listed = problems.map(({ code }) => code)
    return [...new Set(used)].filter(problem => !listed.includes(problem)).map(problem => `${name}: ${problem}`)
  })
  assert.deepEqual(wrong, [], 'add the problem to "problems" of the behaviour: the drawing of a request shows them')
})

test('every behaviour that keeps state in the world says so', () => {
  const wrong = behaviours.filter(({ name, remembers }) => remembers !== true && /\.keep\(/.test(codeOf(name)))
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
    'add "remembers: true" to the behaviour: "serve --workers" then requires a state in Redis',
  )
})

test('the extension point imports no extension', () => {
  const names = behaviours.map(({ name }) => `behaviours/${kebab(name)}`)
  const isExtension = (path: string) => names.some(name => path === `${name}.ts` || path.startsWith(`${name}/`))
  const point = sourceFiles.filter(({ path }) => path.startsWith('behaviours/') && !isExtension(path))
  const wrong = point
    .filter(({ path }) => path !== 'behaviours/index.ts')
    .flatMap(({ path, imports }) => imports.filter(isExtension).map(target => `${path} imports ${target}`))
  assert.deepEqual(wrong, [])
})

/** The files of the authors of an exchange that are not behaviours. */
const AUTHORS: Readonly<Record<string, readonly string[]>> = {
  exchange: ['behaviours/exchange.ts'],
  gateway: ['gateway/'],
  rules: ['plan/rules.ts'],
  answers: ['plan/answers.ts'],
  expressions: ['behaviours/expressions.ts'],
}

test('a field of an exchange is written in the files of its author only', () => {
  const homesOf = (author: string) =>
    AUTHORS[author] ?? [`behaviours/${kebab(author)}.ts`, `behaviours/${kebab(author)}/`]
  const written = sourceFiles.flatMap(({ path, text }) =>
    [...text.replace(/^\s*\/?\*.*$/gm, '').matchAll(/\bwritable\([^()]+, '(\w+)'\)/g)].map(([, author]) => ({
      path,
      author: author as string,
    })),
  )
  assert.ok(written.length > 0)
  const wrong = written
    .filter(({ path, author }) => !homesOf(author).some(home => path.startsWith(home)))
    .map(({ path, author }) => `src/${path} writes as "${author}"`)
  assert.deepEqual(wrong, [], 'write as the author of this file: see `Authors` in src/behaviours/exchange.ts')
})
