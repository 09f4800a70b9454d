// The records of a collection and its counters as values, which another copy of the collection takes over.

import type { CollectionOptions, Id } from './collection.ts'
import type { Counts } from './counts.ts'
import { type CollectionEffect, type CollectionState, idOf, type PortableId, portableId } from './effects.ts'
import { keyOf } from './key.ts'
import { fieldIn } from './record-field.ts'
import { readRecord } from './record-text.ts'
import { type Row, rowEffect } from './row-change.ts'
import type { Rows } from './rows.ts'

/** All records; with `base`, which they began as a fork of, only those that differ. */
export function stateOf(rows: Rows, { portable: counters }: Counts, base: Rows | undefined): CollectionState {
  const kept: [string, number, number][] = []
  const keep = ({ text, created, revision }: Row): void => void kept.push([text, created, revision])
  if (base === undefined) {
    for (const row of rows.values()) keep(row)
    return { whole: true, rows: kept, gone: [], counters }
  }
  const gone: PortableId[] = []
  rows.differFrom(base, keep, id => void gone.push(portableId(id)))
  return { whole: false, rows: kept, gone, counters }
}

/** Takes over records: instead of all others if they are complete, else in addition. */
export function becomeState(rows: Rows, counts: Counts, options: CollectionOptions, state: CollectionState): void {
  if (state.whole) for (const row of rows.all()) rows.delete(row)
  for (const id of state.gone) {
    const row = rows.get(idOf(id))
    if (row !== undefined) rows.delete(row)
  }
  for (const [text, created, revision] of state.rows) {
    const id = keyOf(readRecord(text), options.idField, options.within) as Id
    setRow(rows, id, text, created, revision)
  }
  counts.resume(state.counters)
}

/** Takes over one record. Returns the effect that reverses this. */
export function applyRow(
  rows: Rows,
  counts: Counts,
  { idField }: CollectionOptions,
  [, portable, text, created, revision, counters]: Extract<CollectionEffect, readonly ['row', ...unknown[]]>,
): CollectionEffect {
  const id = idOf(portable)
  const old = rows.get(id)
  const inverse = rowEffect(id, old, counts.portable)
  const row = text === null ? undefined : setRow(rows, id, text, created, revision, old)
  if (row === undefined && old !== undefined) rows.delete(old)
  if (counters !== undefined) counts.resume(counters)
  else countWrite(counts, idField, row as Row)
  return inverse
}

/** Counts a record that another copy of the collection wrote, as `create`, `replace` and `put` do. */
function countWrite(counts: Counts, idField: string, { value, created, revision }: Row): void {
  counts.revision = revision
  if (created <= counts.creations) return
  counts.creations = created
  counts.pass(fieldIn(idField, value) as Id | undefined)
}

function setRow(rows: Rows, id: Id, text: string, created: number, revision: number, old = rows.get(id)): Row {
  const last = old === undefined && created > 0 && rows.isLast(id)
  const row = { id, value: readRecord(text), text, revision, created }
  rows.put(row, old, last)
  return row
}
