// `include` lays files of settings over a gateway file.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { isPattern } from '../../src/kernel/file/pattern.ts'
import type { LoadOptions } from '../../src/load/load.ts'
import { describeWhole } from '../../src/plan/describe.ts'
import { loadPlan } from '../support/load.ts'

const CONTRACT = `
openapi: 3.0.3
info: { title: Pets, version: "1" }
paths:
  /pets:
    get: { operationId: listPets, responses: { "200": { description: ok } } }
`

function loadFrom(
  files: Readonly<Record<string, string | { readonly linkTo: string }>>,
  environment: Readonly<Record<string, string>> = {},
  options: LoadOptions = {},
) {
  const home = mkdtempSync(join(tmpdir(), 'understudy-'))
  after(() => rmSync(home, { recursive: true }))
  const all: typeof files = { 'home/openapi.yaml': CONTRACT, ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    if (typeof text === 'string') writeFileSync(join(home, name), text)
    else symlinkSync(text.linkTo, join(home, name))
  }
  const folder = join(home, 'home')
  const loaded = loadPlan('gateway.yaml', folder, environment, options)
  const told = loaded.report.list.map(({ code, place }) => `${code} ${place.file}:${place.line}:${place.column}`)
  return { ...loaded, told, read: loaded.files.map(file => file.slice(folder.length + 1)) }
}

const main = (include: string, more = '') => `contract: ./openapi.yaml\ninclude: ${include}\n${more}`

test('objects are merged, lists and single values replaced, and null removes', () => {
  const { plan, told } = loadFrom({
    'home/gateway.yaml': main(
      '[./a.yaml, ./b.yaml]',
      'seed: 1\nlisten: { port: 1234, expose: [metrics, healthz] }\nlimits: { body: 3MB }\n',
    ),
    'home/a.yaml': 'seed: 2\nlisten: { host: 127.0.0.2, expose: [readyz] }\n',
    'home/b.yaml': 'seed: 3\nlimits: { body: null }\ndefaults: { validate: null }\n',
  })
  assert.deepEqual(told, [])
  assert.ok(plan)
  const { seed, listen, expose, limits, file } = plan.simulation
  assert.deepEqual([seed, listen.host, listen.port, expose], [3, '127.0.0.2', 1234, ['readyz']])
  assert.equal(limits.body, 1_000_000)
  // Nothing before it configures this: it is off.
  assert.deepEqual(file.defaults, { validate: null })
})

test('a pattern is sorted by name, and the environment is filled in file by file', () => {
  const { plan, read, included } = loadFrom(
    {
      'home/gateway.yaml': main('[./rules/*.yaml, "./env/${STAGE:-local}.yaml"]'),
      'home/rules/2.yaml': 'seed: 2\nlimits: { body: 2MB }',
      'home/rules/1.yaml': 'seed: 1\nlimits: { body: 1MB, headers: 8kB }',
      'home/rules/.3.yaml': 'seed: 3',
      'home/rules/notes.txt': 'none',
      'home/env/test.yaml': 'seed: ${SEED}',
    },
    { STAGE: 'test', SEED: '9' },
  )
  assert.equal(plan?.simulation.seed, 9)
  assert.equal(plan.simulation.limits.body, 2_000_000)
  assert.equal(plan.simulation.limits.headers, 8000)
  const files = ['gateway.yaml', 'rules/*.yaml', 'rules/1.yaml', 'rules/2.yaml', 'env/test.yaml', 'openapi.yaml']
  assert.deepEqual(read, files)
  assert.equal(read.filter(isPattern).length, 1)
  assert.equal(included.length, 3)
  const lines = describeWhole(plan)
    .split('\n')
    .filter(line => line.startsWith('include'))
  assert.deepEqual(
    lines.map(line => line.replace(/\s+/g, ' ').trim()),
    ['include rules/2.yaml: limits.body', 'include rules/1.yaml: limits.headers', 'include env/test.yaml: seed'],
  )
})

