// The metrics of all workers together.

import { Metrics, type MetricsSnapshot } from '../../gateway/metrics/metrics.ts'

export class WorkerMetrics {
  /** The last metrics of each worker, by its id. */
  readonly #last = new Map<number, MetricsSnapshot>()
  /** The totals of workers that have exited, which stay in the sums. */
  #totalsOfExited: Promise<MetricsSnapshot> = Promise.resolve([])

  /** Keeps all metrics of a worker. */
  set(id: number, snapshot: MetricsSnapshot): void {
    this.#last.set(id, snapshot)
  }

  /** Keeps the counts of a worker, and the rest as it was. */
  renew(id: number, counts: MetricsSnapshot): void {
    this.#last.set(id, Metrics.renew(this.#last.get(id) ?? [], counts))
  }

  /** Adds the metrics of a worker that has exited to the totals. Those since its last report are lost: 100 ms of a killed one. */
  bury(id: number): void {
    const last = this.#last.get(id)
    if (last === undefined) return
    this.#last.delete(id)
    this.#totalsOfExited = this.#totalsOfExited.then(totals => Metrics.totalsOfExited([totals, last]))
  }

  /** Returns the page in the exposition format. @param primary the metrics of this process */
  async page(primary: MetricsSnapshot): Promise<string> {
    return Metrics.merge([primary, ...this.#last.values(), await this.#totalsOfExited])
  }
}
