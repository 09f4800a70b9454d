// Makes the records of a collection from seeds or a dump.

import type { JsonObject } from '../kernel/json.ts'
import { takingTurns } from './clock.ts'
import type { CollectionOptions, Dump, Id } from './collection.ts'
import type { Counts } from './counts.ts'
import { keyOf } from './key.ts'
import { fieldIn } from './record-field.ts'
import { recordText } from './record-text.ts'
import { Rows } from './rows.ts'

export const dumpOf = (rows: Rows, { next, creations }: Counts): Dump => ({
  records: rows.all().map(({ value }) => value),
  created: rows.created(),
  nextId: next,
  creations,
})

/** Records that are stored at once: each may have a megabyte. */
const FEW = 10

/** Makes the records of a dump, in slices, and counts them. */
export async function rowsOf(dump: Dump, options: CollectionOptions, counts: Counts): Promise<Rows> {
  const { records, created = [], nextId = 1, creations = 0 } = dump
  counts.next = nextId
  counts.creations = Math.max(creations, created.length)
  const first = counts.creations - created.length + 1
  const ordinals = new Map(created.map((id, i) => [id, first + i]))
  const rows = Rows.withIndexes(options.indexed)
  const turn = takingTurns()
  for (let from = 0; from < records.length; from += FEW) {
    await turn()
    fillRows(rows, counts, options, records.slice(from, from + FEW), ordinals)
  }
  return rows
}

/** @param created the ordinals of records that are not seeds */
export function fillRows(
  rows: Rows,
  counts: Counts,
  { idField, within }: CollectionOptions,
  records: readonly JsonObject[],
  created: ReadonlyMap<Id, number> = new Map(),
): void {
  for (const value of records) {
    const id = keyOf(value, idField, within) as Id
    const row = { id, value, text: recordText(value), revision: ++counts.revision, created: created.get(id) ?? 0 }
    rows.put(row, undefined)
    counts.pass(fieldIn(idField, value) as Id | undefined)
  }
}

/** Keeps every record under the key that the options give it now; one that has no id stays under its own. */
export function renameRows(rows: Rows, { idField, within }: CollectionOptions): void {
  const all = rows.all()
  for (const row of all) rows.delete(row)
  for (const row of all) {
    const id = keyOf(row.value, idField, within) ?? row.id
    rows.put({ ...row, id }, rows.get(id))
  }
}