test('a pattern with a placeholder that is not quoted between brackets is told whole', () => {
  const { report } = loadFrom({ 'home/gateway.yaml': main('[./rules/*.yaml, ./env/${STAGE:-local}.yaml]') })
  const [{ place, hint } = assert.fail('no mistake')] = report.list
  assert.deepEqual([place.line, place.column, hint], [2, 27, 'write "./env/${STAGE:-local}.yaml"'])
})

test('a mistake has its place in the file that it is written in', () => {
  const { told } = loadFrom({
    'home/gateway.yaml': main('[./a.yaml, ./b.yaml]', 'operations:\n  listPets: { latency: 5ms }\n'),
    'home/a.yaml': 'operations:\n  listPets:\n    latensy: 5ms\n  listPats: { latency: 1ms }\n',
    'home/b.yaml': 'limits:\n  body: ${NOPE}\n',
  })
  assert.deepEqual(
    new Set(told),
    new Set(['missing-variable b.yaml:2:9', 'unknown-key a.yaml:3:5', 'unknown-operation a.yaml:4:3']),
  )
  const other = loadFrom({
    'home/gateway.yaml': main('./a.yaml'),
    'home/a.yaml': 'contract: null\n',
  })
  assert.deepEqual(other.told, ['missing-key gateway.yaml:1:1'])
})

test('files that cannot be included are reported where they are named', () => {
  const { told, plan, read } = loadFrom({
    'home/gateway.yaml': main('[./a.yaml, ./missing.yaml, ./none/*.yaml, ./openapi.yaml, ./list.yaml, ./gateway.yaml]'),
    'home/a.yaml': 'include: [./b.yaml]',
    'home/b.yaml': 'include:\n  - ./a.yaml\n  - 5\n',
    'home/list.yaml': '[1]',
  })
  assert.equal(plan, undefined)
  assert.ok(read.includes('missing.yaml') && read.includes('none/*.yaml'))
  assert.deepEqual(told.sort(), [
    'include-circle b.yaml:2:5',
    'include-circle gateway.yaml:2:81',
    'invalid-value b.yaml:3:5',
    'no-match gateway.yaml:2:37',
    'no-such-file gateway.yaml:2:21',
    'not-settings gateway.yaml:2:52',
    'not-settings gateway.yaml:2:68',
  ])
})

test('a file outside the folder of the gateway file and the working directory is refused, also behind a link', () => {
  const { told, read } = loadFrom({
    'home/gateway.yaml': main('[../outside.yaml, ../out*.yaml, ./link.yaml, ../home/a.yaml]'),
    'home/a.yaml': 'seed: 1',
    'outside.yaml': 'seed: 3',
    'home/link.yaml': { linkTo: '../outside.yaml' },
  })
  assert.deepEqual(told, [
    'outside-file gateway.yaml:2:11',
    'outside-file gateway.yaml:2:28',
    'outside-file gateway.yaml:2:42',
  ])
  assert.deepEqual(read, ['gateway.yaml', 'a.yaml', 'openapi.yaml'])
})

test('a text from elsewhere includes no file outside the folder, and no variable that the disk does not name', () => {
  const files = {
    'home/gateway.yaml': main('./a.yaml'),
    'home/a.yaml': 'seed: ${SEED:-1}',
    'home/b.yaml': 'seed: ${SECRET:-2}',
    'outside.yaml': 'seed: 3',
  }
  const environment = { SEED: '7', SECRET: '8' }
  const loadText = (include: string) => {
    const home = mkdtempSync(join(tmpdir(), 'understudy-'))
    after(() => rmSync(home, { recursive: true }))
    for (const [name, text] of Object.entries({ 'home/openapi.yaml': CONTRACT, ...files })) {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), text)
    }
    const folder = join(home, 'home')
    const confined = loadPlan('gateway.yaml', folder, environment)
    const { plan, report } = loadPlan('gateway.yaml', folder, environment, { text: main(include), confined })
    return plan?.simulation.seed ?? report.list.map(({ code }) => code).join()
  }
  assert.equal(loadText('./a.yaml'), 7)
  assert.equal(loadText('./b.yaml'), 2)
  assert.equal(loadText('./*b.yaml'), 2)
  assert.equal(loadText('../outside.yaml'), 'outside-file')
  assert.equal(loadText('../out*.yaml'), 'outside-file')
})
