// The initial state of all worlds, made of the seeds of the plan. Worlds are forks of it; it is never served itself.

import type { Plan } from '../plan/plan.ts'
import type { Budget } from '../world/budget.ts'
import type { Clock } from '../world/clock.ts'
import type { Collection } from '../world/collection.ts'
import { makeCollection } from '../world/make-collection.ts'
import { World } from '../world/world.ts'

export class InitialState {
  readonly #clock: Clock
  readonly #budget: Budget
  #world: World
  /** The initial state of a plan that is about to be adopted. */

  constructor(plan: Plan, clock: Clock, budget: Budget) {
    this.#clock = clock
    this.#budget = budget
    this.#world = seedWorld(plan, clock, budget)
  }

  get world(): World {
    return this.#world
  }

  /** Adopts another plan. Existing worlds stay as they are. */
  adopt(plan: Plan): void {
    this.#world = seedWorld(plan, this.#clock, this.#budget)
  }

  /** Returns a new world in this state, which begins now. */
  begin(name: string): World {
    const world = this.#world.fork(name)
    world.copied = false
    world.began = this.#clock.now()
    return world.begin(world.began)
  }
}

/** Makes a world of the seeds of a plan, a thousand records a step. */
function seedWorld(plan: Plan, clock: Clock, budget: Budget): World {
  const collections = new Map<string, Collection>()
  for (const [name, { options, resource }] of plan.collections) {
    collections.set(name, makeCollection(options, resource.seeds, budget))
  }
  return new World(plan.simulation.seed, clock, collections)
}
