// Records answered requests: in the metrics, the journal and the log.

import { type Reply, withHeaders, withWarning } from '../kernel/reply.ts'
import type { Request } from '../kernel/request.ts'
import { type Clock, httpDate, monotonic } from '../world/clock.ts'
import { type Explanation, explain, explanationHeaders } from './explain.ts'
import type { Journal, RequestOutcome } from './journal/journal.ts'
import type { Log } from './log.ts'
import { overheardBody } from './overheard.ts'
import type { Turn } from './turn.ts'
import type { Worlds } from './worlds.ts'

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
  finish(turn: Turn, bare: Reply): Reply {
    const { served, planned, exchange, passed, why } = turn
    const { clock } = exchange
    let reply = clock.adjusted ? withHeaders(bare, { date: httpDate(clock.now()) }) : bare
    const { warnings } = exchange
    if (warnings.length > 0) reply = withWarning(reply, warnings.join('; '))
    let explanation: Explanation | undefined
    if (passed !== undefined) {
      explanation = explain(planned, exchange, reply, passed, served.mask)
      if (why) reply = withHeaders(reply, explanationHeaders(explanation))
    }
    this.#observe(turn, reply, explanation)
    return reply
  }

  #observe({ served, planned, exchange, path, started }: Turn, reply: Reply, explanation?: Explanation): void {
    const { request, clock } = exchange
    const { method } = request
    const milliseconds = monotonic() - started
    const meter = served.meterOf(planned)
    const at = this.#clock.now()
    const time = clock.adjusted ? clock.now() : at
    meter.observe(method, reply.status, milliseconds / 1000, exchange.injected / 1000)
    if (exchange.queued) meter.queued()
    const { refusal } = reply
    if (refusal !== undefined) meter.refused(refusal.problem.code)
    if (exchange.fault !== undefined) meter.struck(exchange.fault)
    const inputs = exchange.deprecatedInputs
    if (inputs !== undefined || planned.deprecated) {
      const traffic = clock.adjusted || !this.#worlds.isPermanent(exchange.world.name) ? 'rehearsed' : 'live'
      if (planned.deprecated) meter.deprecated(exchange.consumer, time, traffic)
      if (inputs !== undefined) meter.deprecatedInputs(inputs, exchange.consumer, time, traffic)
    }
    this.#journal.record(exchange, served.mask, outcomeOf(reply, at, path, milliseconds, request, explanation))
    if (!this.#log.requests) return
    this.#log.info(
      {
        operation: planned.operation.id || undefined,
        consumer: exchange.consumer,
        world: exchange.world.name,
        status: reply.status,
        ms: Math.round(milliseconds * 1000) / 1000,
        refused: refusal?.problem.code,
        reason: refusal === undefined ? undefined : served.mask.text(refusal.detail),
        weather: exchange.weather,
        fault: exchange.fault,
        waited: exchange.injected === 0 ? undefined : Math.round(exchange.injected * 1000) / 1000,
      },
      `${method} ${served.mask.path(request.path)}`,
    )
  }
}

/** Returns what the journal keeps of a reply. @param milliseconds since the request came */
export const outcomeOf = (
  { status, headers, refusal, body }: Reply,
  at: number,
  path: string,
  milliseconds: number,
  request?: Request,
  explanation?: Explanation,
): RequestOutcome => ({
  at,
  path,
  status,
  milliseconds,
  refusal,
  explanation,
  replyHeaders: headers,
  requestBody: overheardBody(request),
  replyBody: body,
})
