// Configurations, and their plan as `understudy plan` prints it.

import assert from 'node:assert/strict'
import { formatDiagnostics } from '../../src/kernel/report.ts'
import { describeWhole } from '../../src/plan/describe.ts'
import { loadPlan } from '../support/load.ts'
import { testCases } from './cases.ts'

testCases('plans', ({ home, first, environment }) => {
  const { plan, report } = loadPlan(`${home}/${first}`, home, environment)
  assert.ok(plan, formatDiagnostics(report.list))
  return describeWhole(plan)
})
