// The world that all others begin as, and how many bytes their records may take.

import type { Plan } from '../plan/plan.ts'
import type { Budget } from '../world/budget.ts'
import type { Clock } from '../world/clock.ts'
import { heapLimit } from '../world/heap.ts'
import { makeCollection } from '../world/make-collection.ts'
import { World } from '../world/world.ts'

/** The default share of the heap for records; a page may contain all of them a second time. */
const SHARE = 0.4

export const maxBytesOf = ({ simulation }: Plan): number =>
  simulation.worlds.maxBytes ?? Math.floor(SHARE * heapLimit())

export const seedWorld = (plan: Plan, clock: Clock, budget: Budget): World =>
  new World(
    plan.simulation.seed,
    clock,
    new Map(
      [...plan.collections].map(([name, { options, resource }]) => [
        name,
        makeCollection(options, resource.seeds, budget),
      ]),
    ),
  )
