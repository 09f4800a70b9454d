// The part of the schema that checks a gateway file grows with the files: the mistakes of a file do not depend on earlier ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import { type Schema, Schemas } from '../../src/kernel/schema/schema.ts'
import { houseWith } from '../../src/plan/house.ts'
import { checksOf, narrow } from '../../src/plan/simulation.ts'

const FILES = [
  'contract: a.yaml\nseed: one\n',
  'contract: a.yaml\nlimits: { body: 1 }\nseed: one\n',
  'contract: a.yaml\noperations: { listBooks: { latency: { p95: soon }, fault: { kind: rest } } }\n',
  'contract: a.yaml\ndefaults: { rateLimit: { limit: lots, per: 1 } }\nsead: 1\n',
]

const mistakesOf = (text: string): string => {
  const report = new Diagnostics()
  const source = parseSource('gateway.yaml', text, report)
  assert.ok(source)
  checksOf(houseWith()).simulation(source, report)
  return formatDiagnostics(report.list)
}

test('a file has the same mistakes after files with more keys, and after files with fewer', () => {
  const first = FILES.map(mistakesOf)
  for (const said of first) assert.match(said, / error /)
  const backwards = FILES.toReversed().map(mistakesOf)
  assert.deepEqual(backwards.toReversed(), first)
})

test('a schema narrowed to the members of a value finds the same faults as the whole schema', () => {
  const shared = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } }
  const schema: Schema = {
    type: 'object',
    required: ['first', 'missing'],
    additionalProperties: false,
    properties: {
      first: shared,
      second: { type: 'array', items: shared },
      missing: { type: 'string', description: 'Its absence is told with this.' },
      unused: { type: 'object', properties: { deep: { pattern: '^x' } } },
    },
  }
  const value = { first: { a: 'one' }, second: [{ a: 'two', c: 1 }], unknown: true }
  const narrowed = narrow(schema, new Set(['first', 'second', 'a', 'c', 'unknown'])) as Schema
  assert.ok(!JSON.stringify(narrowed).includes('deep'))
  const found = (one: Schema) =>
    new Schemas()
      .compile(one)(value)
      ?.map(({ pointer, message }) => `${pointer} ${message}`)
  assert.deepEqual(found(narrowed), found(schema))
  assert.equal(found(schema)?.length, 4)
  const missing = new Schemas()
    .compile(narrowed)(value)
    ?.find(({ pointer }) => pointer === '/missing')
  assert.equal(missing?.params.about, 'Its absence is told with this.')
})
