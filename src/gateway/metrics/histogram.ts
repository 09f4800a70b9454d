// A histogram in the Prometheus sense, whose children are numbers that are bound to their labels once. prom-client's own
// looks its labels up by a hash of their text on every observation, even through a bound child: 1 µs of a request that
// costs 15.

// Most replies take less than a millisecond, and clients rarely wait more than ten seconds.
const BUCKETS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
]

/** The labels of the observations beyond the last series, as OpenTelemetry has them (Metrics SDK, cardinality limits). */
const OVERFLOW = { otel_metric_overflow: 'true' }

/** The observations under one set of labels. */
export class Slot {
  readonly labels: Readonly<Record<string, string>>
  // Declared, since TypeScript below 5.7 knows no `Float64Array<ArrayBuffer>`.
  readonly buckets: Float64Array = new Float64Array(BUCKETS.length)
  sum = 0
  count = 0

  constructor(labels: Readonly<Record<string, string>>) {
    this.labels = labels
  }

  /** The observations up to each bound, as the page has them. */
  get cumulative(): number[] {
    let running = 0
    return Array.from(this.buckets, observed => {
      running += observed
      return running
    })
  }

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

export class Histogram {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  // The interface of a metric in prom-client's registry.
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly #slots = new Map<string, Slot>()
  readonly #most: number

  /** @param most the number of sets of labels that have separate series; all others share one */
  constructor(name: string, help: string, labelNames: readonly string[], most = Number.POSITIVE_INFINITY) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
    this.#most = most
  }

  /** Returns the slot of some labels, the same one every time, so that counts continue. */
  slot(labels: Readonly<Record<string, string>>): Slot {
    const key = JSON.stringify(labels)
    let slot = this.#slots.get(key)
    if (slot === undefined) {
      if (this.#slots.size >= this.#most && labels !== OVERFLOW) return this.slot(OVERFLOW)
      slot = new Slot(labels)
      this.#slots.set(key, slot)
    }
    return slot
  }

  /** The number of observations. */
  get total(): number {
    let total = 0
    for (const { count } of this.#slots.values()) total += count
    return total
  }

  reset(): void {
    this.#slots.clear()
  }

  /** The lines of the page, which prom-client takes several times as long for: it quotes all labels again for each of 18 lines. */
  write(): string {
    const { name, help, type } = this
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
    for (const { labels, cumulative, sum, count } of this.#slots.values()) {
      const own = Object.entries(labels).map(([label, value]) => `${label}="${quote(value)}"`)
      const beside = own.map(text => `,${text}`).join('')
      for (const [i, le] of BUCKETS.entries()) lines.push(`${name}_bucket{le="${le}"${beside}} ${cumulative[i]}`)
      const all = own.length === 0 ? '' : `{${own.join(',')}}`
      lines.push(
        `${name}_bucket{le="+Inf"${beside}} ${count}`,
        `${name}_sum${all} ${sum}`,
        `${name}_count${all} ${count}`,
      )
    }
    return lines.join('\n')
  }

  async get() {
    const { name, help, type, aggregator } = this
    const values = [...this.#slots.values()].flatMap(({ labels, cumulative, sum, count }) => [
      ...BUCKETS.map((le, i) => ({
        metricName: `${name}_bucket`,
        labels: { le, ...labels },
        value: cumulative[i],
        exemplar: null,
      })),
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count, exemplar: null },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ])
    return { name, help, type, aggregator, values }
  }
}

const quote = (text: string): string => text.replace(/[\\"\n]/g, found => (found === '\n' ? '\\n' : `\\${found}`))
