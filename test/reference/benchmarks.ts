// The figures of docs/benchmarks.md, which contains the printed report of `npm run bench`.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = join(import.meta.dirname, '../../docs/benchmarks.md')

export interface Subject {
  readonly name: string
  readonly perSecond: number
  /** Processor time as a multiple of the bare server's. */
  readonly ratio: number
}

export interface Case {
  readonly name: string
  readonly subjects: readonly Subject[]
}

export const report: string = readFileSync(PAGE, 'utf8')

/** The kinds of request, each with the bare servers and Understudy. */
export function readCases(): Case[] {
  const cases: { name: string; subjects: Subject[] }[] = []
  let name = ''
  for (const row of report.split('\n')) {
    const [, subject, perSecond, ratio] = /^ {2}([\w-]+) +([\d.]+) +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+) \[/.exec(row) ?? []
    if (subject === undefined) {
      if (/^\w/.test(row)) name = row
      continue
    }
    if (subject === 'bare-http') cases.push({ name, subjects: [] })
    cases.at(-1)?.subjects.push({ name: subject, perSecond: Number(perSecond), ratio: Number(ratio) })
  }
  return cases
}
