// The metrics of a gateway: those that are counted per request, and those that are read when the page is made.

import type { Plan } from '../../plan/plan.ts'
import type { LoopDelay } from '../../world/clock.ts'
import { Servers } from '../../world/kept.ts'
import { EVICTIONS } from '../../world/sandboxes.ts'
import type { Deprecations, Usage } from '../deprecations.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'
import {
  Books,
  type Instrument,
  METRICS_TYPE,
  type MetricDescription,
  type MetricFamily,
  measureProcess,
  mergeFamilies,
  metricOf,
  writePage,
} from './families.ts'

/** The metrics of one process as data for another process. */
export type MetricsSnapshot = readonly MetricFamily[]

/** With more pairs of a deprecated operation and a consumer, only those that called have a series. */
const MOST_EXPECTED = 10_000

/** A series: the values of the labels, then the value of the metric. */
type MetricRow = readonly [...labels: string[], value: number]

type Metric = Pick<Instrument, 'about' | 'family'>

/** Makes a metric that is read when the page is made. @param read returns the only value, or a row for each series */
const figure = (
  series: string,
  help: string,
  read: () => number | readonly MetricRow[],
  aggregator?: 'min' | 'max',
): Metric => {
  const about = metricOf(series, help, 'gauge')
  return {
    about,
    get family() {
      const { labelNames, ...described } = about
      const found = read()
      const values = (typeof found === 'number' ? [[found] as const] : found).map(row => ({
        labels: Object.fromEntries(labelNames.map((label, i) => [label, row[i] as string])),
        value: row[labelNames.length] as number,
      }))
      return { ...described, values, ...(aggregator && { aggregator }) }
    },
  }
}

/** The state that an engine keeps, in numbers. */
export interface FollowedState {
  readonly meter: { readonly histograms: readonly Instrument[]; readonly conflicts: number }
  readonly position: number
  /** Set while it is not available. */
  readonly unavailable: string | undefined
}

export class Metrics extends Books {
  readonly contentType = METRICS_TYPE
  readonly #calls: Metric
  /** Those that are read when the page is made. */
  readonly #figures: Metric[]
  #processMetrics: () => Promise<readonly MetricFamily[]> = async () => []
  #sunsets: readonly MetricRow[] = []
  /**
   * Series of deprecated operations by consumer, created at 0: a counter that begins at its first call shows no increase.
   */
  #expected: readonly MetricRow[] = []
  readonly #reloads = new Map<string, number>()
  #reloaded = 0
  #reloadSuccess = 0

  /** Reads its figures from these when the page is made. */
  constructor(version: string, worlds: Worlds, weather: WeatherStation, log: { readonly lost: number }) {
    super()
    this.#calls = figure(
      `understudy_deprecated_requests_total{${CALLERS}}`,
      'Requests to deprecated operations, by consumer; those of known consumers begin at 0.',
      () => {
        const rows = [...this.#expected, ...usageRows(this.deprecations, ({ count }) => count)]
        return [...new Map(rows.map(row => [row.slice(0, -1).join('\n'), row])).values()]
      },
    )
    this.#figures = [
      this.#calls,
      figure(
        `understudy_deprecated_first_request_timestamp_seconds{${CALLERS}}`,
        "Time of the first call of a deprecated operation by a consumer, by the world's clock.",
        () => usageRows(this.deprecations, ({ first }) => first / 1000),
        'min',
      ),
      figure(
        `understudy_deprecated_last_request_timestamp_seconds{${CALLERS}}`,
        "Time of the last call of a deprecated operation by a consumer, by the world's clock.",
        () => usageRows(this.deprecations, ({ last }) => last / 1000),
        'max',
      ),
      figure(
        'understudy_operation_sunset_timestamp_seconds{operation}',
        'Time of the sunset of an operation, in seconds since the epoch.',
        () => this.#sunsets,
        'max',
      ),
      figure(
        'understudy_reloads_total{result}',
        'Attempts to reload the configuration.',
        () => [...this.#reloads],
        'max',
      ),
      figure(
        'understudy_config_last_reload_success_timestamp_seconds',
        'Time at which the current configuration was loaded.',
        () => this.#reloaded,
        'max',
      ),
      figure(
        'understudy_config_last_reload_successful',
        'Whether the last attempt to load the configuration succeeded.',
        () => this.#reloadSuccess,
        'min',
      ),
      ...figuresOf(worlds),
      figure(
        'understudy_build_info{version}',
        'Always 1; the labels describe the running program.',
        () => [[version, 1]],
        'max',
      ),
      figure('understudy_weather{weather}', '1 for the weather (chaos profile) that is active, by name.', () =>
        weather.current === undefined ? [] : [[weather.current.weather.name, 1]],
      ),
      figure('understudy_log_lines_lost_total', 'Log lines that could not be written.', () => log.lost),
    ]
  }

  /** In the order of the page. */
  get #all(): readonly Metric[] {
    return [...this.instruments, ...this.#figures]
  }

  /** Adds the metrics of the process and of Node. */
  followProcess(): void {
    this.#processMetrics = measureProcess()
  }

