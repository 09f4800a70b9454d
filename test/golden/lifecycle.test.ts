// Plans at a date, and calendars from a date on. `AT` and `CALENDAR` name the dates.

import { formatDiagnostics } from '../../src/kernel/report.ts'
import { describeCalendar, describeDayWhole } from '../../src/plan/describe.ts'
import { parseDate } from '../../src/world/dates.ts'
import { loadPlan } from '../support/load.ts'
import { testCases } from './cases.ts'

const days = (text: string | undefined) => (text?.split(' ') ?? []).map(day => parseDate(day) as number)

testCases('lifecycle', ({ home, first, environment: { AT, CALENDAR } }) => {
  const { plan, report } = loadPlan(`${home}/${first}`, home, {})
  if (plan === undefined) return formatDiagnostics(report.list)
  return [
    ...days(AT).map(day => describeDayWhole(plan, day)),
    ...days(CALENDAR).map(day => describeCalendar(plan, day)),
  ].join('\n')
})
