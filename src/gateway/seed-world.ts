// The world that all others begin as, and how many bytes their records may take.

import type { Steps } from '../kernel/steps.ts'
import type { Plan } from '../plan/plan.ts'
import type { Budget } from '../world/budget.ts'
import type { Clock } from '../world/clock.ts'
import type { Collection } from '../world/collection.ts'
import { heapLimit } from '../world/heap.ts'
import { makeCollection } from '../world/make-collection.ts'
import { World } from '../world/world.ts'

/** The default share of the heap for records; a page may contain all of them a second time. */
const SHARE = 0.4

export const maxBytesOf = ({ simulation }: Plan): number =>
  simulation.worlds.maxBytes ?? Math.floor(SHARE * heapLimit())

/** Makes the world that all others of a plan begin as, a thousand records a step. */
export function* seedWorld(plan: Plan, clock: Clock, budget: Budget): Steps<World> {
  const collections = new Map<string, Collection>()
  for (const [name, { options, resource }] of plan.collections) {
    collections.set(name, yield* makeCollection(options, resource.seeds, budget))
  }
  return new World(plan.simulation.seed, clock, collections)
}
