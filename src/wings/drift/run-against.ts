// Runs `understudy check --against`.

import { type CommandLine, counted, load, type Program, tellMistakes } from '../../cli/command.ts'
import { Diagnostics, suggest } from '../../kernel/diagnostic.ts'
import type { Plan } from '../../plan/plan.ts'
import { realClock } from '../../world/clock.ts'
import { createUpstream } from '../real-api/client.ts'
import { upstreamBlock } from '../real-api/settings.ts'
import { checkAgainst } from './against.ts'
import { askAt } from './ask.ts'
import { pauseOf } from './pause.ts'
import { tellDrift, toldOfBook } from './tell-drift.ts'

export async function runAgainst(line: CommandLine, program: Program): Promise<number> {
  const { plan, report } = await load(line, program, { thorough: true })
  if (plan !== undefined && !report.failed) return compareWith(line.values.against as string, plan, line, program)
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
  const closing = `${counted(requests, 'request')} to ${new URL(url).host}\n`
  return tellDrift(toldOfBook(book, plan, report, closing), line, program)
}
