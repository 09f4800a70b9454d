import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRate } from '../../src/kernel/units.ts'
import { loadPlan } from '../support/load.ts'

const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Books, version: "1" }
  components: { schemas: { Book: { type: object, properties: { id: { type: integer } } } } }
  paths:
    /books:
      get: { operationId: listBooks, responses: { 200: { description: ok } } }
`

function detailsOf(configuration: string): { chain: Record<string, string | undefined>; codes: string[] } {
  const { plan, report } = loadPlan('gateway.yaml', '.', {}, { text: CONTRACT + configuration })
  const codes = report.list.map(({ severity, code }) => `${severity} ${code}`)
  const chain = plan?.operations[0]?.chain.map(({ name, detail }) => [name, detail]) ?? []
  return { chain: Object.fromEntries(chain), codes }
}

for (const [written, name, detail] of [
  ['defaults: { latency: 200ms }', 'latency', 'fixed 200ms'],
  ['operations: { listBooks: { latency: 1.5s } }', 'latency', 'fixed 1.5s'],
  ['defaults: { latency: "${DELAY:-30ms}" }', 'latency', 'fixed 30ms'],
  ['defaults: { fault: { kind: reset, probability: 5% } }', 'fault', 'reset 0.05'],
  ['defaults: { fault: { kind: reset, probability: 0.1 % } }', 'fault', 'reset 0.001'],
  ['defaults: { fault: [{ kind: close, probability: 7% }, { kind: reset }] }', 'fault', 'close 0.07, reset'],
] as const) {
  test(`${written} is understood`, () => {
    const { chain, codes } = detailsOf(written)
    assert.deepEqual(codes, [])
    assert.equal(chain[name], detail)
  })
}

for (const limit of ['100/min', '100/minute', '100/m']) {
  test(`rateLimit: ${limit} is understood`, () => {
    assert.deepEqual(detailsOf(`tags: {}\ndefaults: { rateLimit: ${limit} }`).codes, [])
    assert.deepEqual(parseRate(limit), { count: 100, window: 60_000 })
  })
}

for (const text of ['100/fortnight', '100/', '0/min', '100/0min', '100/constructor']) {
  test(`${text} is not a rate`, () => assert.equal(parseRate(text), undefined))
}

test('delay is an unknown key', () => {
  assert.deepEqual(detailsOf('defaults: { delay: 20ms }').codes, ['error unknown-key'])
})

test('short forms work in weather', () => {
  const weather = `
consumers: { ann: { login: secret } }
weather:
  slow:
    defaults: { latency: 1s }
    operations: { listBooks: { latency: 2s } }
    consumers: { ann: { rateLimit: 1/min } }
`
  assert.deepEqual(detailsOf(weather).codes, ['error unknown-security-scheme'])
})

for (const reference of [
  '#/components/schemas/Book',
  './openapi.yaml#/components/schemas/Book',
  '#/definitions/Book',
]) {
  test(`schema: ${reference} names Book`, () => {
    assert.deepEqual(detailsOf(`resources: { books: { schema: "${reference}" } }`).codes, [])
  })
}
