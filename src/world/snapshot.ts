// A whole world as one document: its records, its clock, and the ordinals of its operations. Independent of schemas: the caller
// validates a snapshot before restoring it.

import type { Lasting } from './changes.ts'
import type { ClockWords } from './clock.ts'
import { timestamp } from './dates.ts'
import { Hits } from './kept/hits.ts'
import { PATHS, PathCounts } from './kept/path-counts.ts'
import { SCENARIOS, Scenarios } from './kept/scenarios.ts'
import type { Dump } from './records/types.ts'
import type { World } from './world.ts'

export interface Snapshot {
  /** The version of this form. */
  readonly version: 1
  /** Absent: real time. */
  readonly clock?: ClockWords
  /** How many requests of each operation the world has seen: the draws of the next ones follow from it. */
  readonly ordinals?: Readonly<Record<string, number>>
  /** The counts of rules with `times`, and of requests by method and path; the states of scenarios. */
  readonly counters?: {
    readonly rules: Readonly<Record<string, number>>
    readonly paths: Readonly<Record<string, number>>
    readonly scenarios?: Readonly<Record<string, string>>
  }
  /** By resource. One that is not named here begins with its seeds. */
  readonly collections: Readonly<Record<string, Dump>>
}

export async function takeSnapshot(world: World): Promise<Snapshot> {
  const { clock, ordinals, collections } = world
  const { now, real, frozen, rate } = clock.state
  const tables = <Value>(kind: new () => Lasting) =>
    Object.fromEntries([...world.kept(kind)].flatMap(([, table]) => [...table.dump()] as [string, Value][]))
  const scenarios = tables<string>(Scenarios)
  const dumps = [...collections].map(async ([name, collection]) => [name, await collection.dump()] as const)
  return {
    version: 1,
    ...(real ? {} : { clock: { now: timestamp(now), ...(frozen ? { freeze: true } : { rate }) } }),
    ordinals: Object.fromEntries(ordinals),
    counters: {
      rules: Object.fromEntries([...world.kept(Hits)].map(([name, { count }]) => [name, count])),
      paths: tables<number>(PathCounts),
      ...(Object.keys(scenarios).length > 0 && { scenarios }),
    },
    collections: Object.fromEntries(await Promise.all(dumps)),
  }
}

/** Fills a new world. Throws for a collection that it does not have. */
export async function restoreSnapshot(world: World, { ordinals = {}, counters, collections }: Snapshot): Promise<void> {
  for (const [name, count] of Object.entries(counters?.rules ?? {})) world.keep(Hits, name).resume(count)
  if (counters !== undefined) world.keep(PathCounts, PATHS).load(Object.entries(counters.paths))
  world.keep(Scenarios, SCENARIOS).enter(Object.entries(counters?.scenarios ?? {}))
  world.resume(Object.entries(ordinals))
  for (const [name, dump] of Object.entries(collections)) await world.collection(name).load(dump)
}