  /** Adds the metrics of the event loop's delay. */
  followLoop(delay: LoopDelay): void {
    this.#figures.push(
      figure(
        'understudy_event_loop_delay_seconds{percentile}',
        'Delay of the event loop since the last scrape: median, 99th percentile, maximum.',
        () => {
          const { half, most, max } = delay.read()
          return [
            ['50', half],
            ['99', most],
            ['100', max],
          ]
        },
        'max',
      ),
    )
  }

  /** Adds the metrics of the state that an engine keeps. */
  followState(state: FollowedState): void {
    this.#figures.push(
      ...state.meter.histograms,
      figure(
        'understudy_state_conflicts_total',
        'Appends that conflicted with those of another process; the requests ran again.',
        () => state.meter.conflicts,
      ),
      figure(
        'understudy_state_position',
        'Position in the log of the state up to which this process has read.',
        () => state.position,
        'max',
      ),
      figure(
        'understudy_state_available',
        'Whether the store of the state is available: 1 or 0.',
        () => (state.unavailable === undefined ? 1 : 0),
        'min',
      ),
    )
  }

  /** Adds the number of serving processes, if there are several. */
  countWorkers(read: () => { running: number; replaced: number }): void {
    this.#figures.push(
      figure('understudy_workers', 'Processes that serve the API.', () => read().running),
      figure(
        'understudy_worker_replacements_total',
        'Worker processes that ended unexpectedly and were replaced.',
        () => read().replaced,
      ),
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
    return this.#all.map(({ about }) => about)
  }

  /** The numbers as data, to be merged with those of other processes. */
  async snapshot(): Promise<MetricsSnapshot> {
    return [...(await this.#processMetrics()), ...this.#all.map(({ family }) => family)]
  }

  /** Changes whenever a request was counted. */
  get counted(): number {
    return this.instruments.reduce((sum, { total }) => sum + total, 0)
  }

  /** The sums over requests: the part of `snapshot` that must survive the process. */
  counts(): MetricsSnapshot {
    return [...this.instruments, this.#calls].map(({ family }) => family)
  }

  /** A snapshot with newer counts in it. */
  static renew(snapshot: MetricsSnapshot, counts: MetricsSnapshot): MetricsSnapshot {
    const names = new Set(counts.map(({ name }) => name))
    return [...snapshot.filter(({ name }) => !names.has(name)), ...counts]
  }

  /** Keeps counters and histograms of exited workers; drops gauges. */
  static totalsOfExited(snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> {
    return mergeFamilies(snapshots.map(snapshot => snapshot.filter(({ type }) => type !== 'gauge')))
  }

  /** Returns the page of several processes together: counts are summed, states are not. */
  static async merge(snapshots: readonly MetricsSnapshot[]): Promise<string> {
    return writePage(await mergeFamilies(snapshots))
  }

  /** The page, in the Prometheus exposition format. */
  async page(): Promise<string> {
    return writePage(await this.snapshot())
  }
}

/** The labels of a metric of deprecated operations. */
const CALLERS = 'operation,consumer,traffic'

const usageRows = (deprecations: Deprecations, read: (usage: Usage) => number): MetricRow[] =>
  deprecations.all('operations').map(usage => [usage.operation, usage.consumer, usage.traffic, read(usage)])

/** The figures of worlds. Clients choose the names of sandboxes, so these are not labels: sandboxes are counted together. */
const figuresOf = (worlds: Worlds): Metric[] => [
  figure('understudy_collection_records{world,collection}', 'Records in a collection of a permanent world.', () =>
    worlds
      .list()
      .filter(({ name }) => worlds.isPermanent(name))
      .flatMap(({ name, collections }) =>
        [...collections].map(([collection, { size }]): MetricRow => [name, collection, size]),
      ),
  ),
  figure(
    'understudy_worlds{kind}',
    'Number of worlds.',
    () => {
      const all = worlds.list()
      const permanent = all.filter(({ name }) => worlds.isPermanent(name)).length
      return [
        ['permanent', permanent],
        ['sandbox', all.length - permanent],
      ]
    },
    'max',
  ),
  figure(
    'understudy_world_bytes{kind}',
    'Estimated bytes of the records in all worlds, by the world that wrote them; shared records count once.',
    () => worlds.bytes.map(({ kind, bytes }): MetricRow => [kind, bytes]),
  ),
  figure(
    'understudy_world_bytes_max',
    'Limit of the bytes of the records in all worlds together.',
    () => worlds.budget.max,
  ),
  figure(
    'understudy_sandbox_evictions_total{reason}',
    'Removed sandboxes, by reason: too many (capacity), unused (idle), memory needed (memory).',
    () => EVICTIONS.map((reason): MetricRow => [reason, worlds.evictions.counts[reason]]),
  ),
  figure('understudy_queue_length{capacity}', 'Requests that wait in the queue of a capacity.', () =>
    sumByCapacity(worlds, ({ waiting }) => waiting),
  ),
  figure('understudy_busy_servers{capacity}', 'Servers of a capacity that are busy.', () =>
    sumByCapacity(worlds, ({ busy }) => busy),
  ),
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
