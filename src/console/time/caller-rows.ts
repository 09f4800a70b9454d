// The rows of the table of callers: one for each consumer of something deprecated.

import type { Caller, DeprecationReport } from '../../http/control/types.ts'
import { momentOf } from '../model/moments.ts'

export interface CallerRow {
  readonly key: string
  readonly operation: string
  /** A parameter or a field of the body. */
  readonly input?: string
  /** Whether it is the first row of its operation or input. */
  readonly first: boolean
  readonly since: string
  readonly sunset: string
  readonly daysLeft?: number | undefined
  readonly consumer?: string | undefined
  /** A text instead of a consumer. */
  readonly note: string
  readonly calls: string
  readonly firstSeen: string
  readonly lastSeen: string
}

const momentIn = (text: string | undefined): string => {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? (text ?? '') : momentOf(Math.floor(at / 1000) * 1000)
}

const EMPTY = { since: '', sunset: '', calls: '', firstSeen: '', lastSeen: '' }

export function rowsOf({ operations, inputs }: DeprecationReport): readonly CallerRow[] {
  const rows: CallerRow[] = []
  for (const { operation, since, sunset, daysLeft, consumers, rehearsed } of operations) {
    const facts = { operation, since: momentIn(since), sunset: momentIn(sunset), daysLeft }
    if (consumers.length === 0) {
      const note = rehearsed === 0 ? 'nobody' : `nobody; ${rehearsed} rehearsed`
      rows.push({ ...EMPTY, ...facts, key: operation, first: true, note, calls: '0' })
    }
    rows.push(
      ...consumers.map((caller, i) => ({ ...facts, ...rowOf(caller), key: `${operation} ${i}`, first: i === 0 })),
    )
  }
  let last = ''
  for (const { operation, input, ...caller } of inputs) {
    const name = `${operation} ${input}`
    rows.push({
      ...{ ...EMPTY, operation, input, ...rowOf(caller) },
      key: `${name} ${caller.consumer ?? ''}`,
      first: name !== last,
    })
    last = name
  }
  return rows
}

const rowOf = ({ consumer, calls, firstSeen, lastSeen }: Caller) => ({
  consumer: consumer ?? undefined,
  note: 'not known',
  calls: calls.toLocaleString('en'),
  firstSeen: momentIn(firstSeen),
  lastSeen: momentIn(lastSeen),
})
