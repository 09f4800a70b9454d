// What Prometheus sees. Counting a request is adding to numbers that were bound to their labels at load; the text is made
// when it is asked for. The only file that knows prom-client.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { PlannedOperation } from '../plan/compile.ts'
import { EVICTIONS } from '../world/sandboxes.ts'
import type { Worlds } from './worlds.ts'

// Below a millisecond is where a stand-in lives; above ten seconds nobody waits.
const BUCKETS = [
  ...[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025],
  ...[0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
]

/** Counts for one operation. */
export interface Meter {
  observe(method: string, status: number, seconds: number): void
  refused(problem: string): void
  struck(fault: string): void
  deprecated(consumer: string | undefined): void
}

interface Slot {
  readonly labels: Readonly<Record<string, string>>
  readonly buckets: Float64Array
  sum: number
  count: number
}

export class Metrics {
  readonly #registry = new Registry()
  readonly #slots = new Map<string, Slot>()
  readonly #refusals: Counter<'operation' | 'problem'>
  readonly #faults: Counter<'operation' | 'kind'>
  readonly #deprecated: Counter<'operation' | 'consumer'>
  readonly #sunsets: Gauge<'operation'>
  readonly #reloads: Counter<'result'>
  readonly #reloaded: Gauge
  readonly #reloadSuccess: Gauge

  /** @param worlds asked for their numbers when the page is made */
  constructor(version: string, worlds: Worlds) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    this.#registry.registerMetric(requestHistogram(this.#slots) as never)
    this.#refusals = new Counter({
      name: 'understudy_refusals_total',
      help: 'Requests refused, by the problem they were refused with.',
      labelNames: ['operation', 'problem'],
      registers,
    })
    this.#faults = new Counter({
      name: 'understudy_faults_total',
      help: 'Configured faults that struck, by their kind.',
      labelNames: ['operation', 'kind'],
      registers,
    })
    this.#deprecated = new Counter({
      name: 'understudy_deprecated_requests_total',
      help: 'Requests to deprecated operations, by who still makes them.',
      labelNames: ['operation', 'consumer'],
      registers,
    })
    this.#sunsets = new Gauge({
      name: 'understudy_operation_sunset_timestamp_seconds',
      help: 'When an operation goes, in seconds since the epoch.',
      labelNames: ['operation'],
      registers,
    })
    this.#reloads = new Counter({
      name: 'understudy_reloads_total',
      help: 'Attempts to load the configuration anew.',
      labelNames: ['result'],
      registers,
    })
    this.#reloaded = new Gauge({
      name: 'understudy_config_last_reload_success_timestamp_seconds',
      help: 'When the configuration that is being served was loaded.',
      registers,
    })
    this.#reloadSuccess = new Gauge({
      name: 'understudy_config_last_reload_successful',
      help: 'Whether the last attempt to load the configuration succeeded.',
      registers,
    })
    registerWorlds(worlds, registers)
    const info = new Gauge({
      name: 'understudy_build_info',
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
    const slotOf = (method: string, status: number): Slot => {
      const key = `${id}\n${method}\n${route}\n${status}`
      let slot = this.#slots.get(key)
      if (slot === undefined) {
        const labels = {
          http_request_method: method,
          http_route: route,
          // Where a fault left the client without a reply there was no status.
          http_response_status_code: status === 0 ? '' : `${status}`,
          operation: id,
        }
        slot = { labels, buckets: new Float64Array(BUCKETS.length), sum: 0, count: 0 }
        this.#slots.set(key, slot)
      }
      return slot
    }
    const refusals = new Map<string, { inc(): void }>()
    const faults = new Map<string, { inc(): void }>()
    const deprecated = new Map<string, { inc(): void }>()
    return {
      observe(method, status, seconds) {
        let slot: Slot | undefined
        if (method === operation.method) {
          slot = slots.get(status)
          if (slot === undefined) {
            slot = slotOf(method, status)
            slots.set(status, slot)
          }
        } else slot = slotOf(METHODS.has(method) ? method : '_OTHER', status)
        slot.sum += seconds
        slot.count += 1
        for (let i = 0; i < BUCKETS.length; i++) {
          if (seconds <= (BUCKETS[i] as number)) {
            slot.buckets[i]! += 1
            return
          }
        }
      },
      refused: problem => child(refusals, problem, () => this.#refusals.labels({ operation: id, problem })).inc(),
      struck: kind => child(faults, kind, () => this.#faults.labels({ operation: id, kind })).inc(),
      deprecated: (consumer = '') =>
        child(deprecated, consumer, () => this.#deprecated.labels({ operation: id, consumer })).inc(),
    }
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

  /** The page, in the Prometheus exposition format. */
  page(): Promise<string> {
    return this.#registry.metrics()
  }
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

function child<Child>(children: Map<string, Child>, key: string, make: () => Child): Child {
  let found = children.get(key)
  if (found === undefined) {
    found = make()
    children.set(key, found)
  }
  return found
}

/**
 * A histogram whose children are the slots above. prom-client's own looks its labels up by a hash of their text on every
 * observation, even through a bound child: 1 µs of a request that costs 15.
 */
function requestHistogram(slots: ReadonlyMap<string, Slot>) {
  const name = 'http_server_request_duration_seconds'
  const help = 'How long requests took, from their headers to the reply being ready to be written.'
  return {
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    reset: () => {},
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...slots.values()].flatMap(({ labels, buckets, sum, count }) => {
        let running = 0
        return [
          ...BUCKETS.map((le, i) => {
            running += buckets[i] as number
            return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: running, exemplar: null }
          }),
          { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count, exemplar: null },
          { metricName: `${name}_sum`, labels, value: sum },
          { metricName: `${name}_count`, labels, value: count },
        ]
      }),
    }),
  }
}
