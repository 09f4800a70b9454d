// A running request, and the plan that it began under.

import { Exchange, type Meeting } from '../behaviours/exchange.ts'
import type { Request } from '../kernel/request.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import type { Clock } from '../world/clock.ts'
import type { World } from '../world/world.ts'
import { Mask } from './mask.ts'
import type { Meter } from './metrics/meter.ts'
import type { Metrics } from './metrics/metrics.ts'

/** A plan with the data of its service. Running requests are recorded where they began. */
export interface ServedPlan {
  readonly plan: Plan
  readonly mask: Mask
  readonly meterOf: (planned: PlannedOperation) => Meter
}

/** A running request: its destination, its start (see `monotonic`), and its trace if the client wants one. */
export interface Turn {
  readonly served: ServedPlan
  readonly planned: PlannedOperation
  readonly exchange: Exchange
  readonly path: string
  readonly started: number
  readonly passed: string[] | undefined
  /** Whether the client wants them. */
  readonly why: boolean
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

/**
 * A request that no operation answers.
 *
 * @param asked its time and its trace
 * @param place where it was sent to, for the links of a refusal that an operation decorates
 */
export function unmatchedTurn(
  served: ServedPlan,
  request: Request,
  world: World,
  started: number,
  asked: Pick<Turn, 'path' | 'passed' | 'why'> & { readonly clock: Clock } = {
    clock: world.clock,
    path: request.path,
    passed: undefined,
    why: false,
  },
  place: Pick<Meeting, 'basePath' | 'segments'> = {},
): Turn {
  const planned = served.plan.unmatched
  const { clock, path, passed, why } = asked
  const exchange = new Exchange({ request, world, operation: planned.operation, clock, ...place })
  // In the order that matched requests have: the engine takes the two for one shape.
  return { served, planned, exchange, path, started, passed, why }
}
