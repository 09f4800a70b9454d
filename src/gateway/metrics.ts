// What Prometheus sees. Counting a request is adding to numbers that were bound to their labels at load; the text is made
// when it is asked for. The only file that knows prom-client.

import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PlannedOperation } from '../plan/compile.ts'
import { EVICTIONS } from '../world/sandboxes.ts'
import { Servers } from '../world/servers.ts'
import { Deprecations, type Usage } from './deprecations.ts'
import { Histogram, type Slot } from './histogram.ts'
import { type Count, Tally } from './tally.ts'
import type { WeatherStation } from './weather.ts'
import type { Worlds } from './worlds.ts'

/** The numbers of one process, as they travel to another. */
export type Snapshot = readonly { readonly type: string }[]

/** Counts for one operation. */
export interface Meter {
  /** @param injected how many of the seconds the request was made to wait */
  observe(method: string, status: number, seconds: number, injected: number): void
  queued(): void
  refused(problem: string): void
  struck(fault: string): void
  /** @param time milliseconds since the epoch, by the world's clock */
  deprecated(consumer: string | undefined, time: number): void
  deprecatedInputs(inputs: readonly string[], consumer: string | undefined, time: number): void
}

export class Metrics {
  readonly deprecations = new Deprecations()
  readonly #registry = new Registry()
  readonly #requests = new Histogram(
    'http_server_request_duration_seconds',
    'How long requests took, from their headers to the reply being ready to be written.',
  )
  readonly #service = new Histogram(
    'understudy_service_duration_seconds',
    'How long requests took without the delay that is configured: what the stand-in itself costs.',
  )
  readonly #injected = new Histogram(
    'understudy_injected_delay_seconds',
    'How long requests were made to wait, by latency, capacity or a fault; of those that were.',
  )
  readonly #queued = new Tally('understudy_queued_requests_total', 'Requests that had to stand in line for a capacity.')
  readonly #refusals = new Tally(
    'understudy_refusals_total',
    'Requests refused, by the problem they were refused with.',
  )
  readonly #faults = new Tally('understudy_faults_total', 'Configured faults that struck, by their kind.')
  readonly #deprecatedInputs = new Tally(
    'understudy_deprecated_inputs_total',
    'Uses of deprecated parameters and body fields, by who still makes them.',
  )
  readonly #sunsets: Gauge<'operation'>
  readonly #reloads: Counter<'result'>
  readonly #reloaded: Gauge
  readonly #reloadSuccess: Gauge

  /** @param worlds asked for their numbers when the page is made */
  constructor(version: string, worlds: Worlds) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    const histograms = [this.#requests, this.#service, this.#injected]
    const tallies = [this.#queued, this.#refusals, this.#faults, this.#deprecatedInputs]
    for (const metric of [...histograms, ...tallies]) this.#registry.registerMetric(metric as never)
    const { deprecations } = this
    const usageGauge = (name: string, help: string, read: (usage: Usage) => number) =>
      new Gauge({
        name,
        help,
        labelNames: ['operation', 'consumer'],
        registers,
        aggregator: 'max',
        collect() {
          this.reset()
          for (const usage of deprecations.all()) {
            this.set({ operation: usage.operation, consumer: usage.consumer }, read(usage))
          }
        },
      })
    new Counter({
      name: 'understudy_deprecated_requests_total',
      help: 'Requests to deprecated operations, by who still makes them.',
      labelNames: ['operation', 'consumer'],
      registers,
      collect() {
        this.reset()
        for (const { operation, consumer, count } of deprecations.all()) this.inc({ operation, consumer }, count)
      },
    })
    usageGauge(
      'understudy_deprecated_first_request_timestamp_seconds',
      "When a consumer first called a deprecated operation, by the world's clock.",
      ({ first }) => first / 1000,
    )
    usageGauge(
      'understudy_deprecated_last_request_timestamp_seconds',
      "When a consumer last called a deprecated operation, by the world's clock.",
      ({ last }) => last / 1000,
    )
    this.#sunsets = new Gauge({
      name: 'understudy_operation_sunset_timestamp_seconds',
      aggregator: 'max',
      help: 'When an operation goes, in seconds since the epoch.',
      labelNames: ['operation'],
      registers,
    })
    this.#reloads = new Counter({
      name: 'understudy_reloads_total',
      aggregator: 'max',
      help: 'Attempts to load the configuration anew.',
      labelNames: ['result'],
      registers,
    })
    this.#reloaded = new Gauge({
      name: 'understudy_config_last_reload_success_timestamp_seconds',
      aggregator: 'max',
      help: 'When the configuration that is being served was loaded.',
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
      help: 'Always 1; the labels say what is running.',
      labelNames: ['version'],
      registers,
    })
    info.set({ version }, 1)
  }

  /** Binds an operation's labels, once, at load. Counts of an operation that was known before go on. */
  bind({ operation, route }: PlannedOperation): Meter {
    const { id } = operation
    const slots = new Map<number, Slot>()
    const service = this.#service.slot({ operation: id })
    const queued = this.#queued.count({ operation: id })
    let delays: Slot | undefined
    const slotOf = (method: string, status: number): Slot =>
      this.#requests.slot({
        http_request_method: method,
        http_route: route,
        // Where a fault left the client without a reply there was no status.
        http_response_status_code: status === 0 ? '' : `${status}`,
        operation: id,
      })
    const refusals = new Map<string, Count>()
    const faults = new Map<string, Count>()
    return {
      observe: (method, status, seconds, injected) => {
        let slot: Slot | undefined
        if (method === operation.method) {
          slot = slots.get(status)
          if (slot === undefined) {
            slot = slotOf(method, status)
            slots.set(status, slot)
          }
        } else slot = slotOf(METHODS.has(method) ? method : '_OTHER', status)
        slot.observe(seconds)
        service.observe(seconds - injected)
        if (injected > 0) {
          delays ??= this.#injected.slot({ operation: id })
          delays.observe(injected)
        }
      },
      queued: () => {
        queued.value += 1
      },
      refused: problem => {
        countOf(refusals, problem, () => this.#refusals.count({ operation: id, problem })).value += 1
      },
      struck: kind => {
        countOf(faults, kind, () => this.#faults.count({ operation: id, kind })).value += 1
      },
      deprecatedInputs: (inputs, consumer = '', time) => {
        for (const input of inputs) {
          this.#deprecatedInputs.count({ operation: id, input, consumer }).value += 1
          this.deprecations.bind(id, input)(consumer, time)
        }
      },
      deprecated: this.deprecations.bind(id),
    }
  }

  /** Tells from now on of the weather. */
  follow(station: WeatherStation): void {
    new Gauge({
      name: 'understudy_weather',
      help: 'Whether there is weather over the configuration: 1, by its name.',
      labelNames: ['weather'],
      registers: [this.#registry],
      collect() {
        this.reset()
        const { current } = station
        if (current !== undefined) this.set({ weather: current.weather.name }, 1)
      },
    })
  }

  /** Tells of a plan that now serves. */
  adopted(operations: readonly PlannedOperation[], now: number): void {
    this.#sunsets.reset()
    for (const { operation, lifecycle } of operations) {
      if (lifecycle?.sunset !== undefined) this.#sunsets.set({ operation: operation.id }, lifecycle.sunset / 1000)
    }
    this.#reloaded.set(now / 1000)
  }

  reloaded(success: boolean): void {
    this.#reloads.inc({ result: success ? 'success' : 'failure' })
    this.#reloadSuccess.set(success ? 1 : 0)
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE

  /** Counts the processes that serve, where there are several. */
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
      help: 'Processes that ended unasked, and were replaced.',
      registers,
      collect() {
        this.reset()
        this.inc(read().replaced)
      },
    })
  }

  /** The numbers as data, to be merged with those of other processes. */
  async snapshot(): Promise<Snapshot> {
    return (await this.#registry.getMetricsAsJSON()) as unknown as Snapshot
  }

  /** What stays of the numbers of processes that are no more: their counts, and none of their states. */
  static async remains(snapshots: readonly Snapshot[]): Promise<Snapshot> {
    const counts = snapshots.map(snapshot => snapshot.filter(({ type }) => type === 'counter' || type === 'histogram'))
    return (await AggregatorRegistry.aggregate(counts as never).getMetricsAsJSON()) as unknown as Snapshot
  }

  /** The page of several processes together: counts are added up, states are not. */
  static merge(snapshots: readonly Snapshot[]): Promise<string> {
    return AggregatorRegistry.aggregate([...snapshots] as never)
      .metrics()
      .then(spellNumbers)
  }

  /** The page, in the Prometheus exposition format. */
  page(): Promise<string> {
    return this.#registry.metrics().then(spellNumbers)
  }
}

