// Saves the reports of several processes as one file: each leaves its own beside it, and merges those that are there.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CoverageReport, formatCoverage, mergeReports } from './report.ts'

const PART = 'report.json'

/** Adds a report to those of other processes in a file, whose folder need not exist. */
export function saveReport(report: CoverageReport, file: string): void {
  const parts = `${file}.parts`
  mkdirSync(parts, { recursive: true })
  const own = mkdtempSync(join(parts, 'part-'))
  const write = (target: string, written: CoverageReport) => {
    const draft = join(own, 'draft.json')
    writeFileSync(draft, formatCoverage(written, 'json'))
    renameSync(draft, target)
  }
  write(join(own, PART), report)
  // Another process may write its merge over this one; whoever writes last looks again, and finds every part.
  for (let merged = 0; ; ) {
    const whole = readdirSync(parts)
      .map(name => join(parts, name, PART))
      .filter(existsSync)
    if (whole.length === merged) return
    write(file, mergeReports(whole.map(path => JSON.parse(readFileSync(path, 'utf8')))))
    merged = whole.length
  }
}
