// The plans that are served, with what their observers see: that of the configuration, and those of worlds on another contract.

import type { Request } from '../kernel/http.ts'
import type { Plan } from '../plan/plan.ts'
import { Mask } from './mask.ts'
import type { Observe, Observer } from './observer.ts'

/** A plan with the data of its service. Running requests are observed where they began. */
export interface ServedPlan {
  readonly plan: Plan
  readonly mask: Mask
  /** The observers that the plan needs, in their order. */
  readonly observers: readonly Observe[]
  /** Tell whether an observer needs the bodies of requests now: one for each that may. */
  readonly listeners: readonly (() => boolean)[]
  /** Examines each request before it is dispatched, if an observer needs that. */
  readonly prepare: ((request: Request) => Promise<Request>) | undefined
}

/** Compiles the observers for a plan. @param observers with their states */
export function servePlan(plan: Plan, observers: ReadonlyMap<Observer, unknown>): ServedPlan {
  const compiled: Observe[] = []
  const listeners: (() => boolean)[] = []
  let prepare: ServedPlan['prepare']
  for (const [observer, state] of observers) {
    prepare ??= observer.prepare?.(plan, state)
    const observe = observer.compile(plan, state)
    if (observe === undefined) continue
    compiled.push(observe)
    const listens = observer.listens?.(plan, state)
    if (listens !== undefined) listeners.push(listens)
  }
  return { plan, mask: new Mask(plan), observers: compiled, listeners, prepare }
}

export const serveOthers = (
  { others = new Map() }: Plan,
  observers: ReadonlyMap<Observer, unknown>,
): ReadonlyMap<Plan, ServedPlan> => new Map([...others.values()].map(plan => [plan, servePlan(plan, observers)]))
