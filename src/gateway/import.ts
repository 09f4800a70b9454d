// Makes a world from a snapshot: checks it completely against the plan, fills a new world, and then puts it in place.

import { check, type Resource } from '../behaviours/resource.ts'
import { suggest } from '../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { Plan } from '../plan/plan.ts'
import { breathe, SLICE, takingTurns } from '../world/clock.ts'
import { type Dump, idIn } from '../world/collection.ts'
import { keyOf } from '../world/key.ts'
import { restoreSnapshot, type Snapshot } from '../world/snapshot.ts'
import type { World } from '../world/world.ts'
import { type ClockChange, readClockChange } from '../world/world-clock.ts'
import type { Worlds } from './worlds/worlds.ts'

const MOST_FAULTS = 20
/** Records that are checked at once: each may have a megabyte. */
const FEW = 10
/** The maximum number of mistakes; after it no further record is checked. */
const MOST_LOOKED_AT = 1000

/**
 * Looks for unknown collections in a snapshot that was not checked, in steps: checking a hundred thousand of them takes long.
 * Returns the mistakes if there are more than a refusal describes.
 */
export function findManyUnknown(plan: Plan, snapshot: unknown): readonly string[] | undefined {
  const collections = isObject(snapshot) && isObject(snapshot.collections) ? snapshot.collections : {}
  const faults: string[] = []
  let count = 0
  for (const name of Object.keys(collections)) {
    if (plan.collections.has(name)) continue
    if (faults.length < MOST_FAULTS) faults.push(unknownFault(name, plan))
    count += 1
  }
  return count > MOST_FAULTS ? [...faults, `and ${count - MOST_FAULTS} more`] : undefined
}

function unknownFault(name: string, plan: Plan): string {
  const hint = suggest(name, plan.collections.keys())
  return `/collections/${name} is not a resource${hint === undefined ? '' : `; ${hint}`}`
}

/** Returns a world for `put`, or the mistakes as sentences that begin with a JSON Pointer. */
export async function importSnapshot(
  worlds: Worlds,
  plan: Plan,
  name: string,
  snapshot: Snapshot,
): Promise<World | string[]> {
  const world = worlds.blank(name)
  const faults: string[] = []
  let change: ClockChange | string | undefined
  if (snapshot.clock !== undefined) {
    change = readClockChange(snapshot.clock, world.clock)
    if (typeof change === 'string') faults.push(`/clock ${change}`)
  }
  for (const [i, [resource, dump]] of Object.entries(snapshot.collections).entries()) {
    if (i > 0 && i % SLICE === 0) await breathe()
    const found = plan.collections.get(resource)
    if (found === undefined) faults.push(unknownFault(resource, plan))
    else for (const fault of await faultsOf(dump, found.resource)) faults.push(`/collections/${resource}${fault}`)
  }
  if (faults.length > MOST_FAULTS) return [...faults.slice(0, MOST_FAULTS), `and ${faults.length - MOST_FAULTS} more`]
  if (faults.length > 0) return faults
  if (typeof change === 'object') world.clock.adjust(change)
  await restoreSnapshot(world, snapshot)
  return world
}

/** Finds the mistakes of a collection's numbers and records, the latter together and one by one, in slices. */
export async function faultsOf({ records, created = [], nextId = 1 }: Dump, resource: Resource): Promise<string[]> {
  const { maxRecords, seeds, idField, within } = resource
  const most = Math.max(maxRecords, seeds.length)
  if (records.length > most) return [`/records has ${records.length} records; at most ${most} are allowed`]
  const faults: string[] = []
  // A larger number with all its digits is a bigint.
  if (typeof nextId === 'number' && !Number.isSafeInteger(nextId))
    faults.push('/nextId must be an integer with all its digits')
  const seen = new Map<Json | undefined, number>()
  const turn = takingTurns()
  for (const [i, record] of records.entries()) {
    if (i % FEW === 0) await turn()
    if (faults.length > MOST_LOOKED_AT) return faults
    for (const fault of recordFaults(record, resource)) faults.push(`/records/${i}${fault}`)
    const id = keyOf(record as JsonObject, idField, within)
    const twin = seen.get(id)
    if (twin !== undefined && id !== undefined)
      faults.push(`/records/${i}/${idField} is a duplicate of /records/${twin}`)
    seen.set(id, i)
  }
  for (const [i, id] of created.entries()) {
    if (i % SLICE === 0) await turn()
    if (!seen.has(id)) faults.push(`/created/${i} must be the id of a record`)
    if (faults.length > MOST_LOOKED_AT) return faults
  }
  if (new Set(created).size < created.length) faults.push('/created must not contain duplicate ids')
  return faults
}

/** Finds the mistakes of a record, including its id. */
export function recordFaults(record: JsonObject, resource: Resource): string[] {
  const faults = check(resource, record) ?? []
  const id = idIn(resource.idField, record as JsonObject)
  const fits = resource.ids === 'text' ? typeof id === 'string' : typeof id === 'number' || typeof id === 'bigint'
  if (fits || faults.some(fault => fault.startsWith(`/${resource.idField} `))) return faults
  return [...faults, `/${resource.idField} must be ${resource.ids === 'text' ? 'text' : 'an integer'}`]
}
