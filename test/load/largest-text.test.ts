import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatReport } from '../../src/kernel/report.ts'
import { loadPlan } from '../../src/load/load.ts'

const load = (text: string) => loadPlan('gateway.yaml', '/nowhere', {}, { text }).report

test('a text with more than 1,500,000 values is refused', () => {
  const list = `[${'1,'.repeat(1_500_000)}1]`
  for (const text of [`errors: { body: ${list} }\n`, `{"errors":{"body":${list}}}`]) {
    assert.match(formatReport(load(text)), /file-too-large: the file has more than 1500000 values/)
  }
})
