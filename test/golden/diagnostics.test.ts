// Configurations, contracts and fixtures with mistakes, and their messages.

import { formatDiagnostics } from '../../src/kernel/report.ts'
import { loadPlan } from '../support/load.ts'
import { testCases } from './cases.ts'

testCases('diagnostics', ({ home, first, environment }) => {
  const { plan, report } = loadPlan(`${home}/${first}`, home, environment)
  return `${formatDiagnostics(report.list)}${plan === undefined ? 'refused' : 'served'}\n`
})
