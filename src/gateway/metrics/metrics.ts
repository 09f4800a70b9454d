// The metrics of a gateway: those that are counted per request, and those that are read when the page is made.

import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { LoopDelay } from '../../world/clock.ts'
import { EVICTIONS } from '../../world/sandboxes.ts'
import { Servers } from '../../world/servers.ts'
import type { Deprecations, Usage } from '../deprecations.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { type MetricDescription, type MetricFamily, mergeFamilies, writePage } from './families.ts'
import { Instrument } from './instruments.ts'
import { Books, type Meter } from './meter.ts'
import { METRICS_TYPE, measureProcess } from './process-metrics.ts'

/** The metrics of one process as data for another process. */
export type MetricsSnapshot = readonly MetricFamily[]

/** With more pairs of a deprecated operation and a consumer, only those that called have a series. */
const MOST_EXPECTED = 10_000

/** A series: the values of the labels, then the value of the metric. */
type MetricRow = readonly [...labels: string[], value: number]

/** A metric that is read when the page is made. Its name ends in `_total` if it is a counter. */
interface Figure {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly aggregator?: 'min' | 'max'
  /** Returns the only value, or a row for each series. */
  read(): number | readonly MetricRow[]
}

/** The state that an engine keeps, in numbers. */
export interface FollowedState {
  /** Histograms of appends and of catching up, in seconds. */
  readonly histograms: readonly Instrument[]
  read(): { readonly conflicts: number; readonly position: number; readonly available: boolean }
}

export class Metrics {
  readonly contentType = METRICS_TYPE
  readonly #books = new Books()
  readonly #calls: Figure
  /** In the order of the page. */
  readonly #all: (Instrument | Figure)[]
  #processMetrics: () => Promise<readonly MetricFamily[]> = async () => []
  #sunsets: readonly MetricRow[] = []
  /**
   * Series of deprecated operations by consumer, created at 0: a counter that begins at its first call shows no increase.
   */
  #expected: readonly MetricRow[] = []
  readonly #reloads = new Map<string, number>()
  #reloaded = 0
  #reloadSuccess = 0

  /** @param worlds provides their numbers when the page is made */
  constructor(version: string, worlds: Worlds) {
    this.#calls = {
      name: 'understudy_deprecated_requests_total',
      help: 'Requests to deprecated operations, by consumer; those of known consumers begin at 0.',
      labels: CALLERS,
      read: () => {
        const rows = [...this.#expected, ...usageRows(this.deprecations, ({ count }) => count)]
        return [...new Map(rows.map(row => [row.slice(0, -1).join('\n'), row])).values()]
      },
    }
    this.#all = [
      ...this.#books.all,
      this.#calls,
      {
        name: 'understudy_deprecated_first_request_timestamp_seconds',
        help: "Time of the first call of a deprecated operation by a consumer, by the world's clock.",
        labels: CALLERS,
        aggregator: 'min',
        read: () => usageRows(this.deprecations, ({ first }) => first / 1000),
      },
      {
        name: 'understudy_deprecated_last_request_timestamp_seconds',
        help: "Time of the last call of a deprecated operation by a consumer, by the world's clock.",
        labels: CALLERS,
        aggregator: 'max',
        read: () => usageRows(this.deprecations, ({ last }) => last / 1000),
      },
      {
        name: 'understudy_operation_sunset_timestamp_seconds',
        help: 'Time of the sunset of an operation, in seconds since the epoch.',
        labels: ['operation'],
        aggregator: 'max',
        read: () => this.#sunsets,
      },
      {
        name: 'understudy_reloads_total',
        help: 'Attempts to reload the configuration.',
        labels: ['result'],
        aggregator: 'max',
        read: () => [...this.#reloads],
      },
      {
        name: 'understudy_config_last_reload_success_timestamp_seconds',
        help: 'Time at which the current configuration was loaded.',
        aggregator: 'max',
        read: () => this.#reloaded,
      },
      {
        name: 'understudy_config_last_reload_successful',
        help: 'Whether the last attempt to load the configuration succeeded.',
        aggregator: 'min',
        read: () => this.#reloadSuccess,
      },
      ...figuresOf(worlds),
      {
        name: 'understudy_build_info',
        help: 'Always 1; the labels describe the running program.',
        labels: ['version'],
        aggregator: 'max',
        read: () => [[version, 1]],
      },
    ]
  }

