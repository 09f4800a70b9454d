// The coverage of a contract as data, merged, and written for people, editors and code hosts.

import { getOrMake } from '../../kernel/memo.ts'
import { escapeCell } from '../../kernel/report.ts'
import { table } from '../../kernel/terminal.ts'
import type { Fraction } from '../../kernel/units.ts'
import type { ItemKind } from './items.ts'

/** An item in a report. */
export interface CoveredItem {
  readonly kind: ItemKind
  readonly name: string
  /** The file of the contract that has it, at `line`. */
  readonly file: string
  readonly line: number
  readonly seen: boolean
  /** Set for a deprecated parameter or field, which should rather not be seen: it is not counted. */
  readonly deprecated?: boolean
}

export interface CoverageTotals {
  readonly seen: number
  readonly total: number
  /** Rounded down to a tenth; 100 if there is nothing to see. */
  readonly percent: Fraction
  /** Rules that refused requests have violated. A client that works violates none, so they are not in the percentage. */
  readonly rules: { readonly seen: number; readonly total: number }
}

export interface CoveredOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly requests: number
  readonly items: readonly CoveredItem[]
}

export interface CoverageReport extends CoverageTotals {
  /** The title of the contract. */
  readonly title: string
  readonly operations: readonly (CoveredOperation & CoverageTotals)[]
}

type CountedItem = Pick<CoveredItem, 'kind' | 'deprecated' | 'seen'>

const isRule = ({ kind }: CountedItem): boolean => kind === 'rule'
const isCounted = (item: CountedItem): boolean => !isRule(item) && item.deprecated !== true

export function totalsOf(items: readonly CountedItem[]): CoverageTotals {
  const count = (of: readonly CountedItem[]) => ({ seen: of.filter(({ seen }) => seen).length, total: of.length })
  const { seen, total } = count(items.filter(isCounted))
  const percent = total === 0 ? 100 : Math.floor((seen / total) * 1000) / 10
  return { seen, total, percent, rules: count(items.filter(isRule)) }
}

export const reportOf = (title: string, operations: readonly CoveredOperation[]): CoverageReport => ({
  title,
  ...totalsOf(operations.flatMap(({ items }) => items)),
  operations: operations.map(one => ({ ...one, ...totalsOf(one.items) })),
})

const identifyItem = ({ kind, name }: CoveredItem): string => `${kind} ${name}`

/** Returns what the runs or processes of several reports have touched together. Items are the same by kind and name. */
export function mergeReports(reports: readonly CoverageReport[]): CoverageReport {
  const operations = new Map<string, CoveredOperation>()
  for (const one of reports.flatMap(report => report.operations)) {
    const known = operations.get(one.operation)
    const items = new Map(known?.items.map(item => [identifyItem(item), item]))
    for (const item of one.items) {
      const same = items.get(identifyItem(item))
      if (same === undefined || item.seen) items.set(identifyItem(item), { ...(same ?? item), seen: item.seen })
    }
    const requests = one.requests + (known?.requests ?? 0)
    operations.set(one.operation, { ...(known ?? one), requests, items: [...items.values()] })
  }
  return reportOf(reports[0]?.title ?? '', [...operations.values()])
}

export const COVERAGE_FORMATS = ['text', 'json', 'lcov', 'markdown'] as const
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number]

const FORMATTERS: Readonly<Record<CoverageFormat, (report: CoverageReport) => string>> = {
  text: report => coverageAsText(report),
  json: report => `${JSON.stringify(report, null, 2)}\n`,
  lcov: report => coverageAsLcov(report),
  markdown: report => coverageAsMarkdown(report),
}

export const formatCoverage = (report: CoverageReport, format: CoverageFormat): string => FORMATTERS[format](report)

const PARTS = ['OPERATION', 'PART', 'PLACE']
const HEAD = ['OPERATION', 'REQUESTS', 'COVERED', '%', 'RULES VIOLATED']

