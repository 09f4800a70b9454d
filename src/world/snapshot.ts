// A whole world as one document: what it holds, what time it is there, and how far its operations have counted. Knows no
// schema: whoever restores a snapshot has checked it.

import { timestamp } from './clock.ts'
import type { Dump } from './collection.ts'
import type { World } from './world.ts'
import type { ClockWords } from './world-clock.ts'

export interface Snapshot {
  /** The version of this form. */
  readonly version: 1
  /** Absent: real time. */
  readonly clock?: ClockWords
  /** How many requests of each operation the world has seen: the draws of the next ones follow from it. */
  readonly ordinals?: Readonly<Record<string, number>>
  /** By resource. One that is not named here begins with its seeds. */
  readonly collections: Readonly<Record<string, Dump>>
}

export async function takeSnapshot({ clock, ordinals, collections }: World): Promise<Snapshot> {
  const { now, real, frozen, rate } = clock.state
  const dumps = [...collections].map(async ([name, collection]) => [name, await collection.dump()] as const)
  return {
    version: 1,
    ...(real ? {} : { clock: { now: timestamp(now), ...(frozen ? { freeze: true } : { rate }) } }),
    ordinals: Object.fromEntries(ordinals),
    collections: Object.fromEntries(await Promise.all(dumps)),
  }
}

/** Fills a world that nobody has visited yet. Throws for a collection that it does not have. */
export async function restoreSnapshot(world: World, { ordinals = {}, collections }: Snapshot): Promise<void> {
  world.resume(Object.entries(ordinals))
  for (const [name, dump] of Object.entries(collections)) await world.collection(name).load(dump)
}
