// Metrics as data, to which each source of them contributes: written as the page for Prometheus, and added up over processes.
// The counters and histograms of the request path are our own: those of prom-client look their labels up by a hash of their
// text at every count, even a bound one: 1 to 3 µs of a request that costs 15. The only file that imports prom-client.

import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import type { PlannedOperation } from '../../plan/plan.ts'
import { breatheWhenDue } from '../../world/real-time.ts'

export type Labels = Readonly<Record<string, string | number>>

/** A metric without its series. */
export interface MetricDescription {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

/** @param series the name, with its labels: `requests_total{operation,status}`. It ends in `_total` if it is a counter. */
export function metricOf(series: string, help: string, type: string): MetricDescription {
  const [name = '', ...labelNames] = series.split(/[{},]/).filter(Boolean)
  return { name, help, type: name.endsWith('_total') ? 'counter' : type, labelNames }
}

/** A metric with all its series. */
export interface MetricFamily extends Omit<MetricDescription, 'labelNames'> {
  /** How the values of several processes become one: `sum` (default), `min`, `max`, `first`, `average` or `omit`. */
  readonly aggregator?: string
  readonly values: readonly MetricValue[]
}

export interface MetricValue {
  /** The name of a series of a histogram: `…_bucket`. Default: that of the family. */
  readonly metricName?: string
  readonly labels: Labels
  readonly value: number
}

/** Lines that are written before other work has its turn, if it is due: a client may cause 38,000 of them. */
const LINES = 1000

/** Writes families in the exposition format. */
export async function writePage(families: readonly MetricFamily[]): Promise<string> {
  const breathe = breatheWhenDue()
  const parts: string[] = []
  for (const { name, help, type, values } of families) {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
    for (const { metricName = name, labels, value } of values) {
      const text = writeLabels(labels)
      lines.push(`${metricName}${text === '' ? '' : `{${text}}`} ${value}`)
      if (lines.length % LINES === 0) await breathe()
    }
    parts.push(lines.join('\n'))
    await breathe()
  }
  return `${parts.join('\n\n')}\n`
}

const writeLabels = (labels: Labels): string =>
  Object.entries(labels)
    .map(
      ([label, value]) => `${label}="${`${value}`.replace(/[\\"\n]/g, sign => (sign === '\n' ? '\\n' : `\\${sign}`))}"`,
    )
    .join()

/** Returns the families of several processes as one; those of `omit` say nothing about more than one. */
export function mergeFamilies(processes: readonly (readonly MetricFamily[])[]): Promise<MetricFamily[]> {
  const all = processes.map(families => families.map(family => ({ aggregator: 'sum', ...family })))
  return AggregatorRegistry.aggregate(all).getMetricsAsJSON() as unknown as Promise<MetricFamily[]>
}

// --- what is counted ---------------------------------------------------------------------------------------------------

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

/** A metric with its series, which are read when the page is made. */
export interface Metric {
  readonly about: MetricDescription
  readonly family: MetricFamily
  /** The number of counts in all series, where it is counted a request at a time. */
  readonly total?: number
}

/** A counter or a histogram, with a series for each set of labels. */
export class Instrument implements Metric {
  readonly about: MetricDescription
  readonly #series = new Map<string, { readonly labels: Labels; readonly series: Series }>()
  readonly #most: number