const coverageRows = ({ operations, ...all }: CoverageReport): string[][] => {
  const row = (name: string, requests: number, { seen, total, percent, rules }: CoverageTotals) => [
    ...[name, `${requests}`, `${seen} of ${total}`, `${percent}`, `${rules.seen} of ${rules.total}`],
  ]
  const requests = operations.reduce((sum, one) => sum + one.requests, 0)
  return [...operations.map(one => row(one.operation, one.requests, one)), row('all', requests, all)]
}

/** Returns the untouched items: of an operation without a call, only the operation. */
const untouchedOf = ({ items }: CoveredOperation): CoveredItem[] => {
  const missed = items.filter(item => isCounted(item) && !item.seen)
  return missed.filter(({ kind }) => kind === 'operation').concat(items[0]?.seen ? missed : [])
}

/** Returns the lists below the table: a title, and rows of an operation, an item and its place. */
function listsOf({ operations }: CoverageReport): [string, string[][]][] {
  const list = (title: string, itemsOf: (of: CoveredOperation) => readonly CoveredItem[]): [string, string[][]] => [
    title,
    operations.flatMap(one =>
      itemsOf(one).map(({ kind, name, file, line }) => [
        ...[one.operation, kind === 'operation' ? 'never called' : `${kind} ${name}`, `${file}:${line}`],
      ]),
    ),
  ]
  const lists = [
    list('Never touched', untouchedOf),
    list('Deprecated, but used', ({ items }) => items.filter(one => one.deprecated && one.seen)),
  ]
  return lists.filter(([, rows]) => rows.length > 0)
}

const coverageAsText = (report: CoverageReport): string =>
  `${[
    table([HEAD, ...coverageRows(report)]),
    ...listsOf(report).map(
      ([title, rows]) => `${title}:\n${table(rows.map(([first, ...rest]) => [`  ${first}`, ...rest]))}`,
    ),
  ].join('\n\n')}\n`

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows.map(row => row.map(escapeCell))].map(row => `| ${row.join(' | ')} |`).join('\n')

/** For a comment on a pull request: the percentage, and the rest behind a click. */
const coverageAsMarkdown = (report: CoverageReport): string =>
  `${[
    `**${report.percent} % of ${escapeCell(report.title)} covered**: ${report.seen} of ${report.total} parts of the contract`,
    ...[
      ['Operations', HEAD, coverageRows(report)] as const,
      ...listsOf(report).map(([title, rows]) => [title, PARTS, rows] as const),
    ].map(
      ([title, head, rows]) => `<details><summary>${title}</summary>\n\n${markdownTable(head, rows)}\n\n</details>`,
    ),
  ].join('\n\n')}\n`

/**
 * One record for each file of the contract (geninfo(1)). A line counts the operations that have touched an item on it; an
 * operation is a function.
 */
function coverageAsLcov({ operations }: CoverageReport): string {
  const files = new Map<string, { functions: string[]; lines: Map<number, number> }>()
  for (const { operation, requests, items } of operations) {
    for (const item of items) {
      const { kind, file, line, seen } = item
      if (!isCounted(item)) continue
      const record = getOrMake(files, file, () => ({ functions: [] as string[], lines: new Map<number, number>() }))
      record.lines.set(line, (record.lines.get(line) ?? 0) + (kind === 'operation' ? requests : Number(seen)))
      if (kind === 'operation') record.functions.push(`FN:${line},${operation}\nFNDA:${requests},${operation}\n`)
    }
  }
  const records = [...files].map(([file, { functions, lines }]) => {
    const sorted = [...lines].sort(([a], [b]) => a - b)
    const data = sorted.map(([line, count]) => `DA:${line},${count}\n`).join('')
    const hit = sorted.filter(([, count]) => count > 0).length
    return `TN:\nSF:${file}\n${functions.join('')}${data}LF:${sorted.length}\nLH:${hit}\nend_of_record\n`
  })
  return records.join('')
}
