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
  gateway: ['gateway/'],
  rules: ['plan/compile-rules.ts'],
  answers: ['plan/compile-answer.ts', 'gateway/answer-before.ts'],
  expressions: ['behaviours/scope.ts'],
}

test('a field of an exchange is written in the files of its author only', () => {
  const homesOf = (author: string) =>
    AUTHORS[author] ?? [`behaviours/${kebab(author)}.ts`, `behaviours/${kebab(author)}/`]
  const written = sourceFiles.flatMap(({ path, text }) =>
    [...text.replace(/^\s*\/?\*.*$/gm, '').matchAll(/\bdraftOf\([^()]+, '(\w+)'\)/g)].map(([, author]) => ({
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
