// The plans that are served, with what their observers see: that of the configuration, and those of worlds on another contract.

import type { Plan } from '../plan/plan.ts'
import { Mask } from './mask.ts'
import type { Observe, Observer } from './observer.ts'

/** A plan with the data of its service. Running requests are observed where they began. */
export interface ServedPlan {
  readonly plan: Plan
  readonly mask: Mask
  /** The observers that the plan needs, in their order. */
  readonly observers: readonly Observe[]
  /** Whether an observer listens to the bodies of requests now. */
  listens(): boolean
}

/** Compiles the observers for a plan. @param observers with their states */
export function servePlan(plan: Plan, observers: ReadonlyMap<Observer, unknown>): ServedPlan {
  const compiled: Observe[] = []
  const listeners: (() => boolean)[] = []
  for (const [observer, state] of observers) {
    const observe = observer.compile(plan, state)
    if (observe === undefined) continue
    compiled.push(observe)
    if (observer.listens !== undefined) listeners.push(() => observer.listens?.(plan, state) ?? false)
  }
  return { plan, mask: new Mask(plan), observers: compiled, listens: () => listeners.some(listens => listens()) }
}

export const serveOthers = (
  { others = new Map() }: Plan,
  observers: ReadonlyMap<Observer, unknown>,
): ReadonlyMap<Plan, ServedPlan> => new Map([...others.values()].map(plan => [plan, servePlan(plan, observers)]))
