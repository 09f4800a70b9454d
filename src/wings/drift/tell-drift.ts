// Reports the differences that no baseline accepts, for `understudy drift` and `check --against`.

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type CommandLine, counted, isDocument, type Program } from '../../cli/command.ts'
import { Mask } from '../../gateway/mask.ts'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import { attempted } from '../../kernel/memo.ts'
import { formatFindings, type ReportFormat } from '../../kernel/report.ts'
import type { Plan } from '../../plan/plan.ts'
import {
  baselineLine,
  type DriftBook,
  type DriftFinding,
  diagnosticOf,
  readBaseline,
  writeBaseline,
} from './drift-book.ts'

/** Findings to report, with what is known beside them. */
interface ToldDrift {
  readonly findings: readonly DriftFinding[]
  readonly omitted: number
  readonly report?: Diagnostics
  readonly places?: ReadonlyMap<string, Place>
  /** The last line. */
  readonly closing?: string
}

/** Returns the differences in a book as `tellDrift` takes them. @param closing the last line */
export const toldOfBook = (book: DriftBook, plan: Plan, report: Diagnostics, closing: string): ToldDrift => ({
  findings: book.list(new Mask(plan)),
  omitted: book.omitted,
  report,
  places: book.places,
  closing,
})

/** Reports the differences that are not accepted. Returns the exit code: 1 if there are any. */
export function tellDrift(
  { findings, omitted, report, places, closing = '' }: ToldDrift,
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
    print(`${baseline}: ${counted(findings.length, 'accepted difference')}\n${closing}`)
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
    print(`${counted(fresh.length, 'difference')}${others > 0 ? `, and ${others} accepted` : ''}\n${closing}`)
  }
  return fresh.length > 0 || report?.failed ? 1 : 0
}
