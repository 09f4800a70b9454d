// Runs `understudy next`.

import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { CONFIGURATIONS, type CommandLine, isUrl, type Program, tellMistakes } from '../../cli/command.ts'
import { readRunning } from '../../http/control-client.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import type { ReportFormat } from '../../kernel/report.ts'
import { loadContract, loadPlan } from '../../load/load.ts'
import type { Plan } from '../../plan/plan.ts'
import { readHar } from '../project/har.ts'
import { NextJudge } from './judge.ts'
import { keptOfEntry, keptOfRecording } from './kept.ts'
import { formatNext } from './report.ts'
import { NextTally } from './tally.ts'

export async function runNext(line: CommandLine, program: Program): Promise<number> {
  const { file, values } = line
  const { home, environment, progress, wings } = program
  const told = { ...line, values: {} }
  const config = values.config ?? CONFIGURATIONS.find(name => existsSync(resolve(home, name)))
  const { from = '', format = 'text' } = values
  if (file === '') {
    program.complain('understudy: next needs the next contract: understudy next ./openapi-next.yaml\n')
    return 2
  }
  if (config === undefined) {
    program.complain(`none of these files exists: ${CONFIGURATIONS.join(', ')}; name one with --config\n`)
    return 2
  }
  const { plan, report: mistakes } = loadPlan(config, home, environment, { progress: progress.report, wings })
  const { contract, report: others } = loadContract(file, home, { progress: progress.report, wings })
  for (const one of [mistakes, others]) tellMistakes(one, told, program)
  if (plan === undefined || contract === undefined) return 1
  const tally = new NextTally(new NextJudge(plan, contract))
  let api: string | undefined
  if (isUrl(from)) {
    const [about, kept] = [
      await readRunning(from, '/version', program),
      await readRunning(from, '/requests?limit=100000', program),
    ]
    if (about === undefined || kept === undefined) return 1
    api = JSON.parse(about).api
    const { requests } = JSON.parse(kept)
    for (const [i, one] of requests.entries()) {
      progress.report('judging requests', i, requests.length)
      await tally.add(keptOfEntry(one))
    }
  } else if (from !== '') {
    const found = new Diagnostics()
    for await (const one of readHar(resolve(home, from), from, found)) {
      progress.report('judging requests', tally.requests)
      await tally.add(keptOfRecording(one))
    }
    tellMistakes(found, told, program)
    if (found.failed) return 1
  }
  progress.clear()
  const report = await tally.report(api)
  program.print(formatNext(report, format as ReportFormat, program.version, currentFile(plan, home)))
  const wanted = values['fail-on']
  const fails = report.rows.some(({ verdict }) => verdict === 'breaks' || verdict === wanted) || !report.related
  return wanted !== undefined && fails ? 1 : 0
}

/** Returns the file of the current contract, as a command line names it. */
const currentFile = ({ contract, simulation }: Plan, home: string): string => {
  const [file] = contract.files
  return file === undefined ? simulation.source.file : relative(home, file) || file
}
