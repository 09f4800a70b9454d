// Verifies how many requests of the journal meet criteria; if too few, finds the closest ones.

import type { JournalView } from './all-requests.ts'
import { describeEntry, type RecordedRequest } from './entry.ts'
import type { Criterion } from './filter.ts'
import { matches, selectRequests } from './select.ts'

export interface Times {
  /** Default: 1, or 0 if there is a `max`. */
  readonly min?: number
  /** Default: any number. */
  readonly max?: number
}

export interface Verdict {
  /** Whether as many matched as should have. */
  readonly ok: boolean
  readonly matched: number
  readonly min: number
  readonly max?: number
  /** The number of requests that the journal has dropped; these are not counted. */
  readonly evicted: number
  /** If too few matched: the closest requests, and their differences. */
  readonly nearest: readonly NearMiss[]
  /** If too many matched: the last of them. */
  readonly requests: readonly RecordedRequest[]
}

export interface NearMiss {
  readonly differs: readonly { readonly key: string; readonly wanted: string; readonly found: string }[]
  readonly request: RecordedRequest
}

const SHOWN = 5

/** Whether between `min` and `max` requests matched. */
export function verifyRequests(journal: JournalView, criteria: readonly Criterion[], { min, max }: Times): Verdict {
  const least = min ?? (max === undefined ? 1 : 0)
  let matched = 0
  for (const entry of journal.each()) if (matches(criteria, entry)) matched += 1
  const tooMany = max !== undefined && matched > max
  return {
    ok: matched >= least && !tooMany,
    matched,
    min: least,
    ...(max === undefined ? {} : { max }),
    evicted: journal.evicted,
    nearest: matched < least ? nearestMisses(journal, criteria) : [],
    requests: tooMany ? selectRequests(journal, criteria, SHOWN) : [],
  }
}

/**
 * Returns the requests with the fewest differences, latest first. One that matches no member of the filter is not a near
 * miss.
 */
function nearestMisses(journal: JournalView, criteria: readonly Criterion[]): NearMiss[] {
  const misses: NearMiss[][] = []
  const most = Math.max(1, criteria.length - 1)
  for (const entry of journal.each()) {
    const failed = criteria.filter(criterion => !criterion.holds(entry))
    if (failed.length === 0 || failed.length > most) continue
    misses[failed.length] ??= []
    const alike = misses[failed.length] as NearMiss[]
    const differs = failed.map(({ key, wanted, found }) => ({ key, wanted, found: found(entry) }))
    alike.unshift({ differs, request: describeEntry(entry) })
    if (alike.length > SHOWN) alike.pop()
  }
  return misses.flat().slice(0, SHOWN)
}
