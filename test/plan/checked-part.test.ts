// The part of the schema that checks a gateway file grows with the files: the mistakes of a file do not depend on earlier ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Diagnostics, formatDiagnostics } from '../../src/kernel/diagnostic.ts'
import { parseSource } from '../../src/kernel/file/read-source.ts'
import { checkSimulation } from '../../src/plan/simulation.ts'

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
  checkSimulation(source, report)
  return formatDiagnostics(report.list)
}

test('a file has the same mistakes after files with more keys, and after files with fewer', () => {
  const first = FILES.map(mistakesOf)
  for (const said of first) assert.match(said, / error /)
  const backwards = FILES.toReversed().map(mistakesOf)
  assert.deepEqual(backwards.toReversed(), first)
})
