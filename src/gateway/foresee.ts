// A world at a later time, for a request that names its own time.

import { Hits } from '../world/hits.ts'
import { PathCounts } from '../world/path-counts.ts'
import type { World } from '../world/world.ts'

/** Returns the world at a later time, with its records' timed changes. Changes to it do not last. */
export function foresee(world: World, moment: number): World {
  const ahead = world.fork()
  ahead.resume(world.ordinals)
  for (const [rule, { count }] of world.kept(Hits)) ahead.keep(Hits, rule).resume(count)
  for (const [key, counts] of world.kept(PathCounts)) ahead.keep(PathCounts, key).continue(counts)
  ahead.clock.adjust({ now: moment, freeze: true })
  return ahead
}
