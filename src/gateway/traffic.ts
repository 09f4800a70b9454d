// Rates, latencies and errors of the requests of the last minutes. They are recorded only while a client polls, in
// columns of numbers of a fixed size.

import type { Journal } from './journal/journal.ts'

/** The maximum number of recorded requests. At higher rates a measurement covers less time. */
const CAPACITY = 200_000
/** Milliseconds after the last question at which the recording ends. */
const IDLE = 120_000
/** Names beyond this number share one. */
const MOST_NAMES = 65_535
const POINTS = 60

/** Chooses the requests that are measured; all of it must hold. */
export interface TrafficFilter {
  readonly world?: string
  readonly consumer?: string
}

/** Milliseconds; `null` where there was no request. */
export interface Percentiles {
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly max: number | null
}

export interface Measure extends Percentiles {
  readonly requests: number
  readonly perSecond: number
  /** Requests that got no reply, or one of 500 or above. */
  readonly errors: number
  /** Requests that got a reply from 400 to 499. */
  readonly refused: number
  /** One for each step, the oldest first. */
  readonly series: readonly {
    readonly requests: number
    readonly errors: number
    readonly p50: number | null
    readonly p95: number | null
  }[]
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
  #columns: Columns | undefined
  #stop: (() => void) | undefined
  /** The time of the last poll, by the real clock. */
  #asked = 0

  constructor(journal: Journal) {
    this.#journal = journal
  }

  get recording(): boolean {
    return this.#columns !== undefined
  }

  /** Measures the last minutes. The first call starts the recording with the requests of the journal. */
  measure(filter: TrafficFilter, minutes: number, now: number): Measured {
    this.#asked = now
    const columns = this.#columns ?? this.#start()
    return columns.measure(filter, minutes * 60, now)
  }

  #start(): Columns {
    const columns = new Columns()
    this.#columns = columns
    for (const entry of this.#journal.each()) columns.add(entry)
    this.#stop = this.#journal.listen(entry => {
      if (entry.at - this.#asked > IDLE) this.#end()
      else columns.add(entry)
    })
    return columns
  }

  #end(): void {
    this.#stop?.()
    this.#stop = undefined
    this.#columns = undefined
  }
}

interface TrafficSample {
  readonly at: number
  readonly milliseconds: number
  readonly status: number
  readonly operation: string
  readonly consumer: string | undefined
  readonly world: string
}

class Columns {
  readonly #at: Float64Array = new Float64Array(CAPACITY)
  readonly #milliseconds: Float32Array = new Float32Array(CAPACITY)
  readonly #status: Uint16Array = new Uint16Array(CAPACITY)
  readonly #operation: Uint16Array = new Uint16Array(CAPACITY)
  readonly #consumer: Uint16Array = new Uint16Array(CAPACITY)
  readonly #world: Uint16Array = new Uint16Array(CAPACITY)
  readonly #names = new Map<string, number>()
  #count = 0

  add({ at, milliseconds, status, operation, consumer = '', world }: TrafficSample): void {
    const i = this.#count % CAPACITY
    this.#count += 1
    this.#at[i] = at
    this.#milliseconds[i] = milliseconds
    this.#status[i] = status
    this.#operation[i] = this.#numberOf(operation)
    this.#consumer[i] = this.#numberOf(consumer)
    this.#world[i] = this.#numberOf(world)
  }

  measure({ world, consumer }: TrafficFilter, seconds: number, now: number): Measured {
    const step = seconds / POINTS
    const from = now - seconds * 1000
    const wantedWorld = world === undefined ? undefined : this.#names.get(world)
    const wantedConsumer = consumer === undefined ? undefined : this.#names.get(consumer)
    const known =
      (world === undefined) === (wantedWorld === undefined) &&
      (consumer === undefined) === (wantedConsumer === undefined)
    const all = new OperationTally()
    const tallies = new Map<number, OperationTally>()
    // Newest first: the walk ends at the oldest wanted request.
    for (let n = this.#count - 1; known && n >= Math.max(0, this.#count - CAPACITY); n--) {
      const i = n % CAPACITY
      const at = this.#at[i] as number
      if (at < from) break
      if (wantedWorld !== undefined && this.#world[i] !== wantedWorld) continue
      if (wantedConsumer !== undefined && this.#consumer[i] !== wantedConsumer) continue
      const point = Math.min(POINTS - 1, Math.floor((at - from) / (step * 1000)))
      const operation = this.#operation[i] as number
      let own = tallies.get(operation)
      if (own === undefined) {
        own = new OperationTally()
        tallies.set(operation, own)
      }
      const [status, milliseconds] = [this.#status[i] as number, this.#milliseconds[i] as number]
      own.add(point, status, milliseconds)
      all.add(point, status, milliseconds)
    }
    const names = [...this.#names.keys()]
    const byOperation = [...tallies].map(([number, tally]) => [names[number] as string, tally.sum(seconds)] as const)
    return { seconds, step, all: all.sum(seconds), byOperation: new Map(byOperation) }
  }

  /** Returns a number below 65,536 for a name, in the order of first use. */
  #numberOf(name: string): number {
    let number = this.#names.get(name)
    if (number === undefined) {
      if (this.#names.size >= MOST_NAMES) return MOST_NAMES
      number = this.#names.size
      this.#names.set(name, number)
    }
    return number
  }
}

/** The requests of one operation while they are added up. */
class OperationTally {
  readonly #points: { times: number[]; errors: number }[] = Array.from({ length: POINTS }, () => ({
    times: [],
    errors: 0,
  }))
  #refused = 0

  add(point: number, status: number, milliseconds: number): void {
    const at = this.#points[point] as { times: number[]; errors: number }
    at.times.push(milliseconds)
    if (status === 0 || status >= 500) at.errors += 1
    else if (status >= 400) this.#refused += 1
  }

  sum(seconds: number): Measure {
    const times = Float64Array.from(this.#points.flatMap(point => point.times)).sort()
    return {
      requests: times.length,
      perSecond: round(times.length / seconds),
      errors: this.#points.reduce((sum, { errors }) => sum + errors, 0),
      refused: this.#refused,
      ...{ p50: share(times, 0.5), p90: share(times, 0.9), p95: share(times, 0.95), p99: share(times, 0.99) },
      max: share(times, 1),
      series: this.#points.map(({ times, errors }) => {
        const sorted = Float64Array.from(times).sort()
        return { requests: times.length, errors, p50: share(sorted, 0.5), p95: share(sorted, 0.95) }
      }),
    }
  }
}

/** The smallest value that this share of all does not exceed (nearest rank). */
const share = (sorted: Float64Array, part: number): number | null =>
  sorted.length === 0 ? null : round(sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] as number)

const round = (value: number): number => Math.round(value * 1000) / 1000
