// A running request, the plan that it began under, and how it is recorded once answered: in the metrics, the journal and the
// log.

import type { Exchange } from '../behaviours/exchange.ts'
import { type BodyRead, ForwardedRequest, type Reply, withHeaders, withWarning } from '../kernel/http.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import { type Clock, httpDate, monotonic } from '../world/clock.ts'
import { explainReply, explanationHeaders } from './explain.ts'
import type { Journal } from './journal/journal.ts'
import type { Log } from './log.ts'
import { Mask } from './mask.ts'
import type { Meter } from './metrics/meter.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Worlds } from './worlds/worlds.ts'

export class Observer {
  /** The gateway's real time. */
  readonly #clock: Clock
  readonly #worlds: Worlds
  readonly #journal: Journal
  readonly #log: Log

  constructor(clock: Clock, worlds: Worlds, journal: Journal, log: Log) {
    this.#clock = clock
    this.#worlds = worlds
    this.#journal = journal
    this.#log = log
  }

  /** Adds `Date` and `Understudy-Explanation`, then records the exchange in metrics, journal and log. */
  finish({ served, planned, exchange, path, started, passed, why, heard }: Dispatch, bare: Reply): Reply {
    const { request, clock, consumer, injected, fault, warnings, deprecatedInputs: inputs } = exchange
    const { method } = request
    const { mask } = served
    let reply = clock.adjusted ? withHeaders(bare, { date: httpDate(clock.now()) }) : bare
    if (warnings.length > 0) reply = withWarning(reply, warnings.join('; '))
    const explanation = passed && explainReply(planned, exchange, reply, passed, mask)
    if (explanation !== undefined && why) reply = withHeaders(reply, explanationHeaders(explanation))
    const { status, refusal } = reply
    const milliseconds = monotonic() - started
    const meter = served.meterOf(planned)
    const at = this.#clock.now()
    meter.observe(method, status, milliseconds / 1000, injected / 1000)
    if (exchange.queued) meter.queued()
    if (refusal !== undefined) meter.refused(refusal.problem.code)
    if (fault !== undefined) meter.struck(fault)
    if (inputs !== undefined || planned.deprecated) {
      const time = clock.adjusted ? clock.now() : at
      const traffic = clock.adjusted || !this.#worlds.isPermanent(exchange.world.name) ? 'rehearsed' : 'live'
      if (planned.deprecated) meter.deprecated(consumer, time, traffic)
      if (inputs !== undefined) meter.deprecatedInputs(inputs, consumer, time, traffic)
    }
    const requestBody = heard?.bytes
    this.#journal.record(exchange, mask, { at, path, reply, milliseconds, explanation, requestBody })
    if (this.#log.requests) {
      const fields = {
        operation: planned.operation.id || undefined,
        consumer,
        world: exchange.world.name,
        status,
        ms: thousandths(milliseconds),
        refused: refusal?.problem.code,
        reason: refusal === undefined ? undefined : mask.text(refusal.detail),
        weather: exchange.weather,
        fault,
        waited: injected === 0 ? undefined : thousandths(injected),
      }
      this.#log.info(fields, `${method} ${mask.path(request.path)}`)
    }
    return reply
  }
}

const thousandths = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000

/** A plan with the data of its service. Running requests are recorded where they began. */
export interface ServedPlan {
  readonly plan: Plan
  readonly mask: Mask
  readonly meterOf: (planned: PlannedOperation) => Meter
}

/** A running request: its destination, its start (see `monotonic`), and its trace if anybody wants one. */
export interface Dispatch {
  readonly served: ServedPlan
  readonly planned: PlannedOperation
  readonly exchange: Exchange
  readonly path: string
  readonly started: number
  readonly passed: string[] | undefined
  /** Whether the client wants the trace. */
  readonly why: boolean
  /** Set where the body is kept for the journal. */
  readonly heard: Overheard | undefined
}

/** @param now milliseconds since the epoch */
export function servePlan(plan: Plan, metrics: Metrics, now: number): ServedPlan {
  // Bound on first use, so that an operation without calls has no series.
  const meters: (Meter | undefined)[] = new Array(plan.operations.length)
  const unmatched = metrics.bind(plan.unmatched)
  const meterOf = (planned: PlannedOperation): Meter => {
    const { index } = planned
    if (index === plan.unmatched.index) return unmatched
    let meter = meters[index]
    if (meter === undefined) {
      meter = metrics.bind(planned)
      meters[index] = meter
    }
    return meter
  }
  metrics.adopted(plan, now)
  return { plan, mask: new Mask(plan), meterOf }
}

/** A request whose body is also kept for the journal. */
export class Overheard extends ForwardedRequest {
  /** The body, once read. */
  bytes: Uint8Array | undefined = undefined

  override async readBody(maxBytes: number): Promise<BodyRead> {
    const read = await super.readBody(maxBytes)
    if ('bytes' in read) this.bytes = read.bytes
    return read
  }
}
