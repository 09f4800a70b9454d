// `understudy check` and `understudy plan`.

import { Diagnostics, suggest } from '../kernel/diagnostic.ts'
import { parseRate } from '../kernel/units.ts'
import { selfCheck } from '../load/probe/self-check.ts'
import { describeCalendar, describeDayWhole, describeWhole } from '../plan/describe.ts'
import type { Plan } from '../plan/plan.ts'
import { checkAgainst } from '../wings/drift/against.ts'
import { askAt } from '../wings/drift/ask.ts'
import { BASELINE, tellBook } from '../wings/drift/drift-command.ts'
import { createUpstream } from '../wings/real-api/client.ts'
import { parseMoment, realClock } from '../world/clock.ts'
import {
  CONFIGURATIONS,
  type Command,
  type CommandLine,
  counted,
  isDocument,
  isUrl,
  load,
  mustBe,
  type Program,
  READING,
  tellMistakes,
  withPlan,
} from './command.ts'

export const check: Command = {
  about: 'report the mistakes of the configuration; exit 0 or 1',
  files: CONFIGURATIONS,
  options: {
    deep: { about: 'also call every operation in process, and check each reply against the contract' },
    against: {
      takes: 'URL',
      about: 'call the operations of this server instead, and report where it differs from the contract',
      fault: mustBe('an http or https URL', isUrl),
    },
    as: { takes: 'CONSUMER', about: 'with --against: send the credentials of this consumer' },
    writes: { about: 'with --against: also create, change and delete records' },
    rate: {
      takes: 'RATE',
      about: 'with --against: send no more requests; default 10/s',
      fault: mustBe('requests per second, minute or hour, such as 10/s', text => pauseOf(text) !== undefined),
    },
    ...BASELINE,
    stateful: { about: 'as for serve' },
    ...READING,
  },
  async run(line, program) {
    const { file, switches } = line
    const { print, progress } = program
    const { plan, report, files } = await load(line, program, { thorough: true })
    if (plan !== undefined && line.values.against !== undefined) {
      if (!report.failed) return compareWith(line.values.against, plan, line, program)
    }
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

/** Compares a server with the contract. The mistakes of the configuration are those of a plain check, and not repeated. */
async function compareWith(url: string, plan: Plan, line: CommandLine, program: Program): Promise<number> {
  const { values, switches } = line
  const { consumerNames } = plan.simulation
  const { as, rate = '10/s' } = values
  if (as !== undefined && !consumerNames.includes(as)) {
    program.complain(
      `--as: there is no consumer "${as}"; ${suggest(as, consumerNames) ?? 'add it under "consumers"'}\n`,
    )
    return 2
  }
  const report = new Diagnostics(switches.has('strict'))
  const client = createUpstream(program.environment)
  const { book, requests } = await checkAgainst(plan, report, {
    ask: askAt(client, new URL(url), plan.contract.basePaths[0] ?? '', pauseOf(rate) ?? 100, plan.simulation.upstream),
    consumer: as,
    writes: switches.has('writes'),
    now: () => realClock.now(),
    progress: program.progress.report,
  })
  await client.close()
  return tellBook(book, plan, report, `${counted(requests, 'request')} to ${new URL(url).host}\n`, line, program)
}

/** Returns the milliseconds between two requests. */
function pauseOf(text: string): number | undefined {
  const rate = parseRate(text)
  return rate === undefined || rate.count === 0 ? undefined : rate.window / rate.count
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
    stateful: { about: 'as for serve' },
    ...READING,
  },
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
