// Many changes of the records of a collection at once.

import type { RowChange } from '../changes.ts'
import type { Counts } from './counts.ts'
import { lastById } from './row-states.ts'
import type { Rows } from './rows.ts'
import type { Row } from './types.ts'
import { readRecord } from './values.ts'

/**
 * Many changes of the records of a collection, as a log has them, which are stored at once: a tree is built instead of being
 * searched for each record. Must be ended before the collection is used otherwise.
 */
export class RowsBatch {
  readonly #rows: Rows
  readonly #counts: Counts
  readonly #ended: () => void
  /** Records as they were written; one without a text was removed. Later ones of the same id replace earlier ones. */
  #written: Row[] = []
  /** The number of records above which those that were replaced are dropped. */
  #most = 10_000

  /** @param ended called when the records are stored */
  constructor(rows: Rows, counts: Counts, ended: () => void) {
    this.#rows = rows
    this.#counts = counts
    this.#ended = ended
  }

  add({ id, text, created, revision, counters }: RowChange): void {
    const value = text === undefined ? GONE : readRecord(text)
    this.#written.push({ id, value, text: text ?? '', revision, created })
    if (counters !== undefined) this.#counts.copy(counters)
    else if (text !== undefined) this.#counts.wrote(revision, created, id)
    if (this.#written.length <= this.#most) return
    this.#written = lastById(this.#written)
    this.#most = 2 * this.#written.length
  }

  /** Stores the records. */
  end(): void {
    const rows = this.#rows
    const written = lastById(this.#written)
    this.#written = []
    // Writing a few leaves most of the trees as they are, which forks share.
    if (written.length < rows.size) putAll(rows, written)
    else {
      const all = rows.all()
      for (const row of written) all.push(row)
      rows.fill(lastById(all).filter(isThere))
    }
    this.#ended()
  }
}

const GONE = {}
const isThere = ({ value }: Row): boolean => value !== GONE

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
