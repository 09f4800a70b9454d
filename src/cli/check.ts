// `understudy check` and `understudy plan`.

import { isPattern } from '../kernel/file/pattern.ts'
import { describeCalendar, describeDayWhole, describeWhole } from '../plan/describe.ts'
import { realClock } from '../world/clock.ts'
import { parseMoment } from '../world/dates.ts'
import { CONFIGURATIONS, type Command, counted, isDocument, load, mustBe, tellMistakes, withPlan } from './command.ts'

export const check: Command = {
  about: 'report the mistakes of the configuration; exit 0 or 1',
  files: CONFIGURATIONS,
  options: {},
  reads: true,
  async run(line, program) {
    const { file } = line
    const { print, wings } = program
    const loaded = await load(line, program, { thorough: true })
    const { plan, report, files } = loaded
    const examinations: string[] = []
    for (const { extensions } of wings) {
      if (plan === undefined) break
      examinations.push(...((await extensions?.check?.examine?.(plan, report, line, program)) ?? []))
    }
    tellMistakes(report, line, program, true)
    if (plan === undefined || report.failed) return 1
    if (isDocument(line.values.format)) return 0
    for (const sentence of examinations) print(`${sentence}\n`)
    const sizes = `${counted(plan.operations.length, 'operation')}, ${counted(files.filter(path => !isPattern(path)).length, 'file')}`
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
