// Makes a world from a snapshot: checks it completely against the plan, fills a new world, and then puts it in place.

import { suggest } from '../kernel/diagnostic.ts'
import { toDoubles } from '../kernel/json.ts'
import type { Plan } from '../plan/plan.ts'
import { readClockChange } from '../world/clock.ts'
import type { Dump } from '../world/records/types.ts'
import { restoreSnapshot, type Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import { faultsOf, MOST_FAULTS } from './record-faults.ts'
import { refusedSnapshot } from './refused.ts'
import type { Worlds } from './worlds/worlds.ts'

/** Returns a world for `put`, or the mistakes as sentences that begin with a JSON Pointer. */
export async function importSnapshot(
  worlds: Worlds,
  plan: Plan,
  name: string,
  sent: Snapshot,
): Promise<World | string[]> {
  const snapshot = withDoubles(sent)
  const world = worlds.blank(name)
  const change = snapshot.clock && readClockChange(snapshot.clock, world.clock)
  const faults = typeof change === 'string' ? [`/clock ${change}`] : []
  for (const [resource, dump] of Object.entries(snapshot.collections)) {
    const planned = plan.collections.get(resource)
    if (planned !== undefined) {
      for (const fault of faultsOf(dump, planned.resource)) faults.push(`/collections/${resource}${fault}`)
    } else {
      const hint = faults.length < MOST_FAULTS ? suggest(resource, plan.collections.keys()) : undefined
      faults.push(`/collections/${resource} is not a resource${hint === undefined ? '' : `; ${hint}`}`)
    }
  }
  if (faults.length > 0) return faults
  if (typeof change === 'object') world.clock.adjust(change)
  await restoreSnapshot(world, snapshot)
  return world
}

/** Replaces a world by a snapshot, or creates it; throws `Refused`, and changes nothing, if the snapshot is invalid. */
export async function putSnapshot(worlds: Worlds, name: string, snapshot: Snapshot): Promise<void> {
  const world = await importSnapshot(worlds, worlds.planOf(name), name, snapshot)
  if (Array.isArray(world)) throw refusedSnapshot(world)
  worlds.put(world)
}

/** Returns a snapshot in which only records have decimals that keep their digits: `"ordinals":{"list":1000000000000000.0}`. */
function withDoubles({ collections, ...rest }: Snapshot): Snapshot {
  const dumps = Object.entries(collections).map(([name, { records, ...numbers }]): [string, Dump] => {
    return [name, { records, ...toDoubles(numbers) }]
  })
  return { ...toDoubles(rest), collections: Object.fromEntries(dumps) }
}
