import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatReport } from '../../src/kernel/report.ts'
import { size } from '../support/cases.ts'
import { loadPlan } from '../support/load.ts'

const MANY = size(1500, 5000)
const SOME = size(1200, 3000)

const CONTRACT = 'contract: { openapi: 3.1.0, info: { title: T, version: "1" }, paths: {} }\n'
const repeat = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i)).join('')
const load = (text: string, environment = {}) => loadPlan('gateway.yaml', '/nowhere', environment, { text }).report

for (const [name, text, count] of [
  ['at the top', `${CONTRACT}${repeat(MANY, i => `k${i}: 1\n`)}`, MANY],
  ['beside a valid key at the end', `${CONTRACT}${repeat(MANY, i => `k${i}: {a: [1, 2]}\n`)}seed: 1\n`, MANY],
  ['in a block', `${CONTRACT}listen:\n${repeat(MANY, i => `  k${i}: 1\n`)}`, MANY],
  [
    'in two blocks',
    `${CONTRACT}${['listen', 'limits'].map(b => `${b}: {${repeat(SOME, i => `k${i}: 1,`)}}\n`).join('')}`,
    2 * SOME,
  ],
  [
    'with an alias to the value of one',
    `${CONTRACT}${repeat(SOME, i => `k${i}: &a${i} 1\n`)}seed: *a${SOME - 1}\n`,
    SOME,
  ],
  ['with a variable', `${CONTRACT}seed: \${SEED:-1}\n${repeat(MANY, i => `k${i}: 1\n`)}`, MANY],
  [
    'as JSON',
    JSON.stringify({
      contract: { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} },
      ...Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, 1])),
    }),
    MANY,
  ],
] as const) {
  test(`thousands of unknown keys ${name}: the first hundred are shown, and all are counted`, () => {
    const report = load(text)
    const said = formatReport(report)
    assert.match(said, new RegExp(`\\n${count} errors \\(the first 100 are shown\\)\\n$`))
    assert.equal(said.match(/ error unknown-key: /g)?.length, 100)
    assert.match(said, /error unknown-key: unknown key "k99"\n.*\n.*\^\^\^/)
  })
}

test('1200 unknown keys do not hide other mistakes', () => {
  const said = formatReport(load(`${CONTRACT}seed: x\n${repeat(1200, i => `k${i}: 1\n`)}limits: { body: 1 }\n`))
  assert.match(said, /error wrong-type: "seed" must be an integer/)
  assert.match(said, /\n1202 errors \(the first 100 are shown\)\n$/)
})

test('an anchored contract with thousands of extension keys is served', () => {
  const info = `info: &i { title: T, version: "1", ${repeat(3000, i => `x-${i}: 1,`)} }`
  assert.equal(load(`contract: { openapi: 3.1.0, ${info}, paths: {}, x-i: *i }\n`).failed, false)
})
