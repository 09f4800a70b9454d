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