  /** @param most the number of sets of labels that have separate series; all others share one. @param series see `metricOf` */
  constructor(series: string, help: string, most = Number.POSITIVE_INFINITY) {
    this.about = metricOf(series, help, 'histogram')
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
      return { metricName, labels: { le, ...labels }, value: running }
    }),
    { metricName, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

/** A series: the values of the labels, then the value of the metric. */
export type MetricRow = readonly [...labels: string[], value: number]

/** Makes a metric that is read when the page is made. @param read returns the only value, or a row for each series */
export const figure = (
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

// --- the process and Node ----------------------------------------------------------------------------------------------

/** Gauges that end in `_total`, which is for counters: the same by type, without the suffix, are on the page too. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE

/** Measures the process from now on. Returns a function that reads its metrics. */
export function measureProcess(): () => Promise<MetricFamily[]> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  return () => registry.getMetricsAsJSON() as unknown as Promise<MetricFamily[]>
}

// The metrics of requests. Their labels are bound once per operation, so that counting needs no look-up.

/** Counts for one operation. */
export interface Meter {
  /** @param idle the time in seconds in which the gateway did not work. @param injected the part of it that was injected */
  observe(method: string, status: number, seconds: number, idle: number, injected: number): void
  queued(): void
  refused(problem: string): void
  struck(fault: string): void
}

/** A client may choose any status of any operation, each of which takes 19 lines of the page. OpenTelemetry's default. */
const MOST_SERIES = 2000

export class Books {
  readonly #requests = new Instrument(
    'http_server_request_duration_seconds{http_request_method,http_route,http_response_status_code,operation}',
    'Duration of requests, from the end of the headers until the reply is ready.',
    MOST_SERIES,
  )
  readonly #service = new Instrument(
    'understudy_service_duration_seconds{operation}',
    'Duration of requests without configured delays: the processing time of the gateway.',
  )
  readonly #injected = new Instrument(
    'understudy_injected_delay_seconds{operation}',
    'Delays injected by latency, capacity and faults, for delayed requests.',
  )
  readonly #queued = new Instrument(
    'understudy_queued_requests_total{operation}',
    'Requests that waited in the queue of a capacity.',
  )
  readonly #refusals = new Instrument(
    'understudy_refusals_total{operation,problem}',
    'Refused requests, by problem code.',
  )
  readonly #faults = new Instrument('understudy_faults_total{operation,kind}', 'Injected faults, by kind.')
  /** All of them, in the order of the page. */
  readonly instruments: Metric[] = [
    this.#requests,
    this.#service,
    this.#injected,
    this.#queued,
    this.#refusals,
    this.#faults,
  ]

  /** Adds a metric of an observer whose counts outlast the process. */
  add<Added extends Metric>(metric: Added): Added {
    this.instruments.push(metric)
    return metric
  }

  /** Binds an operation's labels once. The counts of a known operation continue. */
  bind({ operation: { id }, route }: PlannedOperation): Meter {
    const operation = { operation: id }
    // Unmatched requests never queue, and an empty histogram has no percentiles: their series begin with the first
    // observation, those of an operation at once.
    let service = id === '' ? undefined : this.#service.series(operation)
    if (id !== '') this.#queued.series(operation)
    // By the method, then by the status: a key of both would be a text that each request makes anew.
    const answered = new Map<string, Map<number, Series>>()
    const refused = new Map<string, Series>()
    const bindRefused = (problem: string): Series => {
      const series = this.#refusals.series({ ...operation, problem })
      refused.set(problem, series)
      return series
    }
    const bindRequests = (method: string, status: number): Series => {
      const byStatus = answered.get(method) ?? new Map<number, Series>()
      const series = this.#requests.series({
        http_request_method: METHODS.has(method) ? method : '_OTHER',
        http_route: route,
        // A fault that left the client without a reply has no status.
        http_response_status_code: status === 0 ? '' : `${status}`,
        ...operation,
      })
      answered.set(method, byStatus.set(status, series))
      return series
    }
    return {
      observe: (method, status, seconds, idle, injected) => {
        const series = answered.get(method)?.get(status) ?? bindRequests(method, status)
        series.observe(seconds)
        service ??= this.#service.series(operation)
        service.observe(seconds - idle)
        if (injected > 0) this.#injected.series(operation).observe(injected)
      },
      queued: () => this.#queued.series(operation).add(),
      refused: problem => (refused.get(problem) ?? bindRefused(problem)).add(),
      struck: kind => this.#faults.series({ ...operation, kind }).add(),
    }
  }
}

// RFC 9110 §9 and RFC 5789; anything else a client makes up shares one label (OpenTelemetry's `_OTHER`).
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])
