// Many changes of the records of a collection, as a log has them, which are stored at once: a tree is built instead of being
// searched for each record.

import { ascends, compareIds } from './arrange.ts'
import type { CollectionOptions } from './collection.ts'
import type { CollectionRecording } from './collection-recording.ts'
import type { Counts } from './counts.ts'
import { idOf, type RowBatch, type RowEffect } from './effects.ts'
import { readRecord } from './record-text.ts'
import type { Row } from './row-change.ts'
import type { Rows } from './rows.ts'

export class RowsBatch implements RowBatch {
  readonly #rows: Rows
  readonly #counts: Counts
  readonly #recording: CollectionRecording
  /** Records as they were written; one without a text was removed. Later ones of the same id replace earlier ones. */
  #written: Row[] = []
  #removes = false
  /** The number of records above which those that were replaced are dropped. */
  #most = 10_000

  private constructor(rows: Rows, counts: Counts, recording: CollectionRecording) {
    this.#rows = rows
    this.#counts = counts
    this.#recording = recording
  }

  /** Returns `undefined` for records whose ids are unique within others only: their keys do not count. */
  static of(
    rows: Rows,
    counts: Counts,
    { within = [] }: CollectionOptions,
    recording: CollectionRecording,
  ): RowsBatch | undefined {
    return within.length === 0 ? new RowsBatch(rows, counts, recording) : undefined
  }

  add(effect: RowEffect): void {
    const id = idOf(effect[1])
    const text = effect[2]
    const [created, revision, counters] = [effect[3], effect[4], effect[5]]
    if (text !== null) this.#written.push({ id, value: readRecord(text), text, revision, created })
    else {
      this.#removes = true
      this.#written.push({ id, value: GONE, text: '', revision, created })
    }
    if (counters !== undefined) this.#counts.resume(counters)
    else if (text !== null) this.#counts.wrote(revision, created, id)
    if (this.#written.length <= this.#most) return
    this.#written = lastById(this.#written)
    this.#most = 2 * this.#written.length
  }

  end(): void {
    const rows = this.#rows
    const written = lastById(this.#written)
    this.#written = []
    // Writing a few leaves most of the trees as they are, which forks share.
    if (written.length < rows.size) putAll(rows, written)
    else {
      const all = rows.all()
      for (const row of written) all.push(row)
      rows.fill(this.#removes ? lastById(all).filter(isThere) : lastById(all))
    }
    this.#removes = false
    this.#recording.follow(this.#counts)
  }
}

const GONE = {}
const isThere = ({ value }: Row): boolean => value !== GONE

const orderById = (a: Row, b: Row): number => compareIds(a.id, b.id)

/** Returns records in the order of their ids; of several with the same id the last one. */
export function lastById(rows: Row[]): Row[] {
  if (ascends(rows, orderById)) return rows
  const sorted = rows.toSorted(orderById)
  return sorted.filter(({ id }, i) => i + 1 === sorted.length || compareIds(id, (sorted[i + 1] as Row).id) !== 0)
}

/** Stores a few records. */
function putAll(rows: Rows, written: readonly Row[]): void {
  // Another one of them may have the ordinal that a record had.
  for (const row of written) {
    const old = rows.get(row.id)
    if (old !== undefined && old.created !== row.created) rows.delete(old)
  }
  for (const row of written) {
    const old = rows.get(row.id)
    if (isThere(row)) rows.put(row, old)
    else if (old !== undefined) rows.delete(old)
  }
}
