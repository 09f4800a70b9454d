// How one request reads the real API: the state of its reading, and the records in the replies.

import type { Exchange, RecordOverlay } from '../../behaviours/exchange.ts'
import { asId, isId, type Resource } from '../../behaviours/resource.ts'
import type { Headers } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, memberAt, pointer } from '../../kernel/json.ts'
import type { Entry } from '../../world/records/types.ts'
import { idIn } from '../../world/records/values.ts'
import { asEntry } from './overlaid-records.ts'
import { unusable } from './read-real-api.ts'
import type { UpstreamRecords } from './upstream-records.ts'

/** A reply of the real API as JSON; no value if it has nothing there. */
export interface Answer {
  readonly value: Json | undefined
  readonly headers: Headers
  readonly age: number
}

/** Keeps the replies of the real API that one request has read, so that it sees one state of it. */
export interface StagedReading extends RecordOverlay {
  /** The age of the oldest reply that was read, in seconds. */
  readonly age: number
  /** Set for a list: `both` if the world has changed records. */
  shows: 'upstream' | 'both' | undefined
  /** Whether the responder has used the records of its resource. Another reply may have been chosen. */
  readonly isUsed: boolean
  ask(path: string, exchange: Exchange, base: UpstreamRecords): Promise<Answer>
}

/** Returns the reading of a request, inside of `sandbox`. */
export const stagingOf = ({ overlay }: Exchange): StagedReading => overlay as StagedReading

export const atPath = (path: readonly (string | number)[]): string => (path.length === 0 ? '' : ` at ${pointer(path)}`)

/** Returns the records in a list of the real API. @param items the keys of the list, and `item` those of a record in an item */
export function recordsListed(
  { value }: Answer,
  path: string,
  items: readonly string[],
  item: readonly string[],
  { idField, ids }: Resource,
): Entry[] {
  const list = value === undefined ? [] : memberAt(value, items)
  if (!Array.isArray(list)) throw unusable(path, `without a list${atPath(items)}`)
  return list.map((one: Json, i) => {
    const record = memberAt(one, item)
    const id = isObject(record) ? idIn(idField, record as JsonObject) : undefined
    if (isId(id)) return asEntry(asId(id, ids), record as JsonObject)
    throw unusable(path, `with an item without an id${atPath([...items, i, ...item])}`)
  })
}
