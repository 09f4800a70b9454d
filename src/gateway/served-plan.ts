// The plans that are served, with the data of their service: that of the configuration, and those of worlds on another contract.

import type { Plan } from '../plan/plan.ts'
import { Mask } from './mask.ts'
import type { Meter } from './metrics/families.ts'
import type { Metrics } from './metrics/metrics.ts'

/** A plan with the data of its service. Running requests are recorded where they began. */
export interface ServedPlan {
  readonly plan: Plan
  readonly mask: Mask
  /** By the index of the operation. */
  readonly meters: Map<number, Meter>
  /** The failures of conditions that have been logged. */
  readonly failed: Set<string>
}

/** @param now milliseconds since the epoch */
export function servePlan(plan: Plan, metrics: Metrics, now: number): ServedPlan {
  metrics.adopted(plan, now)
  return servingOf(plan)
}

const servingOf = (plan: Plan): ServedPlan => ({ plan, mask: new Mask(plan), meters: new Map(), failed: new Set() })

export const serveOthers = ({ others = new Map() }: Plan): ReadonlyMap<Plan, ServedPlan> =>
  new Map([...others.values()].map(plan => [plan, servingOf(plan)]))
