// Runs `understudy record`.

import { join, relative, resolve } from 'node:path'
import { type CommandLine, firstLines, isUrl, type Program, tellMistakes } from '../../cli/command.ts'
import { readRunning } from '../../http/control-client.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { loadPlan } from '../../load/load.ts'
import { addToRecording, exchangesOf, RECORDING } from '../project/recording.ts'
import { projectOfExchanges, type RecordedProject } from './record.ts'
import { recordProxy } from './record-proxy.ts'
import type { RecordingTarget } from './recorder.ts'

/** Adds exchanges to the recording in the output folder, makes a project of it, and says how true the project is. */
export async function runRecord(line: CommandLine, program: Program): Promise<number> {
  const { from = line.file, output = 'recorded', contract, upstream, mask = '' } = line.values
  const { home, complain, wings } = program
  if ((from === '') === (upstream === undefined)) {
    complain('record needs one source: --upstream URL, --from FILE.har, or --from http://127.0.0.1:4011\n')
    return 2
  }
  const document = contract === undefined ? undefined : loadPlan(contract, home, {}, { wings })
  if (document !== undefined && document.plan === undefined) return tell(document.report, line, program)
  const folder = resolve(home, output)
  const target = { path: join(folder, RECORDING), personal: mask.split(','), plan: document?.plan }
  const report = new Diagnostics()
  const failure =
    upstream === undefined
      ? await addSource(from, target, report, line, program)
      : await recordProxy(upstream, target, line, program)
  if (failure !== 0) return failure
  const place = { folder, contract: contract && resolve(home, contract), home, wings }
  const project = await projectOfExchanges(exchangesOf(target.path), place, report)
  const code = tell(report, line, program)
  if (project === undefined) return 1
  program.print(describeProject(project, output, relative(home, join(folder, 'gateway.yaml'))))
  return code
}

/** Reports the mistakes. Returns the exit code. */
function tell(report: Diagnostics, line: CommandLine, program: Program): number {
  tellMistakes(report, line, program, true)
  return report.failed ? 1 : 0
}

/** Adds the exchanges of a HAR file, or of a running gateway, to the recording. Returns the exit code. */
async function addSource(
  from: string,
  { path, personal, plan }: RecordingTarget,
  report: Diagnostics,
  line: CommandLine,
  program: Program,
): Promise<number> {
  const { home, complain, print, version } = program
  const text = isUrl(from) ? await readRunning(from, '/requests?format=har&limit=100000', program) : undefined
  if (text === undefined && isUrl(from)) return 1
  const exchanges = exchangesOf(text === undefined ? resolve(home, from) : [Buffer.from(text)], from, report)
  const options = { source: from, personal, contract: plan?.contract, version }
  const { added, all } = await addToRecording(path, exchanges, options, report)
  if (all === 0 && !report.failed) complain(`${from} has no exchanges with an API\n`)
  if (report.failed || all === 0) return tell(report, line, program) || 1
  print(`New exchanges: ${added}, of ${all} in ${line.values.output ?? 'recorded'}/${RECORDING}\n`)
  return 0
}

/** @param file the gateway.yaml, as a command line names it */
function describeProject({ files, kept, proof }: RecordedProject, output: string, file: string): string {
  const different = [...proof.different].map(([what, count]) => `${what}${count === 1 ? '' : ` (${count} replies)`}`)
  const lines = [
    `Written to ${output}: ${[...files.keys()].join(', ')}`,
    kept.length > 0 && `Kept, because they were changed: ${kept.join(', ')}; delete one to have it written anew`,
    `${proof.equal} of ${proof.tried} recorded replies are equal${different.length > 0 ? '; recorded ≠ answered:' : ''}`,
    ...firstLines(different),
    `Try: understudy serve ${file}\n`,
  ]
  return lines.filter(Boolean).join('\n')
}
