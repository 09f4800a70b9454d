// The metrics of requests. Their labels are bound once per operation, so that counting needs no look-up.

import type { PlannedOperation } from '../../plan/plan.ts'
import { type CountCall, Deprecations, type TrafficKind } from '../deprecations.ts'
import { Instrument, type Series } from './families.ts'

/** Counts for one operation. */
export interface Meter {
  /** @param injected the injected delay in seconds */
  observe(method: string, status: number, seconds: number, injected: number): void
  queued(): void
  refused(problem: string): void
  struck(fault: string): void
  /** @param time milliseconds since the epoch, by the world's clock */
  readonly deprecated: CountCall
  deprecatedInputs(inputs: readonly string[], consumer: string | undefined, time: number, traffic: TrafficKind): void
}

/** A client may choose any status of any operation, each of which takes 19 lines of the page. OpenTelemetry's default. */
const MOST_SERIES = 2000

export class Books {
  readonly deprecations = new Deprecations()
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
  readonly #deprecatedInputs = new Instrument(
    'understudy_deprecated_inputs_total{operation,input,consumer,traffic}',
    'Uses of deprecated parameters and body fields, by consumer.',
  )
  readonly all: readonly Instrument[] = [
    ...[this.#requests, this.#service, this.#injected],
    ...[this.#queued, this.#refusals, this.#faults, this.#deprecatedInputs],
  ]

  /** Binds an operation's labels once. The counts of a known operation continue. */
  bind({ operation: { id }, route }: PlannedOperation): Meter {
    const operation = { operation: id }
    // Unmatched requests never queue, and an empty histogram has no percentiles: their series begin with the first
    // observation, those of an operation at once.
    let service = id === '' ? undefined : this.#service.series(operation)
    if (id !== '') this.#queued.series(operation)
    const known = new Map<string, Series>()
    const keep = (key: string, series: Series): Series => {
      known.set(key, series)
      return series
    }
    const requests = (method: string, status: number): Series =>
      this.#requests.series({
        http_request_method: METHODS.has(method) ? method : '_OTHER',
        http_route: route,
        // A fault that left the client without a reply has no status.
        http_response_status_code: status === 0 ? '' : `${status}`,
        ...operation,
      })
    return {
      observe: (method, status, seconds, injected) => {
        const key = `${method} ${status}`
        const series = known.get(key) ?? keep(key, requests(method, status))
        series.observe(seconds)
        service ??= this.#service.series(operation)
        service.observe(seconds - injected)
        if (injected > 0) this.#injected.series(operation).observe(injected)
      },
      queued: () => this.#queued.series(operation).add(),
      refused: problem => (known.get(problem) ?? keep(problem, this.#refusals.series({ ...operation, problem }))).add(),
      struck: kind => this.#faults.series({ ...operation, kind }).add(),
      deprecatedInputs: (inputs, consumer = '', time, traffic) => {
        for (const input of inputs) {
          this.#deprecatedInputs.series({ ...operation, input, consumer, traffic }).add()
          this.deprecations.count(id, input, consumer, time, traffic)
        }
      },
      deprecated: (consumer, time, traffic) => this.deprecations.count(id, '', consumer, time, traffic),
    }
  }
}

// RFC 9110 §9 and RFC 5789; anything else a client makes up shares one label (OpenTelemetry's `_OTHER`).
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])
