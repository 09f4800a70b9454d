// Counts who calls what is deprecated, for the report and for metrics.

import { figure, Instrument, type MetricRow } from '../../gateway/metrics/families.ts'
import type { Host, Observer } from '../../gateway/observer.ts'
import type { Plan } from '../../plan/plan.ts'
import { countCall, Deprecations, type TrafficKind, type Usage } from './usage.ts'

/** With more pairs of a deprecated operation and a consumer, only those that called have a series. */
const MOST_EXPECTED = 10_000

/** The labels of a metric of deprecated operations. */
const CALLERS = 'operation,consumer,traffic'

/** The calls, and the metrics that show them. */
export class CountedDeprecations {
  readonly usages = new Deprecations()
  readonly #host: Host
  readonly #inputs: Instrument
  #sunsets: readonly MetricRow[] = []
  /** Series of deprecated operations by consumer, created at 0: a counter that begins at its first call shows no increase. */
  #expected: readonly MetricRow[] = []

  constructor(host: Host) {
    this.#host = host
    const { metrics } = host
    this.#inputs = metrics.add(
      new Instrument(
        'understudy_deprecated_inputs_total{operation,input,consumer,traffic}',
        'Uses of deprecated parameters and body fields, by consumer.',
      ),
    )
    metrics.add(
      figure(
        `understudy_deprecated_requests_total{${CALLERS}}`,
        'Requests to deprecated operations, by consumer; those of known consumers begin at 0.',
        () => this.#callRows(),
      ),
    )
    metrics.follow(
      figure(
        `understudy_deprecated_first_request_timestamp_seconds{${CALLERS}}`,
        "Time of the first call of a deprecated operation by a consumer, by the world's clock.",
        () => this.#rows(({ first }) => first / 1000),
        'min',
      ),
    )
    metrics.follow(
      figure(
        `understudy_deprecated_last_request_timestamp_seconds{${CALLERS}}`,
        "Time of the last call of a deprecated operation by a consumer, by the world's clock.",
        () => this.#rows(({ last }) => last / 1000),
        'max',
      ),
    )
    metrics.follow(
      figure(
        'understudy_operation_sunset_timestamp_seconds{operation}',
        'Time of the sunset of an operation, in seconds since the epoch.',
        () => this.#sunsets,
        'max',
      ),
    )
  }

  /** Takes the operations of a plan that is now served. */
  adopt({ operations, simulation }: Plan): void {
    this.#sunsets = operations.flatMap(({ operation, lifecycle }): MetricRow[] =>
      lifecycle?.sunset === undefined ? [] : [[operation.id, lifecycle.sunset / 1000]],
    )
    const deprecated = operations.filter(planned => planned.deprecated).map(({ operation }) => operation.id)
    const consumers = [...simulation.consumerNames, '']
    this.#expected =
      deprecated.length * consumers.length > MOST_EXPECTED
        ? []
        : deprecated.flatMap(operation => consumers.map((consumer): MetricRow => [operation, consumer, 'live', 0]))
  }

  /** Whether a call to a world is a rehearsal: see `TrafficKind`. */
  isRehearsed(world: string): boolean {
    return !this.#host.worlds.isPermanent(world)
  }

  countInput(operation: string, input: string, consumer: string, traffic: TrafficKind, time: number): void {
    this.#inputs.series({ operation, input, consumer, traffic }).add()
    countCall(this.usages.of(operation, input, consumer, traffic), time)
  }

  #callRows(): MetricRow[] {
    const rows = [...this.#expected, ...this.#rows(({ count }) => count)]
    return [...new Map(rows.map(row => [row.slice(0, -1).join('\n'), row])).values()]
  }

  #rows(read: (usage: Usage) => number): MetricRow[] {
    return this.usages.all('operations').map(usage => [usage.operation, usage.consumer, usage.traffic, read(usage)])
  }
}

export const deprecationsObserver: Observer<CountedDeprecations> = {
  name: 'deprecations',
  open: host => new CountedDeprecations(host),
  compile(plan, counted) {
    if (plan.world === undefined) counted.adopt(plan)
    const mayCount = plan.operations.some(({ deprecated, chain }) => deprecated || chain.some(isCounting))
    if (!mayCount) return undefined
    // The last callers by the index of the operation: most calls are of the same consumer as the one before.
    const recent: (Usage | undefined)[] = []
    return ({ planned, exchange, at }) => {
      const { clock, consumer = '', deprecatedInputs: inputs, world } = exchange
      if (inputs === undefined && !planned.deprecated) return
      const time = clock.adjusted ? clock.now() : at
      const isRehearsed = clock.adjusted || plan.world !== undefined || counted.isRehearsed(world.name)
      const traffic = isRehearsed ? 'rehearsed' : 'live'
      const { id } = planned.operation
      if (planned.deprecated) {
        let usage = recent[planned.index]
        if (usage?.consumer !== consumer || usage.traffic !== traffic)
          usage = counted.usages.of(id, '', consumer, traffic)
        recent[planned.index] = usage
        countCall(usage, time)
      }
      if (inputs !== undefined) for (const input of inputs) counted.countInput(id, input, consumer, traffic, time)
    }
  },
}

const isCounting = ({ name }: { readonly name: string }): boolean => name === 'deprecatedInputs'
