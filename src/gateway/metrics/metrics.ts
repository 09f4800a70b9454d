// The metrics page for Prometheus, made on request. Only this file and its neighbours import prom-client.

import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import { type LoopDelay, takingTurns } from '../../world/clock.ts'
import type { Deprecations } from '../deprecations.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { CALLERS, registerUsageTimes } from './deprecation-metrics.ts'
import {
  type FollowedState,
  followLog,
  followLoop,
  followState,
  followWeather,
  followWorkers,
} from './followed-parts.ts'
import { Histogram } from './histogram.ts'
import { Books, type Meter } from './meter.ts'
import { registerCapacities, registerWorlds } from './world-metrics.ts'

/** The numbers of one process as data for another process. */
export type MetricsSnapshot = readonly { readonly name: string; readonly type: string }[]

/** Gauges that end in `_total`, which is for counters: the same by type, without the suffix, are on the page too. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** With more pairs of a deprecated operation and a consumer, only those that called have a series. */
const MOST_EXPECTED = 10_000

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
    registerUsageTimes(deprecations, registers)
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
    followWeather(station, this.#registry)
  }

  /** Adds the metrics of the event loop's delay. */
  followLoop(delay: LoopDelay): void {
    followLoop(delay, this.#registry)
  }

  /** Adds the number of lost log lines. */
  followLog(log: { readonly lost: number }): void {
    followLog(log, this.#registry)
  }

  /** Adds the metrics of the state that an engine keeps. */
  followState(state: FollowedState): void {
    followState(state, this.#registry)
  }

  /** Adds the number of serving processes, if there are several. */
  countWorkers(read: () => { running: number; replaced: number }): void {
    followWorkers(read, this.#registry)
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
    return pageOf(AggregatorRegistry.aggregate([...snapshots] as never))
  }

  /** The page, in the Prometheus exposition format. */
  page(): Promise<string> {
    return pageOf(this.#registry)
  }
}

/** Writes the page, and lets requests have their turn between two metrics: one with thousands of series takes a tenth of a second. */
async function pageOf(registry: Registry): Promise<string> {
  const takeTurns = takingTurns()
  const parts: string[] = []
  for (const metric of registry.getMetricsAsArray()) {
    const own = (metric as unknown) instanceof Histogram ? (metric as unknown as Histogram).write() : undefined
    parts.push(own ?? spellNumbers(await registry.getSingleMetricAsString(metric.name)))
    await takeTurns()
  }
  return `${parts.join('\n\n')}\n`
}

/** Corrects `Nan`, which the library writes for an empty event-loop sample, to the format's `NaN`. */
const spellNumbers = (page: string): string => page.replace(/ Nan$/gm, ' NaN')
