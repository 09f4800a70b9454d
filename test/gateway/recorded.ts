// Reads the journal of a gateway in a test, as the control plane does.

import assert from 'node:assert/strict'
import type { Gateway } from '../../src/gateway/gateway.ts'
import type { RecordedRequest } from '../../src/gateway/journal/entry.ts'
import { compileFilter, type RequestFilter, selectRequests } from '../../src/gateway/journal/filter.ts'

/** The criteria of a valid filter. @param now milliseconds since the epoch */
export function criteriaAt(now: number, filter: RequestFilter) {
  const criteria = compileFilter(filter, now)
  assert.ok(!('fault' in criteria), JSON.stringify(criteria))
  return criteria
}

/** The requests that a valid filter selects. @param now milliseconds since the epoch */
export const recordedAt = (
  now: number,
  { journal }: Gateway,
  filter: RequestFilter = {},
  limit = 1000,
): RecordedRequest[] => selectRequests(journal, criteriaAt(now, filter), limit)
