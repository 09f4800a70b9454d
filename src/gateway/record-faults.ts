// The mistakes of records that somebody gives, as sentences that begin with a JSON Pointer.

import { fitsIds, type Resource, recordMistakes } from '../behaviours/resource.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import type { Dump } from '../world/records/types.ts'
import { idIn, indexKeyOf } from '../world/records/values.ts'

/** The maximum number of mistakes in a refusal; further ones are counted. */
export const MOST_FAULTS = 20

/** Returns mistakes as a sentence. */
export const describeFaults = (faults: readonly string[]): string =>
  [
    ...faults.slice(0, MOST_FAULTS),
    ...(faults.length > MOST_FAULTS ? [`and ${faults.length - MOST_FAULTS} more`] : []),
  ].join('; ')

/** The maximum number of mistakes; after it no further record is checked. */
const MOST_LOOKED_AT = 1000

/** Finds the mistakes of a collection's numbers and records, the latter together and one by one. */
export function faultsOf({ records, created = [], nextId = 1 }: Dump, resource: Resource): string[] {
  const { maxRecords, seeds, idField, within } = resource
  const most = Math.max(maxRecords, seeds.length)
  if (records.length > most) return [`/records has ${records.length} records; at most ${most} are allowed`]
  const faults: string[] = []
  // A larger number with all its digits is a bigint.
  if (typeof nextId === 'number' && !Number.isSafeInteger(nextId))
    faults.push('/nextId must be an integer with all its digits')
  const seen = new Map<Json | undefined, number>()
  for (const [i, record] of records.entries()) {
    if (faults.length > MOST_LOOKED_AT) return faults
    for (const fault of recordFaults(record, resource)) faults.push(`/records/${i}${fault}`)
    const id = indexKeyOf(record as JsonObject, idField, within)
    const twin = seen.get(id)
    if (twin !== undefined && id !== undefined)
      faults.push(`/records/${i}/${idField} is a duplicate of /records/${twin}`)
    seen.set(id, i)
  }
  for (const [i, id] of created.entries()) {
    if (faults.length > MOST_LOOKED_AT) return faults
    if (!seen.has(id)) faults.push(`/created/${i} must be the id of a record`)
  }
  if (new Set(created).size < created.length) faults.push('/created must not contain duplicate ids')
  return faults
}

/** Finds the mistakes of a record, including its id. */
export function recordFaults(record: JsonObject, resource: Resource): string[] {
  const faults = recordMistakes(resource, record) ?? []
  const id = idIn(resource.idField, record as JsonObject)
  if (fitsIds(id, resource) || faults.some(fault => fault.startsWith(`/${resource.idField} `))) return faults
  return [...faults, `/${resource.idField} must be ${resource.ids === 'text' ? 'text' : 'an integer'}`]
}
