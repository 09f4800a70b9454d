// The report on the next contract: who breaks, and why, as data and for readers.

import type { Diagnostic } from '../../kernel/diagnostic.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { formatFindings, type ReportFormat } from '../../kernel/report.ts'
import type { DateTime } from '../../kernel/units.ts'
import type { NextCause } from './judge.ts'

/** `not-judged`: a part of it was not kept. `not-seen`: it would break, or may, but was not called. */
export type NextVerdict = NextCause['verdict'] | 'not-judged' | 'safe' | 'not-seen'

/** A reason for a verdict. */
export interface NextFinding {
  readonly verdict: NextCause['verdict']
  readonly reason: string
  /** The place in the contract: `openapi.yaml:12:5`. */
  readonly now: string
  /** The place in the next contract. */
  readonly next: string
  readonly calls: number
  readonly last?: DateTime
  /** A command of curl that repeats the first such call; credentials are masked. */
  readonly try?: string
}

/** The verdict on the calls of an operation by a consumer. */
export interface NextRow {
  /** `null` for callers without a known name, and for an operation that was not called. */
  readonly consumer: string | null
  readonly operation: string
  readonly verdict: NextVerdict
  readonly calls: number
  readonly last?: DateTime
  readonly findings: readonly NextFinding[]
  /** The reasons why a part of the calls could not be judged, with their number. */
  readonly unjudged: Readonly<Record<string, number>>
  /** The date until which a deprecated operation is served. */
  readonly sunset?: string
}

export interface NextReport {
  /** Whether the contracts have an operation in common. Without one, there are no rows. */
  readonly related: boolean
  /** The time of the first request. */
  readonly since?: DateTime
  /** The time of the last request. */
  readonly until?: DateTime
  readonly requests: number
  /** Requests that the current contract refuses already. */
  readonly refused: number
  /** Requests to no operation of the current contract. */
  readonly unmatched: number
  /** Requests that were not judged because too many were waiting. */
  readonly dropped: number
  /** Those that were seen. */
  readonly consumers: readonly (string | null)[]
  /** Consumers of the configuration without a request. */
  readonly neverSeen: readonly string[]
  /** The operations with findings that a seen consumer did not call, by consumer. */
  readonly notSeen: Readonly<Record<string, readonly string[]>>
  readonly rows: readonly NextRow[]
}

/**
 * Formats a report; text and Markdown begin with what is known.
 *
 * @param version that of the program
 * @param current the file of the current contract
 */
export function formatNext(report: NextReport, format: ReportFormat, version: string, current = ''): string {
  if (format === 'json') return `${JSON.stringify(report, null, 2)}\n`
  const now = current === '' ? '' : `Current contract: ${current} (--config)\n`
  const head = format === 'text' || format === 'markdown' ? `${now}${describeKnown(report)}\n\n` : ''
  return head + formatFindings(format, diagnosticsOf(report.rows), { version })
}

/** Says which requests are known, since when; what is safe; and what is not known. */
function describeKnown({
  requests,
  refused,
  unmatched,
  dropped,
  since,
  until,
  consumers,
  neverSeen,
  notSeen,
  ...report
}: NextReport): string {
  const named = (all: readonly string[]) => {
    const more = all.length - MOST_LISTED
    return all.slice(0, MOST_LISTED).join(', ') + (more > 0 ? `, and ${more} more` : '')
  }
  const listed = (isListed: (row: NextRow) => boolean) =>
    named(
      report.rows
        .filter(isListed)
        .map(({ consumer, operation, calls, unjudged }) =>
          [consumer ?? [], operation, `(${calls})`, Object.keys(unjudged).join(', ') || []].flat().join(' '),
        ),
    )
  const lines = [
    [requests === 0 ? 'No request is known' : `Requests: ${requests} from ${since} to ${until}`],
    [`Refused already: ${refused}; to no operation of the current contract: ${unmatched}`],
    ['Not judged because too many were waiting: ', dropped === 0 ? '' : `${dropped}`],
    ['Seen: ', consumers.map(one => one ?? 'unknown callers').join(', ')],
    ['Never seen, so nothing is known of them: ', neverSeen.join(', ')],
    ...Object.entries(notSeen).map(([name, operations]) => [
      `Changes, and was not called by ${name}: `,
      named(operations),
    ]),
    ['Not judged: ', listed(({ unjudged }) => Object.keys(unjudged).length > 0)],
    ['Safe, as far as they were seen: ', listed(({ verdict }) => verdict === 'safe')],
    ['', report.related ? '' : 'The two contracts share no operation.'],
  ]
  return lines.flatMap(([name, text]) => (text === '' ? [] : [`${name}${text ?? ''}`])).join('\n')
}

/** The most callers and operations that a message names. */
const MOST_NAMED = 5
/** The most calls that a line of the summary lists; the report as JSON has all. */
const MOST_LISTED = 20

/** Returns the findings at their places in the next contract. One reason for several operations, as in a shared schema, is one. */
function diagnosticsOf(rows: readonly NextRow[]): Diagnostic[] {
  const groups = new Map<
    string,
    { readonly row: NextRow; readonly finding: NextFinding; readonly subjects: string[] }
  >()
  for (const row of rows) {
    for (const finding of row.findings) {
      const key = [row.calls > 0, finding.verdict, finding.reason, finding.now, finding.next].join('\n')
      getOrMake(groups, key, () => ({ row, finding, subjects: [] })).subjects.push(subjectOf(row))
    }
  }
  return [...groups.values()].map(({ row, finding, subjects }) => {
    const { verdict, reason, now, next: at } = finding
    const { calls, sunset } = row
    const [column, line, ...file] = at.split(':').reverse()
    const [subject = '', ...others] = subjects
    const seen = calls === 0 ? 'nobody called it' : `${finding.calls} of ${calls} calls, the last ${finding.last}`
    const rest = others.length - MOST_NAMED
    const more =
      others.length === 0
        ? ''
        : `; also ${others.slice(0, MOST_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
    return {
      severity: calls > 0 && verdict === 'breaks' ? 'error' : 'warning',
      code: calls > 0 ? verdict : row.verdict,
      subject,
      message: `${reason} (${seen}; now ${now}${sunset === undefined ? '' : `; sunset ${sunset}`}${more})`,
      constant: reason,
      hint: finding.try,
      place: { file: file.reverse().join(':'), line: Number(line), column: Number(column), length: 1, text: '' },
    }
  })
}

const subjectOf = ({ consumer, operation, calls }: NextRow): string =>
  calls === 0 ? operation : `${consumer ?? 'unknown callers'} ${operation}`
