// The replies of requests that end in an exception.

import type { Exchange } from '../behaviours/exchange.ts'
import { problems, type Reply, refuse, retryAfter } from '../kernel/http.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import { Full } from '../world/budget.ts'
import type { Clock } from '../world/clock.ts'
import { Unavailable } from '../world/engines/engine.ts'
import { Outage } from '../world/records/types.ts'
import type { Log } from './log.ts'

export class Failures {
  readonly #clock: Clock
  readonly #log: Log
  #incidents = 0

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Converts an exception to a reply. The reason goes to the log; the client gets its number. */
  async reply(error: unknown, planned: PlannedOperation, exchange: Exchange, plan: Plan): Promise<Reply> {
    const reply = this.#refuse(error, planned)
    try {
      return await planned.decorate(exchange, reply)
    } catch {
      return plan.unmatched.decorate(exchange, reply)
    }
  }

  #refuse(error: unknown, planned: PlannedOperation): Reply {
    if (error instanceof Full) return refuse(problems.insufficient_storage, error.message)
    this.#incidents += 1
    const incident = `${this.#clock.now().toString(36)}-${this.#incidents.toString(36)}`
    const outage = error instanceof Outage || error instanceof Unavailable
    this.#log.error({ incident, operation: planned.operation.id, err: error }, outage ? 'outage' : 'internal error')
    return outage
      ? refuse(problems.unavailable, `the state is unavailable; incident ${incident}`, retryAfter(1000))
      : refuse(problems.internal_error, `internal error; incident ${incident}`)
  }
}
