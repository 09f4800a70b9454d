import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatReport } from '../../src/kernel/report.ts'
import { loadPlan } from '../../src/load/load.ts'

const load = (text: string) => loadPlan('gateway.yaml', '/nowhere', {}, { text }).report

test('a text with more than 1,500,000 values, or 500,000 lines and commas as YAML, is refused', () => {
  const yaml = `errors: { body: [${'1,'.repeat(500_001)}1] }\n`
  assert.match(formatReport(load(yaml)), /file-too-large: the file has more than 500000 lines and commas/)
  const json = `{"errors":{"body":[${'1,'.repeat(1_500_000)}1]}}`
  assert.match(formatReport(load(json)), /file-too-large: the file has more than 1500000 values/)
})
