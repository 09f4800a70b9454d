// Counters whose labels are bound once per operation, so that counting needs no look-up.

import type { PlannedOperation } from '../../plan/plan.ts'
import { type CountCall, Deprecations, type TrafficKind } from '../deprecations.ts'
import { Histogram, type Slot } from './histogram.ts'
import { type LabelledCount, Tally } from './tally.ts'

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

/** A client may choose any status of any operation, each of which takes 18 lines of the page. OpenTelemetry's default. */
const MOST_SERIES = 2000

export class Books {
  readonly deprecations = new Deprecations()
  readonly #requests = new Histogram(
    'http_server_request_duration_seconds',
    'Duration of requests, from the end of the headers until the reply is ready.',
    ['http_request_method', 'http_route', 'http_response_status_code', 'operation'],
    MOST_SERIES,
  )
  readonly #service = new Histogram(
    'understudy_service_duration_seconds',
    'Duration of requests without configured delays: the processing time of the gateway.',
    ['operation'],
  )
  readonly #injected = new Histogram(
    'understudy_injected_delay_seconds',
    'Delays injected by latency, capacity and faults, for delayed requests.',
    ['operation'],
  )
  readonly #queued = new Tally('understudy_queued_requests_total', 'Requests that waited in the queue of a capacity.', [
    'operation',
  ])
  readonly #refusals = new Tally('understudy_refusals_total', 'Refused requests, by problem code.', [
    'operation',
    'problem',
  ])
  readonly #faults = new Tally('understudy_faults_total', 'Injected faults, by kind.', ['operation', 'kind'])
  readonly #deprecatedInputs = new Tally(
    'understudy_deprecated_inputs_total',
    'Uses of deprecated parameters and body fields, by consumer.',
    ['operation', 'input', 'consumer', 'traffic'],
  )

  /** The metrics to register. */
  get all(): (Histogram | Tally)[] {
    const histograms = [this.#requests, this.#service, this.#injected]
    return [...histograms, this.#queued, this.#refusals, this.#faults, this.#deprecatedInputs]
  }

  /** Binds an operation's labels once. The counts of a known operation continue. */
  bind({ operation, route }: PlannedOperation): Meter {
    const { id } = operation
    const slots = new Map<number, Slot>()
    // Unmatched requests never queue, and an empty histogram has no percentiles: their series begin with the first
    // observation, those of an operation at once.
    let service = id === '' ? undefined : this.#service.slot({ operation: id })
    const queued = id === '' ? undefined : this.#queued.count({ operation: id })
    let delays: Slot | undefined
    const slotOf = (method: string, status: number): Slot =>
      this.#requests.slot({
        http_request_method: method,
        http_route: route,
        // A fault that left the client without a reply has no status.
        http_response_status_code: status === 0 ? '' : `${status}`,
        operation: id,
      })
    const refusals = new Map<string, LabelledCount>()
    const faults = new Map<string, LabelledCount>()
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
        service ??= this.#service.slot({ operation: id })
        service.observe(seconds - injected)
        if (injected > 0) {
          delays ??= this.#injected.slot({ operation: id })
          delays.observe(injected)
        }
      },
      queued: () => {
        if (queued !== undefined) queued.value += 1
      },
      refused: problem => {
        countOf(refusals, problem, () => this.#refusals.count({ operation: id, problem })).value += 1
      },
      struck: kind => {
        countOf(faults, kind, () => this.#faults.count({ operation: id, kind })).value += 1
      },
      deprecatedInputs: (inputs, consumer = '', time, traffic) => {
        for (const input of inputs) {
          this.#deprecatedInputs.count({ operation: id, input, consumer, traffic }).value += 1
          this.deprecations.bind(id, input)(consumer, time, traffic)
        }
      },
      deprecated: this.deprecations.bind(id),
    }
  }
}

// RFC 9110 §9 and RFC 5789; anything else a client makes up shares one label (OpenTelemetry's `_OTHER`).
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'])

function countOf(counts: Map<string, LabelledCount>, key: string, make: () => LabelledCount): LabelledCount {
  let found = counts.get(key)
  if (found === undefined) {
    found = make()
    counts.set(key, found)
  }
  return found
}
