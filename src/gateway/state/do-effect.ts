// Applies the effects of a log to the worlds, and returns the inverse of each.

import type { CollectionState } from '../../world/effects.ts'
import type { World } from '../../world/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Effect, WorldState } from './changes.ts'
import type { SeedStore } from './seed-store.ts'
import type { Subjects } from './subjects.ts'
import { restoreState, stateOf } from './world-state.ts'

/** Applies an effect to a world. Returns its inverse, if there is one. */
export function doEffect(subjects: Subjects, seeds: SeedStore, name: string, effect: Effect): Effect | undefined {
  const { worlds, weather } = subjects
  const world = worlds.peek(name)
  switch (effect[0]) {
    case 'made':
      if (world === undefined) worlds.put(beginWorld(worlds, seeds, name, effect[1], effect[2]))
      else if (!world.touched && world.began !== effect[1]) {
        world.began = effect[1]
        world.begin(effect[1])
      }
      return world === undefined ? ['deleted'] : undefined
    case 'reset':
      worlds.put(beginWorld(worlds, seeds, name, effect[1], effect[2]))
      subjects.forgetRequests(name)
      return world === undefined ? ['deleted'] : putting(seeds, world)
    case 'put':
      worlds.put(effect[2] ?? restoreState(worlds.blank(name), effect[1](), seeds))
      return world === undefined ? ['deleted'] : putting(seeds, world)
    case 'deleted':
      if (world === undefined || worlds.isPermanent(name)) return undefined
      worlds.delete(name)
      subjects.forgetRequests(name)
      return putting(seeds, world)
    case 'seen':
      worlds.get(name)
      return undefined
    case 'weather':
      return ['weather', ...weather.restore(subjects.plan(), world, [effect[1], effect[2]])]
    case 'answer': {
      // An answer for a world that is gone has gone with it.
      if (name !== '' && world === undefined) return undefined
      return ['answer', effect[1], subjects.answers.restore(subjects.plan(), world, effect[1], effect[2])]
    }
    case 'seeds':
      keepSeeds(worlds, seeds, name, effect[1], effect[2])
      return undefined
    case 'reseed':
      if (world !== undefined) beginFromSeeds(world, seeds, effect[1], effect[2])
      return undefined
    case 'config':
      return undefined
    case 'in':
    case 'kept':
    case 'clock':
    case 'ordinal':
      return world?.apply(effect)
    default:
      return effect satisfies never
  }
}

/** The effect that replaces a world; the world is converted to a value when the log needs it. */
export function putting(seeds: SeedStore, world: World): Effect {
  let state: WorldState | undefined
  return ['put', () => (state ??= stateOf(world, seeds)), world]
}

/** Returns a world that begins with the seeds of an origin, and has no place yet. */
function beginWorld(
  worlds: Worlds,
  seeds: SeedStore,
  name: string,
  began: number,
  origin: Readonly<Record<string, string>>,
): World {
  const world = worlds.blank(name)
  for (const [collection, digest] of Object.entries(origin)) {
    const base = world.origin[collection] === digest ? undefined : seeds.base(collection, digest)
    if (base !== undefined && world.collections.has(collection)) world.replace(collection, base.fork())
  }
  world.origin = { ...world.origin, ...origin }
  world.began = began
  return world.begin(began)
}

/** Keeps the seeds of the log, for worlds that begin with them. */
export function keepSeeds(
  worlds: Worlds,
  seeds: SeedStore,
  name: string,
  digest: string,
  state: CollectionState,
): void {
  seeds.log(name, digest)
  const like = worlds.default.collections.get(name)
  if (like !== undefined) seeds.keep(name, digest, state, like)
}

/** Resets a collection of a world to the seeds of a digest, if they are known. */
export function beginFromSeeds(world: World, seeds: SeedStore, collection: string, digest: string): void {
  const base = seeds.base(collection, digest)
  if (base === undefined || !world.collections.has(collection)) return
  world.replace(collection, base.fork())
  world.origin = { ...world.origin, [collection]: digest }
}
