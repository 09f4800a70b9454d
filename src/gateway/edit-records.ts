// Changes of single records, which are checked by the contract before they are stored.

import { compileAccept, type Resource } from '../behaviours/resource.ts'
import { type JsonObject, parseInteger } from '../kernel/json.ts'
import { mergePatch } from '../kernel/merge-patch.ts'
import type { Collection } from '../world/records/collection.ts'
import type { Entry, Id } from '../world/records/types.ts'
import { idIn, indexKeyOf, withId } from '../world/records/values.ts'
import type { World } from '../world/world.ts'
import { recordFaults } from './record-faults.ts'
import { Refused, refusedRecord, unknownName } from './refused.ts'
import type { Worlds } from './worlds/worlds.ts'

/** A collection of a world, with the resource that its records are of. */
export interface Records {
  readonly collection: Collection
  readonly resource: Resource
}

/** Returns a collection of a world; throws `Refused` for one that its plan does not have. */
export function recordsOf(worlds: Worlds, world: World, name: string): Records {
  const { collections } = worlds.planOf(world.name)
  const planned = collections.get(name)
  if (planned === undefined) throw unknownName('collection', name, collections.keys())
  return { collection: world.collection(name), resource: planned.resource }
}

/** Stores a record under a new id, or under its id if clients assign ids. */
export async function createRecord({ collection, resource }: Records, sent: JsonObject): Promise<Entry> {
  const outcome = await collection.create(compileAccept(resource)(sent), record => {
    const faults = recordFaults(record, resource)
    return faults.length === 0 ? undefined : { faults }
  })
  if (outcome === 'exists') throw new Refused('conflict', 'a record with this id already exists')
  if ('faults' in outcome) throw refusedRecord(outcome.faults)
  return outcome
}

/** Creates or replaces the record with an id, which may be left out of the record. @param path the id as a path has it */
export async function putRecord(
  { collection, resource }: Records,
  path: string,
  sent: JsonObject,
): Promise<{ readonly entry: Entry; readonly created: boolean }> {
  const { idField, within } = resource
  const id = idInPath(path, resource)
  if (id === undefined) throw refusedRecord([`/${idField} in the path must be an integer`])
  const sentId = indexKeyOf(sent, idField, within)
  const isKeyed = within.length > 0
  if ((isKeyed || sentId !== undefined) && sentId !== id) {
    const parents = isKeyed ? `, with its /${within.join(', /')}` : ''
    throw refusedRecord([`/${idField} must be the id in the path${parents}`])
  }
  const accepted = compileAccept(resource)(sent)
  const fields = withId(idField, isKeyed ? (idIn(idField, sent) as Id) : id, accepted)
  const faults = recordFaults(fields, resource)
  if (faults.length > 0) throw refusedRecord(faults)
  return collection.put(id, fields)
}

/** Changes fields of a record, by JSON Merge Patch (RFC 7396): `null` removes a field. */
export async function patchRecord(records: Records, path: string, fields: JsonObject): Promise<Entry> {
  const { source } = records.resource
  const stored = await readRecord(records, path)
  const entry = source === undefined ? stored : source.changed(stored)
  if (entry === undefined) throw noRecord(path)
  return (await putRecord(records, path, mergePatch(entry.value, fields) as JsonObject)).entry
}

/** Returns a record as it is stored. */
export async function readRecord({ collection, resource }: Records, path: string): Promise<Entry> {
  const id = idInPath(path, resource)
  const entry = id === undefined ? undefined : await collection.read(id)
  if (entry === undefined) throw noRecord(path)
  return entry
}

/** Deletes a record. Over the real API (`base`), the world forgets its change. */
export async function removeRecord({ collection, resource }: Records, path: string): Promise<void> {
  const id = idInPath(path, resource)
  const outcome = id === undefined ? 'missing' : await collection.remove(id)
  if (outcome === 'missing') throw noRecord(path)
}

const idInPath = (text: string, { ids }: Resource): Id | undefined => (ids === 'text' ? text : parseInteger(text))

const noRecord = (id: string): Refused => new Refused('not_found', `there is no record ${id}`)