/** The format spells it `NaN`; the library writes `Nan`, for an event loop that nobody has waited for yet, say. */
const spellNumbers = (page: string): string => page.replace(/ Nan$/gm, ' NaN')

/** What stands in line in all worlds together, by the place of the capacity in the configuration. */
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
    help: 'Requests that stand in line for a capacity.',
    labelNames,
    registers,
    collect: sum(({ waiting }) => waiting),
  })
  new Gauge({
    name: 'understudy_busy_servers',
    help: 'How much of a capacity is taken.',
    labelNames,
    registers,
    collect: sum(({ busy }) => busy),
  })
}

/** Names of sandboxes are the clients' to make up, and no label: what is in them is counted, not told apart. */
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
    help: 'Worlds that there are.',
    labelNames: ['kind'],
    registers,
    collect() {
      const all = worlds.list()
      const permanent = all.filter(({ name }) => worlds.isPermanent(name)).length
      this.set({ kind: 'permanent' }, permanent)
      this.set({ kind: 'sandbox' }, all.length - permanent)
    },
  })
  new Counter({
    name: 'understudy_sandbox_evictions_total',
    help: 'Sandboxes that went because there were too many (capacity) or nobody came (idle).',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const reason of EVICTIONS) this.inc({ reason }, worlds.evictions[reason])
    },
  })
}

// RFC 9110 §9 and RFC 5789; anything else a client makes up shares one label (OpenTelemetry's `_OTHER`).
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])

function countOf(counts: Map<string, Count>, key: string, make: () => Count): Count {
  let found = counts.get(key)
  if (found === undefined) {
    found = make()
    counts.set(key, found)
  }
  return found
}
