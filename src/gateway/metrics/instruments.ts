// Counters and histograms of the request path, whose series are bound to their labels once. Those of prom-client look their
// labels up by a hash of their text at every count, even a bound one: 1 to 3 µs of a request that costs 15.

import type { Labels, MetricDescription, MetricFamily, MetricValue } from './families.ts'

// Most replies take less than a millisecond, and clients rarely wait more than ten seconds.
const BUCKETS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
]

/** The labels of the counts beyond the last series, as OpenTelemetry has them (Metrics SDK, cardinality limits). */
const OVERFLOW = { otel_metric_overflow: 'true' }

/** The counts of a metric under one set of labels. */
export class Series {
  count = 0
  sum = 0
  // Declared, since TypeScript below 5.7 knows no `Float64Array<ArrayBuffer>`.
  readonly buckets: Float64Array = new Float64Array(BUCKETS.length)

  /** Counts one in a counter. */
  add(): void {
    this.count += 1
  }

  /** Counts one in a histogram. */
  observe(seconds: number): void {
    this.sum += seconds
    this.count += 1
    for (let i = 0; i < BUCKETS.length; i++) {
      if (seconds <= (BUCKETS[i] as number)) {
        this.buckets[i]! += 1
        return
      }
    }
  }
}

/** A counter or a histogram, with a series for each set of labels. */
export class Instrument {
  readonly about: MetricDescription
  readonly #series = new Map<string, { readonly labels: Labels; readonly series: Series }>()
  readonly #most: number

  /** @param most the number of sets of labels that have separate series; all others share one */
  constructor(about: MetricDescription, most = Number.POSITIVE_INFINITY) {
    this.about = about
    this.#most = most
  }

  /** Returns the series of some labels, the same one every time, so that counts continue. */
  series(labels: Labels): Series {
    const key = JSON.stringify(labels)
    const known = this.#series.get(key)
    if (known !== undefined) return known.series
    if (this.#series.size >= this.#most && labels !== OVERFLOW) return this.series(OVERFLOW)
    const series = new Series()
    this.#series.set(key, { labels, series })
    return series
  }

  /** The number of counts in all series. */
  get total(): number {
    return [...this.#series.values()].reduce((total, { series }) => total + series.count, 0)
  }

  get family(): MetricFamily {
    const { name, type } = this.about
    const write = (labels: Labels, series: Series): MetricValue[] =>
      type === 'counter' ? [{ labels, value: series.count }] : writeHistogram(name, labels, series)
    return { ...this.about, values: [...this.#series.values()].flatMap(({ labels, series }) => write(labels, series)) }
  }
}

function writeHistogram(name: string, labels: Labels, { buckets, sum, count }: Series): MetricValue[] {
  let running = 0
  const metricName = `${name}_bucket`
  return [
    ...BUCKETS.map((le, i) => {
      running += buckets[i] as number
      return { metricName, le, labels, value: running }
    }),
    { metricName, le: '+Inf', labels, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}
