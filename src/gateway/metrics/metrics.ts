// The metrics page for Prometheus, made on request. The only file that imports prom-client.

import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { LoopDelay } from '../../world/clock.ts'
import { EVICTIONS } from '../../world/sandboxes.ts'
import { Servers } from '../../world/servers.ts'
import type { Deprecations, Usage } from '../deprecations.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds.ts'
import type { Histogram } from './histogram.ts'
import { Books, type Meter } from './meter.ts'

/** The numbers of one process as data for another process. */
export type MetricsSnapshot = readonly { readonly name: string; readonly type: string }[]

/** Gauges that end in `_total`, which is for counters: the same by type, without the suffix, are on the page too. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

const CALLERS = ['operation', 'consumer', 'traffic'] as const
/** With more pairs of a deprecated operation and a consumer, only those that called have a series. */
const MOST_EXPECTED = 10_000

/** The state that an engine keeps, in numbers. */
export interface FollowedState {
  /** Histograms of appends and of catching up, in seconds. */
  readonly histograms: readonly Histogram[]
  read(): { readonly conflicts: number; readonly position: number; readonly available: boolean }
}

/** A metric, for the documentation. */
export interface MetricDescription {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

export class Metrics {
  readonly #registry = new Registry()
  readonly #books = new Books()
  readonly #sunsets: Gauge<'operation'>
  readonly #deprecated: Counter<(typeof CALLERS)[number]>
  readonly #reloads: Counter<'result'>
  readonly #reloaded: Gauge
  readonly #reloadSuccess: Gauge
  /**
   * Series of deprecated operations by consumer, created at 0: a counter that begins at its first call shows no increase.
   */
  #expected: readonly { readonly operation: string; readonly consumer: string }[] = []

