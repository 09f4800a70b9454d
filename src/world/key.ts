// The key of a record in its collection: its id, or its id together with the values that it is unique within.

import type { Json, JsonObject } from '../kernel/json.ts'
import type { Id } from './id.ts'
import { fieldIn } from './record-field.ts'

/**
 * Returns the key of a record: its id where ids are unique among all records, else `default/web` for the id `web` within
 * `default`.
 */
export function keyOf(record: JsonObject, idField: string, within: readonly string[] = []): Id | undefined {
  const id = fieldIn(idField, record) as Id | undefined
  if (within.length === 0 || id === undefined) return id
  return joinKey([...within.map(field => fieldIn(field, record)), id])
}

/** Joins the parts of a key; one that is absent leaves its place empty. */
export const joinKey = (parts: readonly (Json | undefined)[]): string =>
  parts
    .map(part => (part === undefined || part === null ? '' : String(part).replace(/[%/]/g, encodeURIComponent)))
    .join('/')
