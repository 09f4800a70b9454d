// The metrics of a gateway: those that are counted per request, and those that are read when the page is made.

import type { LoopDelay } from '../../world/process-watch.ts'
import { EVICTIONS } from '../../world/sandboxes.ts'
import { Servers } from '../../world/servers.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'
import {
  Books,
  figure,
  METRICS_TYPE,
  type Metric,
  type MetricDescription,
  type MetricFamily,
  type MetricRow,
  measureProcess,
  mergeFamilies,
  writePage,
} from './families.ts'
import type { StateMeter } from './state-meter.ts'

/** The metrics of one process as data for another process. */
export type MetricsSnapshot = readonly MetricFamily[]

/** The state that an engine keeps, in numbers. */
export interface FollowedState {
  readonly position: number
  /** Set while it is not available. */
  readonly unavailable: string | undefined
}

export class Metrics extends Books {
  readonly contentType = METRICS_TYPE
  /** Those that are read when the page is made. */
  readonly #figures: Metric[]
  #processMetrics: () => Promise<readonly MetricFamily[]> = async () => []
  readonly #reloads = new Map<string, number>()
  #reloaded = 0
  #reloadSuccess = 0

  /** Reads its figures from these when the page is made. */
  constructor(version: string, worlds: Worlds, weather: WeatherStation, log: { readonly lost: number }) {
    super()
    this.#figures = [
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

  /** Adds a metric of an observer that is read when the page is made. */
  follow(metric: Metric): void {
    this.#figures.push(metric)
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
  followState(meter: StateMeter, state: FollowedState): void {
    this.#figures.push(
      ...meter.histograms,
      figure(
        'understudy_state_conflicts_total',
        'Appends that conflicted with those of another process; the requests ran again.',
        () => meter.conflicts,
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

  /** Takes the time at which another plan is served. */
  adopted(now: number): void {
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
    return this.instruments.reduce((sum, { total = 0 }) => sum + total, 0)
  }

  /** The sums over requests: the part of `snapshot` that must survive the process. */
  counts(): MetricsSnapshot {
    return this.instruments.map(({ family }) => family)
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
