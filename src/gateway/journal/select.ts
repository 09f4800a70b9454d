// Selects the requests of the journal that meet criteria.

import type { JournalView } from './all-requests.ts'
import { describeEntry, type RecordedRequest } from './entry.ts'
import type { Criterion } from './filter.ts'
import type { JournalEntry } from './kept-request.ts'

export const matches = (criteria: readonly Criterion[], entry: JournalEntry): boolean =>
  criteria.every(criterion => criterion.holds(entry))

/** Returns the last matching requests, up to this many, in the order of their replies. */
export function selectRequests(journal: JournalView, criteria: readonly Criterion[], limit: number): RecordedRequest[] {
  return selectPage(journal, criteria, limit).requests
}

export interface RequestPage {
  readonly requests: RecordedRequest[]
  /** How many match. */
  readonly total: number
}

/** As `selectRequests`, and says how many there are in all. */
export function selectPage(journal: JournalView, criteria: readonly Criterion[], limit: number): RequestPage {
  // Only the requests that are shown are worded. Ids count the requests of each process, so that places are counted here.
  let total = 0
  for (const entry of journal.each()) if (matches(criteria, entry)) total += 1
  const requests: RecordedRequest[] = []
  let place = 0
  for (const entry of journal.each()) {
    if (!matches(criteria, entry)) continue
    place += 1
    if (place > total - limit) requests.push(describeEntry(entry))
  }
  return { requests, total }
}
