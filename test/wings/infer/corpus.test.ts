import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfCheck } from '../../../src/wings/probe/self-check.ts'
import { loadInferred } from '../../support/load.ts'
import { checkCorpus } from '../probe/checked-corpus.ts'

checkCorpus('with state', loadInferred)

test('a self-check reports nothing for a contract with inferred state', async () => {
  const { plan, report } = await loadInferred('test/golden/inference/library.yaml', '.', {})
  assert.ok(plan)
  const before = report.list.length
  const { requests } = await selfCheck(plan, report)
  assert.ok(requests > plan.operations.length)
  assert.deepEqual(report.list.slice(before), [])
})
