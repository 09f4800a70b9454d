// The records of a collection and its counters as values, which another copy of the collection takes over.

import type { CollectionOptions, Id } from './collection.ts'
import type { CollectionRecording } from './collection-recording.ts'
import type { Counts } from './counts.ts'
import { type CollectionState, idOf, type PortableId, portableId, type RowEffect } from './effects.ts'
import { keyOf } from './key.ts'
import { fieldIn } from './record-field.ts'
import { readRecord } from './record-text.ts'
import { type Row, rowEffect } from './row-change.ts'
import type { Rows } from './rows.ts'
import { lastById } from './rows-batch.ts'

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
export function becomeState(
  rows: Rows,
  counts: Counts,
  { idField, within }: CollectionOptions,
  state: CollectionState,
): void {
  const made = state.rows.map(([text, created, revision]): Row => {
    const value = readRecord(text)
    // A record may have no id, if another field is the id now.
    return { id: keyOf(value, idField, within) ?? `#${revision}`, value, text, revision, created }
  })
  if (state.whole) rows.fill(lastById(made))
  else {
    for (const id of state.gone) {
      const row = rows.get(idOf(id))
      if (row !== undefined) rows.delete(row)
    }
    if (made.length < rows.size) for (const row of made) putRow(rows, row)
    else rows.fill(lastById([...rows.all(), ...made]))
  }
  counts.resume(state.counters)
}

/** Takes over one record. Returns the effect that reverses this. */
export function applyRow(
  rows: Rows,
  counts: Counts,
  { idField }: CollectionOptions,
  [, portable, text, created, revision, counters]: RowEffect,
  recording: CollectionRecording,
): RowEffect {
  const id = idOf(portable)
  const old = rows.get(id)
  const inverse = rowEffect(id, old, counts.portable)
  const row = text === null ? undefined : { id, value: readRecord(text), text, revision, created }
  if (row !== undefined) putRow(rows, row, old)
  else if (old !== undefined) rows.delete(old)
  if (counters !== undefined) counts.resume(counters)
  else if (row !== undefined) counts.wrote(revision, created, fieldIn(idField, row.value) as Id | undefined)
  recording.follow(counts)
  return inverse
}

function putRow(rows: Rows, row: Row, old = rows.get(row.id)): void {
  rows.put(row, old, old === undefined && row.created > 0 && rows.isLast(row.id))
}
