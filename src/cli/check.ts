// `understudy check` and `understudy plan`.

import { selfCheck } from '../load/probe/self-check.ts'
import { describeCalendar, describeDayWhole, describeWhole } from '../plan/describe.ts'
import { realClock } from '../world/clock.ts'
import { parseMoment } from '../world/dates.ts'
import { CONFIGURATIONS, type Command, counted, isDocument, load, mustBe, tellMistakes, withPlan } from './command.ts'

export const check: Command = {
  about: 'report the mistakes of the configuration; exit 0 or 1',
  files: CONFIGURATIONS,
  options: {
    deep: { about: 'also call every operation in process, and check each reply against the contract' },
  },
  reads: true,
  async run(line, program) {
    const { file, switches } = line
    const { print, progress } = program
    const { plan, report, files } = await load(line, program, { thorough: true })
    const checked =
      plan !== undefined && switches.has('deep') ? await selfCheck(plan, report, progress.report) : undefined
    tellMistakes(report, line, program, true)
    if (plan === undefined || report.failed) return 1
    if (isDocument(line.values.format)) return 0
    if (checked !== undefined) print(`${counted(checked.requests, 'request')} answered as the contract documents\n`)
    const sizes = `${counted(plan.operations.length, 'operation')}, ${counted(files.length, 'file')}`
    print(`${file}: ${sizes}, ${report.unsorted.length === 0 ? 'no mistakes' : 'no errors'}\n`)
    return 0
  },
}

export const plan: Command = {
  about: 'print every operation with its behaviours, consumers and dates',
  files: CONFIGURATIONS,
  options: {
    at: {
      takes: 'DATE',
      about: 'describe the operations at this time: 2030-12-06, 2030-12-06T10:00:00Z or +30d',
      fault: mustBe('a date, a timestamp or an offset', text => parseMoment(text, 0) !== undefined),
    },
    calendar: { about: 'list the coming changes, from now or from --at' },
  },
  reads: true,
  async run(line, program) {
    const { values, switches } = line
    const { at } = values
    const now = realClock.now()
    const time = at === undefined ? now : (parseMoment(at, now) ?? now)
    return withPlan(await load(line, program), line, program, plan => {
      if (switches.has('calendar')) program.print(describeCalendar(plan, time))
      else program.print(at === undefined ? describeWhole(plan) : describeDayWhole(plan, time))
    })
  },
}
