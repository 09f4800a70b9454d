// A world to and from the value that a log and its snapshots have of it.

import type { World } from '../world/world.ts'
import type { WorldState } from './effects.ts'
import type { SeedStore } from './seeds.ts'

/** The state of a world: its records as they differ from the seeds that it began with. */
export function stateOfWorld(world: World, seeds: SeedStore): WorldState {
  return {
    name: world.name,
    began: world.began,
    origin: world.origin,
    clock: world.clock.course,
    ordinals: Object.fromEntries(world.ordinals),
    kept: [...world.lasting()],
    collections: Object.fromEntries(
      [...world.collections].map(([name, collection]) => [
        name,
        collection.state(seeds.base(name, world.origin[name])),
      ]),
    ),
  }
}

/** Fills a new world with a state. Skips collections that the configuration does not have. */
export function restoreState(world: World, state: WorldState, seeds: SeedStore): World {
  world.began = state.began
  world.origin = state.origin
  world.clock.take(state.clock)
  world.resume(Object.entries(state.ordinals))
  for (const value of state.kept) world.restoreKept(value)
  for (const [name, collection] of Object.entries(state.collections)) {
    if (!world.collections.has(name)) continue
    const base = collection.whole ? undefined : seeds.base(name, state.origin[name])
    if (base !== undefined) world.replace(name, base.fork())
    world.collection(name).become(collection)
  }
  return world.begin(state.began)
}
