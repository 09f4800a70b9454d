// A whole world as one document: its records, its clock, and the ordinals of its operations. Independent
// of schemas: the caller validates a snapshot before restoring it.

import { timestamp } from './clock.ts'
import { Hits, PATHS, PathCounts } from './kept.ts'
import type { Dump } from './records/types.ts'
import type { World } from './world.ts'
import type { ClockWords } from './world-clock.ts'

export interface Snapshot {
  /** The version of this form. */
  readonly version: 1
  /** Absent: real time. */
  readonly clock?: ClockWords
  /** How many requests of each operation the world has seen: the draws of the next ones follow from it. */
  readonly ordinals?: Readonly<Record<string, number>>
  /** The counts of rules with `times`, and of requests by method and path. */
  readonly counters?: {
    readonly rules: Readonly<Record<string, number>>
    readonly paths: Readonly<Record<string, number>>
  }
  /** By resource. One that is not named here begins with its seeds. */
  readonly collections: Readonly<Record<string, Dump>>
}

export async function takeSnapshot(world: World): Promise<Snapshot> {
  const { clock, ordinals, collections } = world
  const { now, real, frozen, rate } = clock.state
  const dumps = [...collections].map(async ([name, collection]) => [name, await collection.dump()] as const)
  return {
    version: 1,
    ...(real ? {} : { clock: { now: timestamp(now), ...(frozen ? { freeze: true } : { rate }) } }),
    ordinals: Object.fromEntries(ordinals),
    counters: {
      rules: Object.fromEntries([...world.kept(Hits)].map(([name, { count }]) => [name, count])),
      paths: Object.fromEntries(
        [...world.kept(PathCounts)].flatMap(([, counts]) => [...counts.dump()] as [string, number][]),
      ),
    },
    collections: Object.fromEntries(await Promise.all(dumps)),
  }
}

/** Fills a new world. Throws for a collection that it does not have. */
export async function restoreSnapshot(world: World, { ordinals = {}, counters, collections }: Snapshot): Promise<void> {
  for (const [name, count] of Object.entries(counters?.rules ?? {})) world.keep(Hits, name).resume(count)
  if (counters !== undefined) world.keep(PathCounts, PATHS).load(Object.entries(counters.paths))
  world.resume(Object.entries(ordinals))
  for (const [name, dump] of Object.entries(collections)) await world.collection(name).load(dump)
}
