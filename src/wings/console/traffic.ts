// Rates, latencies and errors of the last minutes, measured from the requests that the journal keeps.

import { thousandths } from '../../gateway/journal/entry.ts'
import type { Journal, JournalEntry } from '../../gateway/journal/journal.ts'
import { getOrMake } from '../../kernel/memo.ts'
import type { Measure } from './types.ts'

const POINTS = 60

/** Chooses the requests that are measured; all of it must hold. */
export interface TrafficFilter {
  readonly world?: string
  /** Empty for unknown consumers. */
  readonly consumer?: string
}

export interface Measured {
  /** Seconds that are measured, and seconds of each step of a series. */
  readonly seconds: number
  readonly step: number
  readonly all: Measure
  /** By operation; those without a request have none. */
  readonly byOperation: ReadonlyMap<string, Measure>
}

/**
 * Measures the last minutes; less where the journal has forgotten requests of that time.
 *
 * @param now milliseconds since the epoch, by the real clock
 */
export function measureTraffic(
  journal: Journal,
  { world, consumer }: TrafficFilter,
  minutes: number,
  now: number,
): Measured {
  const entries = [...journal.each()]
  const kept = journal.evicted === 0 ? Infinity : Math.ceil((now - (entries[0]?.at ?? now)) / 1000)
  const seconds = Math.min(minutes * 60, Math.max(1, kept))
  const from = now - seconds * 1000
  const measured = entries.filter(
    entry =>
      entry.at >= from &&
      (world === undefined || entry.world === world) &&
      (consumer === undefined || (entry.consumer ?? '') === consumer),
  )
  const byOperation = new Map<string, JournalEntry[]>()
  for (const entry of measured) getOrMake(byOperation, entry.operation, () => []).push(entry)
  const sum = (requests: readonly JournalEntry[]) => sumUp(requests, from, seconds)
  return {
    seconds,
    step: seconds / POINTS,
    all: sum(measured),
    byOperation: new Map([...byOperation].map(([operation, requests]) => [operation, sum(requests)])),
  }
}

function sumUp(entries: readonly JournalEntry[], from: number, seconds: number): Measure {
  const points = Array.from({ length: POINTS }, (): JournalEntry[] => [])
  for (const entry of entries) {
    const point = Math.floor(((entry.at - from) / (seconds * 1000)) * POINTS)
    points[Math.min(POINTS - 1, point)]?.push(entry)
  }
  const times = columnTimes(entries)
  const countOf = (some: readonly JournalEntry[], isCounted: (status: number) => boolean) =>
    some.filter(({ status }) => isCounted(status)).length
  const isError = (status: number) => status === 0 || status >= 500
  return {
    requests: entries.length,
    perSecond: thousandths(entries.length / seconds),
    errors: countOf(entries, isError),
    refused: countOf(entries, status => status >= 400 && !isError(status)),
    p50: share(times, 0.5),
    p90: share(times, 0.9),
    p95: share(times, 0.95),
    p99: share(times, 0.99),
    max: share(times, 1),
    series: points.map(some => {
      const sorted = columnTimes(some)
      return {
        requests: some.length,
        errors: countOf(some, isError),
        p50: share(sorted, 0.5),
        p95: share(sorted, 0.95),
      }
    }),
  }
}

const columnTimes = (entries: readonly JournalEntry[]): Float64Array =>
  Float64Array.from(entries, ({ milliseconds }) => milliseconds).sort()

/** The smallest value that this share of all does not exceed (nearest rank). */
const share = (sorted: Float64Array, part: number): number | null =>
  sorted.length === 0 ? null : thousandths(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] as number)