  /** @param worlds provides their numbers when the page is made */
  constructor(version: string, worlds: Worlds) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name)
    for (const metric of this.#books.all) this.#registry.registerMetric(metric as never)
    const { deprecations } = this.#books
    const usageGauge = (name: string, aggregator: 'min' | 'max', help: string, read: (usage: Usage) => number) =>
      new Gauge({
        name,
        help,
        labelNames: CALLERS,
        registers,
        aggregator,
        collect() {
          this.reset()
          for (const usage of deprecations.all()) {
            const { operation, consumer, traffic } = usage
            this.set({ operation, consumer, traffic }, read(usage))
          }
        },
      })
    const expected = () => this.#expected
    this.#deprecated = new Counter({
      name: 'understudy_deprecated_requests_total',
      help: 'Requests to deprecated operations, by consumer; those of known consumers begin at 0.',
      labelNames: CALLERS,
      registers,
      collect() {
        this.reset()
        for (const { operation, consumer } of expected()) this.inc({ operation, consumer, traffic: 'live' }, 0)
        for (const { operation, consumer, traffic, count } of deprecations.all()) {
          this.inc({ operation, consumer, traffic }, count)
        }
      },
    })
    usageGauge(
      'understudy_deprecated_first_request_timestamp_seconds',
      'min',
      "Time of the first call of a deprecated operation by a consumer, by the world's clock.",
      ({ first }) => first / 1000,
    )
    usageGauge(
      'understudy_deprecated_last_request_timestamp_seconds',
      'max',
      "Time of the last call of a deprecated operation by a consumer, by the world's clock.",
      ({ last }) => last / 1000,
    )
    this.#sunsets = new Gauge({
      name: 'understudy_operation_sunset_timestamp_seconds',
      aggregator: 'max',
      help: 'Time of the sunset of an operation, in seconds since the epoch.',
      labelNames: ['operation'],
      registers,
    })
    this.#reloads = new Counter({
      name: 'understudy_reloads_total',
      aggregator: 'max',
      help: 'Attempts to reload the configuration.',
      labelNames: ['result'],
      registers,
    })
    this.#reloaded = new Gauge({
      name: 'understudy_config_last_reload_success_timestamp_seconds',
      aggregator: 'max',
      help: 'Time at which the current configuration was loaded.',
      registers,
    })
    this.#reloadSuccess = new Gauge({
      name: 'understudy_config_last_reload_successful',
      aggregator: 'min',
      help: 'Whether the last attempt to load the configuration succeeded.',
      registers,
    })
    registerWorlds(worlds, registers)
    registerCapacities(worlds, registers)
    const info = new Gauge({
      name: 'understudy_build_info',
      aggregator: 'max',
      help: 'Always 1; the labels describe the running program.',
      labelNames: ['version'],
      registers,
    })
    info.set({ version }, 1)
  }

  get deprecations(): Deprecations {
    return this.#books.deprecations
  }

  /** Binds an operation's labels once. The counts of a known operation continue. */
  bind(planned: PlannedOperation): Meter {
    return this.#books.bind(planned)
  }

  /** Adds the metrics of the weather. */
  follow(station: WeatherStation): void {
    new Gauge({
      name: 'understudy_weather',
      help: '1 for the weather (chaos profile) that is active, by name.',
      labelNames: ['weather'],
      registers: [this.#registry],
      collect() {
        this.reset()
        const { current } = station
        if (current !== undefined) this.set({ weather: current.weather.name }, 1)
      },
    })
  }

  /** Adds the metrics of the event loop's delay. */
  followLoop(delay: LoopDelay): void {
    new Gauge({
      name: 'understudy_event_loop_delay_seconds',
      aggregator: 'max',
      help: 'Delay of the event loop since the last scrape: median, 99th percentile, maximum.',
      labelNames: ['percentile'],
      registers: [this.#registry],
      collect() {
        const { half, most, max } = delay.read()
        this.set({ percentile: '50' }, half)
        this.set({ percentile: '99' }, most)
        this.set({ percentile: '100' }, max)
      },
    })
  }

  /** Adds the number of lost log lines. */
  followLog(log: { readonly lost: number }): void {
    new Counter({
      name: 'understudy_log_lines_lost_total',
      help: 'Log lines that could not be written.',
      registers: [this.#registry],
      collect() {
        this.reset()
        this.inc(log.lost)
      },
    })
  }

  /** Tells of the state that an engine keeps. */
  followState(state: FollowedState): void {
    const registers = [this.#registry]
    for (const histogram of state.histograms) this.#registry.registerMetric(histogram as never)
    new Counter({
      name: 'understudy_state_conflicts_total',
      help: 'Appends that conflicted with those of another process; the requests ran again.',
      registers,
      collect() {
        this.reset()
        this.inc(state.read().conflicts)
      },
    })
    new Gauge({
      name: 'understudy_state_position',
      aggregator: 'max',
      help: 'Position in the log of the state up to which this process has read.',
      registers,
      collect() {
        this.set(state.read().position)
      },
    })
    new Gauge({
      name: 'understudy_state_available',
      aggregator: 'min',
      help: 'Whether the store of the state is available: 1 or 0.',
      registers,
      collect() {
        this.set(state.read().available ? 1 : 0)
      },
    })
  }

  /** Adds the metrics of a plan that is now served. */
  adopted({ operations, simulation }: Plan, now: number): void {
    this.#sunsets.reset()
    for (const { operation, lifecycle } of operations) {
      if (lifecycle?.sunset !== undefined) this.#sunsets.set({ operation: operation.id }, lifecycle.sunset / 1000)
    }
    const deprecated = operations.filter(one => one.deprecated).map(({ operation }) => operation.id)
    const consumers = [...simulation.consumerNames, '']
    this.#expected =
      deprecated.length * consumers.length > MOST_EXPECTED
        ? []
        : deprecated.flatMap(operation => consumers.map(consumer => ({ operation, consumer })))
    this.#reloaded.set(now / 1000)
  }

  reloaded(success: boolean): void {
    this.#reloads.inc({ result: success ? 'success' : 'failure' })
    this.#reloadSuccess.set(success ? 1 : 0)
  }

  /** Every metric of the page, with or without samples; without those of the process and of Node. */
  list(): readonly MetricDescription[] {
    return this.#registry
      .getMetricsAsArray()
      .filter(({ name }) => !/^(?:process|nodejs)_/.test(name))
      .map(metric => {
        const { name, help, type, labelNames = [] } = metric as unknown as MetricDescription
        return { name, help, type: String(type), labelNames }
      })
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE

  /** Adds the number of serving processes, if there are several. */
  countWorkers(read: () => { running: number; replaced: number }): void {
    const registers = [this.#registry]
    new Gauge({
      name: 'understudy_workers',
      help: 'Processes that serve the API.',
      registers,
      collect() {
        this.set(read().running)
      },
    })
    new Counter({
      name: 'understudy_worker_replacements_total',
      help: 'Worker processes that ended unexpectedly and were replaced.',
      registers,
      collect() {
        this.reset()
        this.inc(read().replaced)
      },
    })
  }

  /** The numbers as data, to be merged with those of other processes. */
  async snapshot(): Promise<MetricsSnapshot> {
    return (await this.#registry.getMetricsAsJSON()) as unknown as MetricsSnapshot
  }

  /** Changes whenever a request was counted. */
  get counted(): number {
    return this.#books.all.reduce((sum, { total }) => sum + total, 0)
  }

  /** The sums over requests: the part of `snapshot` that must survive the process. */
  async counts(): Promise<MetricsSnapshot> {
    return Promise.all(
      [...this.#books.all, this.#deprecated].map(metric => metric.get() as Promise<MetricsSnapshot[number]>),
    )
  }

  /** A snapshot with newer counts in it. */
  static renew(snapshot: MetricsSnapshot, counts: MetricsSnapshot): MetricsSnapshot {
    const names = new Set(counts.map(({ name }) => name))
    return [...snapshot.filter(({ name }) => !names.has(name)), ...counts]
  }

  /** Keeps counters and histograms of exited workers; drops gauges. */
  static async totalsOfExited(snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> {
    const counts = snapshots.map(snapshot => snapshot.filter(({ type }) => type === 'counter' || type === 'histogram'))
    return (await AggregatorRegistry.aggregate(counts as never).getMetricsAsJSON()) as unknown as MetricsSnapshot
  }

  /** Returns the page of several processes together: counts are summed, states are not. */
  static merge(snapshots: readonly MetricsSnapshot[]): Promise<string> {
    return AggregatorRegistry.aggregate([...snapshots] as never)
      .metrics()
      .then(spellNumbers)
  }

  /** The page, in the Prometheus exposition format. */
  page(): Promise<string> {
    return this.#registry.metrics().then(spellNumbers)
  }
}

/** Corrects `Nan`, which the library writes for an empty event-loop sample, to the format's `NaN`. */
const spellNumbers = (page: string): string => page.replace(/ Nan$/gm, ' NaN')

/** The queue lengths of all worlds together, by the path of the capacity in the configuration. */
function registerCapacities(worlds: Worlds, registers: Registry[]): void {
  const sum = (of: (servers: Servers) => number) =>
    function collect(this: Gauge<'capacity'>) {
      this.reset()
      for (const world of worlds.list()) {
        for (const [key, servers] of world.kept(Servers))
          this.inc({ capacity: key.replace('capacity ', '') }, of(servers))
      }
    }
  const labelNames = ['capacity'] as const
  new Gauge({
    name: 'understudy_queue_length',
    help: 'Requests that wait in the queue of a capacity.',
    labelNames,
    registers,
    collect: sum(({ waiting }) => waiting),
  })
  new Gauge({
    name: 'understudy_busy_servers',
    help: 'Servers of a capacity that are busy.',
    labelNames,
    registers,
    collect: sum(({ busy }) => busy),
  })
}

/** Clients choose the names of sandboxes, so these are not labels: sandboxes are counted together. */
function registerWorlds(worlds: Worlds, registers: Registry[]): void {
  new Gauge({
    name: 'understudy_collection_records',
    help: 'Records in a collection of a permanent world.',
    labelNames: ['world', 'collection'],
    registers,
    collect() {
      this.reset()
      for (const { name: world, collections } of worlds.list()) {
        if (!worlds.isPermanent(world)) continue
        for (const [collection, { size }] of collections) this.set({ world, collection }, size)
      }
    },
  })
  new Gauge({
    name: 'understudy_worlds',
    aggregator: 'max',
    help: 'Number of worlds.',
    labelNames: ['kind'],
    registers,
    collect() {
      const all = worlds.list()
      const permanent = all.filter(({ name }) => worlds.isPermanent(name)).length
      this.set({ kind: 'permanent' }, permanent)
      this.set({ kind: 'sandbox' }, all.length - permanent)
    },
  })
  new Gauge({
    name: 'understudy_world_bytes',
    help: 'Estimated bytes of the records in all worlds, by the world that wrote them; shared records count once.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const { kind, bytes } of worlds.bytes) this.set({ kind }, bytes)
    },
  })
  new Gauge({
    name: 'understudy_world_bytes_max',
    help: 'Limit of the bytes of the records in all worlds together.',
    registers,
    collect() {
      this.set(worlds.maxBytes)
    },
  })
  new Counter({
    name: 'understudy_sandbox_evictions_total',
    help: 'Removed sandboxes, by reason: too many (capacity), unused (idle), memory needed (memory).',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const reason of EVICTIONS) this.inc({ reason }, worlds.evictions[reason])
    },
  })
}
