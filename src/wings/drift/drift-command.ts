// `understudy drift`, and the ending that `check --against` shares with it: the findings that no baseline accepts.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  CONFIGURATIONS,
  CONTROL,
  type Command,
  type CommandLine,
  counted,
  isDocument,
  isUrl,
  load,
  type Option,
  type Program,
  tellMistakes,
} from '../../cli/command.ts'
import { Mask } from '../../gateway/mask.ts'
import { readRunning } from '../../http/control-client.ts'
import { Diagnostics, type Place } from '../../kernel/diagnostic.ts'
import { attempted } from '../../kernel/memo.ts'
import { formatFindings, type ReportFormat } from '../../kernel/report.ts'
import type { Plan } from '../../plan/plan.ts'
import { readHar } from '../project/har.ts'
import {
  baselineLine,
  type DriftBook,
  type DriftFinding,
  type DriftReport,
  diagnosticOf,
  readBaseline,
  writeBaseline,
} from './drift-book.ts'
import { compareRecorded } from './recorded.ts'

/** The options of commands that report differences. */
export const BASELINE: Readonly<Record<string, Option>> = {
  baseline: { takes: 'FILE', about: 'accept the differences that this file lists, one a line' },
  accept: { about: 'write the differences to the file of --baseline' },
}

export const drift: Command = {
  about: 'compare a recording (HAR), or the traffic of a running gateway, with the contract and the stand-in',
  options: {
    config: { takes: 'FILE', about: `for a HAR: its gateway.yaml or contract; default: ${CONFIGURATIONS.join(', ')}` },
    ...BASELINE,
  },
  reads: true,
  async run(line, program) {
    const { values } = line
    const file = line.file || CONTROL
    const { home, complain } = program
    if (isUrl(file)) {
      const text = await readRunning(file, '/drift', program)
      if (text === undefined) return 1
      const told = attempted(() => JSON.parse(text) as DriftReport)
      if (told !== undefined) return tellDrift(told, line, program)
      complain(`understudy: ${file} is not the control plane of a gateway\n`)
      return 1
    }
    const config = values.config ?? CONFIGURATIONS.find(one => existsSync(resolve(home, one)))
    if (config === undefined) {
      complain(`none of these files exists: ${CONFIGURATIONS.join(', ')}; name one with --config\n`)
      return 2
    }
    const { plan, report } = await load({ ...line, file: config }, program)
    if (plan === undefined) {
      tellMistakes(report, line, program)
      return 1
    }
    const own = new Diagnostics()
    const { book, compared } = await compareRecorded(readHar(resolve(home, file), file, own), plan, own, file)
    return tellBook(book, plan, own, `${counted(compared, 'exchange')} of ${file}\n`, line, program)
  },
}

/** Reports the differences in a book as `tellDrift` does. @param closing the last line */
export function tellBook(
  book: DriftBook,
  plan: Plan,
  report: Diagnostics,
  closing: string,
  line: CommandLine,
  program: Program,
): number {
  const findings = book.list(new Mask(plan))
  const code = tellDrift({ findings, omitted: book.omitted, report, places: book.places }, line, program)
  if (!isDocument(line.values.format)) program.print(closing)
  return code
}

/** Findings to report, with what is known beside them. */
interface ToldDrift {
  readonly findings: readonly DriftFinding[]
  readonly omitted: number
  readonly report?: Diagnostics
  readonly places?: ReadonlyMap<string, Place>
}

/** Reports the differences that are not accepted. Returns the exit code: 1 if there are any. */
function tellDrift(
  { findings, omitted, report, places }: ToldDrift,
  { values, switches }: CommandLine,
  { home, print, complain, progress, version }: Program,
): number {
  progress.clear()
  const { baseline, format = 'text' } = values
  const path = baseline === undefined ? undefined : resolve(home, baseline)
  if (switches.has('accept')) {
    if (path === undefined) {
      complain('--accept needs --baseline FILE, the file to write\n')
      return 2
    }
    writeFileSync(path, writeBaseline(findings))
    print(`${baseline}: ${counted(findings.length, 'accepted difference')}\n`)
    return 0
  }
  const text = path === undefined ? '' : attempted(() => readFileSync(path, 'utf8'))
  if (text === undefined) {
    complain(`${baseline} cannot be read; write it with --accept\n`)
    return 2
  }
  const accepted = readBaseline(text)
  const fresh = findings.filter(one => !accepted.has(baselineLine(one)))
  const list = [...(report?.list ?? []), ...fresh.map(one => diagnosticOf(one, places?.get(baselineLine(one))))]
  const write = format === 'text' ? complain : print
  write(formatFindings(format as ReportFormat, list, { version }))
  if (omitted > 0) complain(`${omitted} more findings were not kept\n`)
  if (!isDocument(format)) {
    const others = findings.length - fresh.length
    print(`${counted(fresh.length, 'difference')}${others > 0 ? `, and ${others} accepted` : ''}\n`)
  }
  return fresh.length > 0 || report?.failed ? 1 : 0
}
