// A counter in the Prometheus sense, whose children are numbers that are bound to their labels once: prom-client's own
// hashes its labels at every count, 1 µs of a refusal that costs 15.

/** The count under one set of labels. */
export interface LabelledCount {
  readonly labels: Readonly<Record<string, string>>
  value: number
}

export class Tally {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  // The interface of a metric in prom-client's registry.
  readonly type = 'counter'
  readonly aggregator = 'sum'
  readonly #counts = new Map<string, LabelledCount>()

  constructor(name: string, help: string, labelNames: readonly string[]) {
    this.name = name
    this.help = help
    this.labelNames = labelNames
  }

  /** Returns the count of some labels, the same one every time, so that counts continue. */
  count(labels: Readonly<Record<string, string>>): LabelledCount {
    const key = JSON.stringify(labels)
    let count = this.#counts.get(key)
    if (count === undefined) {
      count = { labels, value: 0 }
      this.#counts.set(key, count)
    }
    return count
  }

  get total(): number {
    let total = 0
    for (const { value } of this.#counts.values()) total += value
    return total
  }

  reset(): void {
    this.#counts.clear()
  }

  async get() {
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values: [...this.#counts.values()] }
  }
}
