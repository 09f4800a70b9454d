// Rates, latencies and errors of the requests of the last minutes. They are recorded only while a client polls.

import { thousandths } from '../../gateway/journal/entry.ts'
import type { Journal, JournalEntry } from '../../gateway/journal/journal.ts'
import type { Measure } from './types.ts'

/** The maximum number of recorded requests. At higher rates a measurement covers less time. */
const CAPACITY = 200_000
/** Milliseconds after the last question at which the recording ends. */
const IDLE = 120_000
const POINTS = 60

/** Chooses the requests that are measured; all of it must hold. */
export interface TrafficFilter {
  readonly world?: string
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

export class Traffic {
  readonly #journal: Journal
  /** The last requests, the newest in place of the oldest; unset while nothing is recorded. */
  #samples: TrafficSample[] | undefined
  #count = 0
  #stop = () => {}
  /** The time of the last poll, by the real clock. */
  #asked = 0

  constructor(journal: Journal) {
    this.#journal = journal
  }

  get recording(): boolean {
    return this.#samples !== undefined
  }

  #start(): TrafficSample[] {
    const samples: TrafficSample[] = []
    this.#count = 0
    const add = ({ at, milliseconds, status, operation, consumer = '', world }: JournalEntry) => {
      samples[this.#count % CAPACITY] = { at, milliseconds, status, operation, consumer, world }
      this.#count += 1
    }
    for (const entry of this.#journal.each()) add(entry)
    this.#stop = this.#journal.listen(entry => {
      if (entry.at - this.#asked <= IDLE) return add(entry)
      this.#stop()
      this.#samples = undefined
    })
    this.#samples = samples
    return samples
  }

  /** Measures the last minutes. The first call starts the recording with the requests of the journal. */
  measure({ world, consumer }: TrafficFilter, minutes: number, now: number): Measured {
    this.#asked = now
    const samples = this.#samples ?? this.#start()
    const seconds = minutes * 60
    const from = now - seconds * 1000
    const all: TrafficSample[] = []
    const byOperation = new Map<string, TrafficSample[]>()
    // Newest first: the walk ends at the oldest wanted request.
    for (let n = this.#count - 1; n >= Math.max(0, this.#count - CAPACITY); n--) {
      const sample = samples[n % CAPACITY] as TrafficSample
      if (sample.at < from) break
      if (world !== undefined && sample.world !== world) continue
      if (consumer !== undefined && sample.consumer !== consumer) continue
      all.push(sample)
      const own = byOperation.get(sample.operation)
      if (own === undefined) byOperation.set(sample.operation, [sample])
      else own.push(sample)
    }
    const sum = (some: readonly TrafficSample[]) => sumUp(some, from, seconds)
    const measured = new Map([...byOperation].map(([operation, some]) => [operation, sum(some)]))
    return { seconds, step: seconds / POINTS, all: sum(all), byOperation: measured }
  }
}

type TrafficSample = Required<Pick<JournalEntry, 'at' | 'milliseconds' | 'status' | 'operation' | 'world'>> & {
  /** Empty if unknown. */
  readonly consumer: string
}

function sumUp(samples: readonly TrafficSample[], from: number, seconds: number): Measure {
  const points = Array.from({ length: POINTS }, (): TrafficSample[] => [])
  for (const sample of samples) {
    const point = Math.floor(((sample.at - from) / (seconds * 1000)) * POINTS)
    points[Math.min(POINTS - 1, point)]?.push(sample)
  }
  const times = columnTimes(samples)
  const countOf = (some: readonly TrafficSample[], isCounted: (status: number) => boolean) =>
    some.filter(({ status }) => isCounted(status)).length
  const isError = (status: number) => status === 0 || status >= 500
  return {
    requests: samples.length,
    perSecond: thousandths(samples.length / seconds),
    errors: countOf(samples, isError),
    refused: countOf(samples, status => status >= 400 && !isError(status)),
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

const columnTimes = (samples: readonly TrafficSample[]): Float64Array =>
  Float64Array.from(samples, ({ milliseconds }) => milliseconds).sort()

/** The smallest value that this share of all does not exceed (nearest rank). */
const share = (sorted: Float64Array, part: number): number | null =>
  sorted.length === 0 ? null : thousandths(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] as number)
