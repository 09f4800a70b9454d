// The id of a new record where ids are not counted: a UUID, or text of the id's own form.

import type { JsonObject } from '../kernel/json.ts'
import { type CollectionOptions, withId } from './collection.ts'
import { drawUuid } from './draws.ts'
import type { Id } from './id.ts'
import { keyOf } from './key.ts'

/** How many ids are tried for a new record before none is taken to be free. */
const MOST_DRAWS = 100_000

/**
 * The next id that is drawn and that no record has, as one drawn before may have; `undefined` where ids are counted.
 *
 * @param creations how many records were created
 */
export function drawId(
  { name, seed, assign, newId, idField, within = [] }: CollectionOptions,
  creations: number,
  fields: JsonObject,
  taken: { has(key: Id): boolean },
): { id: Id; ordinal: number } | undefined {
  const make = assign === 'uuid' ? (ordinal: number): Id => drawUuid(seed, name, ordinal) : newId
  if (make === undefined) return undefined
  for (let ordinal = creations + 1; ordinal <= creations + MOST_DRAWS; ordinal++) {
    const id = make(ordinal)
    const key = within.length === 0 ? id : (keyOf(withId(idField, id, fields), idField, within) as Id)
    if (!taken.has(key)) return { id, ordinal }
  }
  throw new Error(`no free ${idField} was found for a record of ${name}`)
}
