// `understudy check --against`: compares a running server with the contract.

import {
  type CommandExtension,
  type CommandLine,
  counted,
  isUrl,
  load,
  mustBe,
  type Program,
  tellMistakes,
} from '../../cli/command.ts'
import { Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import { parseRate } from '../../kernel/units.ts'
import type { Plan } from '../../plan/plan.ts'
import { realClock } from '../../world/clock.ts'
import { createUpstream } from '../real-api/client.ts'
import { upstreamBlock } from '../real-api/settings.ts'
import { BASELINE, tellBook } from './drift-command.ts'

export const against: CommandExtension = {
  options: {
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
  },
  run: (line, program) =>
    line.values.against === undefined ? undefined : runAgainst(line.values.against, line, program),
}

async function runAgainst(url: string, line: CommandLine, program: Program): Promise<number> {
  const { plan, report } = await load(line, program, { thorough: true })
  if (plan !== undefined && !report.failed) return compareWith(url, plan, line, program)
  tellMistakes(report, line, program, true)
  return 1
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
  const { checkAgainst } = await import('./against.ts')
  const { askAt } = await import('./ask.ts')
  const client = createUpstream(program.environment)
  const { book, requests } = await checkAgainst(plan, report, {
    ask: askAt(
      client,
      new URL(url),
      plan.contract.basePaths[0] ?? '',
      pauseOf(rate) ?? 100,
      plan.settings(upstreamBlock),
    ),
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
