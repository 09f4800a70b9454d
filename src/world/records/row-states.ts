// The records of a collection from and to other forms: values that another copy of the collection takes over, the changes of
// a log, seeds and dumps.

import type { CollectionState, Counters, RowChange } from '../changes.ts'
import type { Counts } from './counts.ts'
import type { Rows } from './rows.ts'
import type { CollectionOptions, Dump, Id, Row } from './types.ts'
import { compareIds, fieldIn, indexKeyOf, readRecord, recordText } from './values.ts'

/** All records; with `base`, which they began as a fork of, only those that differ. */
export function stateOfRows(rows: Rows, counters: Counters, base: Rows | undefined): CollectionState {
  if (base === undefined) return { whole: true, rows: rows.all(), gone: [], counters }
  const written: Row[] = []
  const gone: Id[] = []
  rows.differFrom(
    base,
    row => void written.push(row),
    id => void gone.push(id),
  )
  return { whole: false, rows: written, gone, counters }
}

/** Takes over records: instead of all others if they are complete, else in addition. */
export function becomeState(rows: Rows, { idField, within }: CollectionOptions, state: CollectionState): void {
  const written = state.rows.map(({ text, created, revision }): Row => {
    const value = readRecord(text)
    // A record may have no id, if another field is the id now.
    return { id: indexKeyOf(value, idField, within) ?? `#${revision}`, value, text, revision, created }
  })
  if (state.whole) {
    rows.fill(lastById(written))
    return
  }
  for (const id of state.gone) {
    const row = rows.get(id)
    if (row !== undefined) rows.delete(row)
  }
  if (written.length < rows.size) for (const row of written) putRow(rows, row)
  else rows.fill(lastById([...rows.all(), ...written]))
}

/** Takes over one record. */
export function applyRow(
  rows: Rows,
  counts: Counts,
  { idField }: CollectionOptions,
  { id, text, created, revision, counters }: RowChange,
): void {
  const old = rows.get(id)
  const row = text === undefined ? undefined : { id, value: readRecord(text), text, revision, created }
  if (row !== undefined) putRow(rows, row, old)
  else if (old !== undefined) rows.delete(old)
  if (counters !== undefined) counts.copy(counters)
  else if (row !== undefined) counts.wrote(revision, created, fieldIn(idField, row.value) as Id | undefined)
}

function putRow(rows: Rows, row: Row, old = rows.get(row.id)): void {
  rows.put(row, old, old === undefined && row.created > 0 && rows.isLast(row.id))
}

const orderById = (a: Row, b: Row): number => compareIds(a.id, b.id)

/** Returns records in the order of their ids; of several with the same id the last one. */
export function lastById(rows: Row[]): Row[] {
  if (rows.every((row, i) => i === 0 || orderById(rows[i - 1] as Row, row) < 0)) return rows
  const sorted = rows.toSorted(orderById)
  return sorted.filter(({ id }, i) => i + 1 === sorted.length || compareIds(id, (sorted[i + 1] as Row).id) !== 0)
}

/** Makes the records of a dump, in the order of their ids, and counts them. */
export function rowsOf(dump: Dump, { idField, within, first: from = 1 }: CollectionOptions, counts: Counts): Row[] {
  const { records, created = [], nextId = from, creations = 0 } = dump
  counts.next = nextId
  counts.creations = Math.max(creations, created.length)
  const first = counts.creations - created.length + 1
  const ordinals = new Map(created.map((id, i) => [id, first + i]))
  const rows = records.map((value): Row => {
    const id = indexKeyOf(value, idField, within) as Id
    counts.pass(fieldIn(idField, value) as Id | undefined)
    return { id, value, text: recordText(value), revision: ++counts.revision, created: ordinals.get(id) ?? 0 }
  })
  return lastById(rows)
}

/** Keeps every record under the key that the options give it now; one that has no id stays under its own. */
export function renameRows(rows: Rows, { idField, within }: CollectionOptions): void {
  rows.fill(lastById(rows.all().map(row => ({ ...row, id: indexKeyOf(row.value, idField, within) ?? row.id }))))
}