  get deprecations(): Deprecations {
    return this.#books.deprecations
  }

  /** Binds an operation's labels once. The counts of a known operation continue. */
  bind(planned: PlannedOperation): Meter {
    return this.#books.bind(planned)
  }

  /** Adds the metrics of the process and of Node. */
  followProcess(): void {
    this.#processMetrics = measureProcess()
  }

  /** Adds the metrics of the weather. */
  follow(station: WeatherStation): void {
    this.#all.push({
      name: 'understudy_weather',
      help: '1 for the weather (chaos profile) that is active, by name.',
      labels: ['weather'],
      read: () => (station.current === undefined ? [] : [[station.current.weather.name, 1]]),
    })
  }

  /** Adds the metrics of the event loop's delay. */
  followLoop(delay: LoopDelay): void {
    this.#all.push({
      name: 'understudy_event_loop_delay_seconds',
      help: 'Delay of the event loop since the last scrape: median, 99th percentile, maximum.',
      labels: ['percentile'],
      aggregator: 'max',
      read: () => {
        const { half, most, max } = delay.read()
        return [
          ['50', half],
          ['99', most],
          ['100', max],
        ]
      },
    })
  }

  /** Adds the number of lost log lines. */
  followLog(log: { readonly lost: number }): void {
    this.#all.push({
      name: 'understudy_log_lines_lost_total',
      help: 'Log lines that could not be written.',
      read: () => log.lost,
    })
  }

  /** Adds the metrics of the state that an engine keeps. */
  followState(state: FollowedState): void {
    this.#all.push(
      ...state.histograms,
      {
        name: 'understudy_state_conflicts_total',
        help: 'Appends that conflicted with those of another process; the requests ran again.',
        read: () => state.read().conflicts,
      },
      {
        name: 'understudy_state_position',
        help: 'Position in the log of the state up to which this process has read.',
        aggregator: 'max',
        read: () => state.read().position,
      },
      {
        name: 'understudy_state_available',
        help: 'Whether the store of the state is available: 1 or 0.',
        aggregator: 'min',
        read: () => (state.read().available ? 1 : 0),
      },
    )
  }

  /** Adds the number of serving processes, if there are several. */
  countWorkers(read: () => { running: number; replaced: number }): void {
    this.#all.push(
      { name: 'understudy_workers', help: 'Processes that serve the API.', read: () => read().running },
      {
        name: 'understudy_worker_replacements_total',
        help: 'Worker processes that ended unexpectedly and were replaced.',
        read: () => read().replaced,
      },
    )
  }

  /** Takes the numbers of a plan that is now served. */
  adopted({ operations, simulation }: Plan, now: number): void {
    this.#sunsets = operations.flatMap(({ operation, lifecycle }): MetricRow[] =>
      lifecycle?.sunset === undefined ? [] : [[operation.id, lifecycle.sunset / 1000]],
    )
    const deprecated = operations.filter(one => one.deprecated).map(({ operation }) => operation.id)
    const consumers = [...simulation.consumerNames, '']
    this.#expected =
      deprecated.length * consumers.length > MOST_EXPECTED
        ? []
        : deprecated.flatMap(operation => consumers.map((consumer): MetricRow => [operation, consumer, 'live', 0]))
    this.#reloaded = now / 1000
  }

  reloaded(success: boolean): void {
    const result = success ? 'success' : 'failure'
    this.#reloads.set(result, (this.#reloads.get(result) ?? 0) + 1)
    this.#reloadSuccess = success ? 1 : 0
  }

  /** Every metric of the page, with or without samples; without those of the process and of Node. */
  list(): readonly MetricDescription[] {
    return this.#all.map(one =>
      one instanceof Instrument ? one.about : { ...one, type: metricTypeOf(one), labelNames: one.labels ?? [] },
    )
  }

  /** The numbers as data, to be merged with those of other processes. */
  async snapshot(): Promise<MetricsSnapshot> {
    return [...(await this.#processMetrics()), ...this.#all.map(familyOf)]
  }

  /** Changes whenever a request was counted. */
  get counted(): number {
    return this.#books.all.reduce((sum, { total }) => sum + total, 0)
  }

  /** The sums over requests: the part of `snapshot` that must survive the process. */
  counts(): MetricsSnapshot {
    return [...this.#books.all, this.#calls].map(familyOf)
  }

  /** A snapshot with newer counts in it. */
  static renew(snapshot: MetricsSnapshot, counts: MetricsSnapshot): MetricsSnapshot {
    const names = new Set(counts.map(({ name }) => name))
    return [...snapshot.filter(({ name }) => !names.has(name)), ...counts]
  }

  /** Keeps counters and histograms of exited workers; drops gauges. */
  static totalsOfExited(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
    return mergeFamilies(snapshots.map(snapshot => snapshot.filter(({ type }) => type !== 'gauge')))
  }

  /** Returns the page of several processes together: counts are summed, states are not. */
  static merge(snapshots: readonly MetricsSnapshot[]): Promise<string> {
    return writePage(mergeFamilies(snapshots))
  }

  /** The page, in the Prometheus exposition format. */
  async page(): Promise<string> {
    return writePage(await this.snapshot())
  }
}

const metricTypeOf = ({ name }: Figure): string => (name.endsWith('_total') ? 'counter' : 'gauge')

function familyOf(metric: Instrument | Figure): MetricFamily {
  if (metric instanceof Instrument) return metric.family
  const { name, help, aggregator, labels = [] } = metric
  const found = metric.read()
  const values = (typeof found === 'number' ? [[found] as const] : found).map(row => ({
    labels: Object.fromEntries(labels.map((label, i) => [label, row[i] as string])),
    value: row[labels.length] as number,
  }))
  return { name, help, type: metricTypeOf(metric), ...(aggregator && { aggregator }), values }
}

/** The labels of a metric of deprecated operations. */
const CALLERS = ['operation', 'consumer', 'traffic']

const usageRows = (deprecations: Deprecations, read: (usage: Usage) => number): MetricRow[] =>
  deprecations.all().map(usage => [usage.operation, usage.consumer, usage.traffic, read(usage)])

/** The figures of worlds. Clients choose the names of sandboxes, so these are not labels: sandboxes are counted together. */
const figuresOf = (worlds: Worlds): Figure[] => [
  {
    name: 'understudy_collection_records',
    help: 'Records in a collection of a permanent world.',
    labels: ['world', 'collection'],
    read: () =>
      worlds
        .list()
        .filter(({ name }) => worlds.isPermanent(name))
        .flatMap(({ name, collections }) =>
          [...collections].map(([collection, { size }]): MetricRow => [name, collection, size]),
        ),
  },
  {
    name: 'understudy_worlds',
    help: 'Number of worlds.',
    labels: ['kind'],
    aggregator: 'max',
    read: () => {
      const all = worlds.list()
      const permanent = all.filter(({ name }) => worlds.isPermanent(name)).length
      return [
        ['permanent', permanent],
        ['sandbox', all.length - permanent],
      ]
    },
  },
  {
    name: 'understudy_world_bytes',
    help: 'Estimated bytes of the records in all worlds, by the world that wrote them; shared records count once.',
    labels: ['kind'],
    read: () => worlds.memory.bytes.map(({ kind, bytes }): MetricRow => [kind, bytes]),
  },
  {
    name: 'understudy_world_bytes_max',
    help: 'Limit of the bytes of the records in all worlds together.',
    read: () => worlds.memory.maxBytes,
  },
  {
    name: 'understudy_sandbox_evictions_total',
    help: 'Removed sandboxes, by reason: too many (capacity), unused (idle), memory needed (memory).',
    labels: ['reason'],
    read: () => EVICTIONS.map((reason): MetricRow => [reason, worlds.memory.evictions[reason]]),
  },
  {
    name: 'understudy_queue_length',
    help: 'Requests that wait in the queue of a capacity.',
    labels: ['capacity'],
    read: () => sumByCapacity(worlds, ({ waiting }) => waiting),
  },
  {
    name: 'understudy_busy_servers',
    help: 'Servers of a capacity that are busy.',
    labels: ['capacity'],
    read: () => sumByCapacity(worlds, ({ busy }) => busy),
  },
]

/** Adds up the servers of all worlds, by the path of the capacity in the configuration. */
function sumByCapacity(worlds: Worlds, read: (servers: Servers) => number): MetricRow[] {
  const sums = new Map<string, number>()
  for (const world of worlds.list()) {
    for (const [key, servers] of world.kept(Servers)) {
      const capacity = key.replace('capacity ', '')
      sums.set(capacity, (sums.get(capacity) ?? 0) + read(servers))
    }
  }
  return [...sums]
}
