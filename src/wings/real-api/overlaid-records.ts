// The records of a world over those of a server: what the world has changed, how the collection of the world says so, and the
// server's list with the changes laid over it. Knows nothing of HTTP.

import { isObject, type JsonObject } from '../../kernel/json.ts'
import { selects } from '../../world/records/rows.ts'
import type { Entry, Id, Query, SortOrder } from '../../world/records/types.ts'
import { arrange, compareBy, compareIds, DELETED, isDeleted, recordText } from '../../world/records/values.ts'

/** The field of a changed record with the record as the server had it. No reply shows it: see `Resource.unshown`. */
const BEFORE = '{upstream}'
export const MARKS = [BEFORE, DELETED] as const

/** The change of a world to a record. */
export interface OwnChange {
  readonly id: Id
  /** The record; `undefined` if it is deleted. */
  readonly entry: Entry | undefined
  /** The record as the server had it; `undefined` if it is new. */
  readonly before: Entry | undefined
}

export function changeIn(entry: Entry): OwnChange {
  const { id, revision, value } = entry
  if (!hasMarks(value)) return { id, entry, before: undefined }
  const { [BEFORE]: before, [DELETED]: _, ...fields } = value
  const own = asEntry(id, fields, revision)
  if (isDeleted(value)) return { id, entry: undefined, before: own }
  return { id, entry: own, before: isObject(before) ? asEntry(id, before as JsonObject) : undefined }
}

/** Returns what a world has made of the records of a server, in the order of their ids. */
export function changesIn(own: { readonly size: number; entries(): Iterable<Entry> }): OwnChange[] {
  // Records may have to go to their next states.
  return own.size === 0 ? [] : [...own.entries()].map(changeIn)
}

/** @param revision 0 for a record of the server */
export const asEntry = (id: Id, value: JsonObject, revision = 0): Entry => ({
  id,
  value,
  text: recordText(value),
  revision,
})

/** Returns a record as the world has it now, to be stored. @param before as the server had it, if it did */
export const markChanged = (fields: JsonObject, before: JsonObject | undefined): JsonObject =>
  before === undefined ? withoutMarks(fields) : { ...withoutMarks(fields), [BEFORE]: before }

/** Returns a record of the server as deleted, to be stored. */
export const markDeleted = (before: JsonObject): JsonObject => ({ ...withoutMarks(before), [DELETED]: true })

const hasMarks = (record: JsonObject): boolean => MARKS.some(mark => Object.hasOwn(record, mark))

function withoutMarks(record: JsonObject): JsonObject {
  if (!hasMarks(record)) return record
  const { [BEFORE]: _, [DELETED]: __, ...fields } = record
  return fields
}

/** A list of a server, or a part of it, with the changes of a world. */
export interface Laid {
  readonly rows: readonly Entry[]
  /** How many records more the whole list has than that of the server; exact if the server's filters are ours. */
  readonly more: number
  /** A sentence about records that could not be placed exactly. */
  readonly doubt: string | undefined
}

/**
 * Lays the changes of a world over records of a server, which are in the server's order: deleted records are left out, changed
 * ones replaced, and new ones inserted where the sort order puts them. A record that keeps its place in the order keeps it in the
 * list, too.
 *
 * @param changes in the order of their ids
 * @param ends whether the server's records begin and end its list
 */
export function layOver(
  theirs: readonly Entry[],
  changes: readonly OwnChange[],
  query: Query,
  ends: { readonly first: boolean; readonly last: boolean },
): Laid {
  const selected = (entries: readonly (Entry | undefined)[]): Entry[] => {
    const own = entries.filter(one => one !== undefined).filter(one => query.filters.every(each => selects(each, one)))
    return arrange(own, { ...query, sort: undefined })
  }
  const ours = selected(changes.map(({ entry }) => entry))
  const more = ours.length - selected(changes.map(({ before }) => before)).length
  const changed = new Map(changes.map(change => [String(change.id), change]))
  const chosen = new Map(ours.map(entry => [String(entry.id), entry]))
  const compare = orderOf(theirs, query.sort)
  const rows: Entry[] = []
  for (const record of theirs) {
    const key = String(record.id)
    if (!changed.has(key)) rows.push(record)
    const entry = chosen.get(key)
    if (entry === undefined || (compare !== undefined && compare(record, entry) !== 0)) continue
    rows.push(entry)
    chosen.delete(key)
  }
  const left = [...chosen.values()]
  if (compare === undefined) {
    const doubt =
      left.length === 0 ? undefined : 'upstream lists in an unknown order: what the world added is at the end'
    return { rows: ends.last ? [...rows, ...left] : rows, more, doubt }
  }
  return { rows: merge(rows, left.toSorted(compare), compare, theirs[0], ends), more, doubt: undefined }
}

type Compare = (a: Entry, b: Entry) => number

/** Returns the order that records of a server are in: as it was asked for, with equals by their ids or not; `undefined` if none. */
function orderOf(theirs: readonly Entry[], sort: readonly SortOrder[] = []): Compare | undefined {
  const byFields = compareBy(sort)
  const orders: Compare[] = [
    (a, b) => byFields(a, b) || compareIds(a.id, b.id),
    (a, b) => byFields(a, b) || compareIds(b.id, a.id),
  ]
  if (sort.length > 0) orders.push(byFields)
  return orders.find(order => theirs.every((one, i) => i === 0 || order(theirs[i - 1] as Entry, one) <= 0))
}

/** @param first the first record of the server, before the changes */
function merge(
  rows: readonly Entry[],
  added: readonly Entry[],
  compare: Compare,
  first: Entry | undefined,
  ends: { readonly first: boolean; readonly last: boolean },
): readonly Entry[] {
  const isBefore = (one: Entry) => !ends.first && first !== undefined && compare(one, first) < 0
  const left = added.filter(one => !isBefore(one))
  const merged: Entry[] = []
  let at = 0
  for (const row of rows) {
    for (; at < left.length && compare(left[at] as Entry, row) < 0; at++) merged.push(left[at] as Entry)
    merged.push(row)
  }
  return ends.last ? [...merged, ...left.slice(at)] : merged
}
