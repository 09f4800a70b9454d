// The report of who calls what is deprecated. Independent of HTTP.

import { table } from '../../kernel/terminal.ts'
import type { Plan } from '../../plan/plan.ts'
import { DAY, isoDate } from '../../world/dates.ts'
import type { Deprecations, Usage } from './usage.ts'

export interface DeprecatedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly since?: string
  readonly sunset?: string
  /** Whole days until the sunset, begun ones counted; negative after it. */
  readonly daysLeft?: number
  /** Real calls, here and below. */
  readonly calls: number
  readonly consumers: readonly Caller[]
  /** Calls to sandboxes, or at another time than the real one. */
  readonly rehearsed: number
}

export interface Caller {
  /** `null` for calls without a known consumer. */
  readonly consumer: string | null
  readonly calls: number
  /** By the world's clock. */
  readonly firstSeen: string
  readonly lastSeen: string
}

export interface DeprecationReport {
  /** The moment from which days are counted. */
  readonly at: string
  readonly operations: readonly DeprecatedOperation[]
  /** Deprecated parameters and fields that were used. */
  readonly inputs: readonly (Caller & { readonly operation: string; readonly input: string })[]
}

/** Reports every deprecated operation of the plan, also uncalled ones; consumers are sorted by calls, most first. */
export function describeDeprecations(plan: Plan, deprecations: Deprecations, now: number): DeprecationReport {
  const called = deprecations.all('operations')
  const operations = plan.operations
    .filter(({ deprecated }) => deprecated)
    .map(({ operation, route, lifecycle }): DeprecatedOperation => {
      const all = called.filter(usage => usage.operation === operation.id)
      const usages = all.filter(isLive)
      const { since, sunset } = lifecycle ?? {}
      return {
        operation: operation.id,
        method: operation.method,
        path: route,
        since: since === undefined ? undefined : isoDate(since),
        ...(sunset === undefined ? {} : { sunset: isoDate(sunset), daysLeft: daysUntil(sunset, now) }),
        calls: sumOf(usages),
        consumers: usages.map(describeCaller),
        rehearsed: sumOf(all) - sumOf(usages),
      }
    })
  const live = deprecations.all('inputs').filter(isLive)
  const inputs = live.map(usage => ({ operation: usage.operation, input: usage.input, ...describeCaller(usage) }))
  return { at: isoDate(now), operations, inputs }
}

const isLive = ({ traffic }: Usage): boolean => traffic === 'live'
const sumOf = (usages: readonly Usage[]): number => usages.reduce((sum, { count }) => sum + count, 0)

const describeCaller = ({ consumer, count, first, last }: Usage): Caller => ({
  consumer: consumer === '' ? null : consumer,
  calls: count,
  firstSeen: isoDate(first),
  lastSeen: isoDate(last),
})

// Adding 0 converts -0 to 0.
const daysUntil = (sunset: number, now: number): number => Math.ceil((sunset - now) / DAY) + 0

/** Formats the report as a table: one line per consumer and operation, then one per consumer and input. */
export function formatDeprecations({ operations, inputs }: DeprecationReport): string {
  const rows = operations.flatMap(({ operation, sunset = '·', daysLeft = '·', consumers }) => {
    const life = [operation, sunset, `${daysLeft}`]
    if (consumers.length === 0) return [[...life, 'nobody', '0', '·', '·']]
    return consumers.map(caller => [...life, ...cellsOf(caller)])
  })
  const used = inputs.map(one => [one.operation, one.input, ...cellsOf(one)])
  const parts = [
    ...(rows.length === 0 ? [] : [table([['OPERATION', 'SUNSET', 'DAYS LEFT', ...CALLER], ...rows])]),
    ...(used.length === 0 ? [] : [table([['OPERATION', 'INPUT', ...CALLER], ...used])]),
  ]
  const rehearsed = operations.reduce((sum, one) => sum + one.rehearsed, 0)
  if (rehearsed > 0) parts.push(`${rehearsed} more in sandboxes or at other times`)
  return parts.length === 0 ? 'no operation is deprecated\n' : `${parts.join('\n\n')}\n`
}

const CSV = 'operation,input,method,path,since,sunset,daysLeft,consumer,calls,firstSeen,lastSeen'

/** The report as CSV (RFC 4180): one line for each consumer of each operation and of each input. */
export function deprecationsAsCsv({ operations, inputs }: DeprecationReport): string {
  const called = operations.flatMap(({ operation, method, path, since, sunset, daysLeft, consumers }) => {
    const nobody = { consumer: null, calls: 0, firstSeen: '', lastSeen: '' }
    const about = [operation, '', method, path, since, sunset, daysLeft]
    return (consumers.length === 0 ? [nobody] : consumers).map(caller => [...about, ...Object.values(caller)])
  })
  const used = inputs.map(({ operation, input, ...caller }) => [
    ...[operation, input, '', '', '', '', ''],
    ...Object.values(caller),
  ])
  return [CSV.split(','), ...called, ...used].map(row => `${row.map(cellOfCsv).join(',')}\r\n`).join('')
}

/** A spreadsheet would take a text that begins with one of these for a formula. */
const FORMULA = /^[=+\-@\t]/

const cellOfCsv = (value: unknown): string => {
  const text = String(value ?? '')
  const safe = FORMULA.test(text) && !/^-?\d+$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const CALLER = ['CONSUMER', 'CALLS', 'FIRST SEEN', 'LAST SEEN']
const cellsOf = ({ consumer, calls, firstSeen, lastSeen }: Caller): string[] => [
  ...[consumer ?? '(unknown)', `${calls}`, firstSeen.slice(0, 10), lastSeen.slice(0, 10)],
]
