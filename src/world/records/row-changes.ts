// The changes of a collection, as they are recorded: each as small as it can be, since every write makes one.

import {
  type ChangeListener,
  type CollectionEffect,
  type CollectionState,
  type Counters,
  changeOf,
  idOf,
  type PortableId,
  portableId,
  type RowEffect,
} from '../changes.ts'
import type { Rows } from './rows.ts'
import type { CollectionOptions, Dump, Id, Row } from './types.ts'
import { compareIds, fieldIn, indexKeyOf, readRecord, recordText } from './values.ts'

/** How far a collection has counted: see `Counters`. */
interface Counted {
  readonly revision: number
  readonly next: number | bigint
  readonly creations: number
}

/** The counters of a collection: each write counts, and so does each creation. */
export class Counts implements Counted {
  revision = 0
  next: number | bigint = 1
  creations = 0

  get portable(): Counters {
    return [this.revision, portableId(this.next), this.creations]
  }

  /** Copies the counts of another one. */
  copy({ revision, next, creations }: Counted): void {
    this.revision = revision
    this.next = next
    this.creations = creations
  }

  resume([revision, next, creations]: Counters): void {
    this.revision = revision
    this.next = idOf(next) as number | bigint
    this.creations = creations
  }

  /** Counts a record that another copy of the collection wrote, as that one did. @param created the ordinal; 0 for a seed */
  wrote(revision: number, created: number, id: Id | undefined): void {
    this.revision = revision
    if (created <= this.creations) return
    this.creations = created
    this.pass(id)
  }

  /** Counts on from the number that a record has as its id. */
  pass(id: Id | undefined): void {
    if (id === undefined || typeof id === 'string' || id < this.next) return
    this.next = typeof id === 'number' && id < Number.MAX_SAFE_INTEGER ? id + 1 : BigInt(id) + 1n
  }
}

/** Undoes the change of a record: puts the old one back, if there was one, and another one that was evicted for it. */
export type Restore = (id: Id, old: Row | undefined, evicted: Row | undefined, counts: Counted) => void

/** Passes the changes of a collection to a recorder. */
export class CollectionRecording {
  readonly #listener: ChangeListener
  readonly #world: string
  readonly #name: string
  /** How the text of the change of a record begins, and that of several. */
  readonly #head: string
  readonly #headOfRows: string
  /** The counters that were last recorded. */
  readonly #told = new Counts()
  readonly #restore: Restore

  /** @param counts those of the collection now */
  constructor(listener: ChangeListener, world: string, name: string, counts: Counts, restore: Restore) {
    this.#restore = restore
    this.#listener = listener
    this.#world = world
    this.#name = name
    const inCollection = `[${JSON.stringify(world)},["in",${JSON.stringify(name)},`
    this.#head = `${inCollection}["row",`
    this.#headOfRows = `${inCollection}["rows",[["row",`
    this.#told.copy(counts)
  }

  /** Must be called with the counters of each change that is not recorded. */
  follow(counts: Counts): void {
    this.#told.copy(counts)
  }

  /**
   * @param row the record after the change, and `old` before it; `undefined` if there is none
   * @param evicted another record, which was evicted for this one
   */
  tell(row: Row | undefined, old: Row | undefined, counts: Counts, evicted?: Row): void {
    const { revision, next, creations } = this.#told
    this.#listener({
      kind: 'in',
      text: this.#textOf(row, old, counts, evicted),
      record: row?.text,
      replaced: (old?.text.length ?? 0) + (evicted?.text.length ?? 0),
      undo: () => this.#restore(((row ?? old) as Row).id, old, evicted, { revision, next, creations }),
    })
    this.#told.copy(counts)
  }

  #textOf(row: Row | undefined, old: Row | undefined, counts: Counts, evicted: Row | undefined): string {
    if (row === undefined) {
      const { revision, next, creations } = counts
      return `${this.#head}${idText((old as Row).id)},null,0,0,[${revision},${idText(next)},${creations}]]]]`
    }
    // A write counts as `Counts.wrote` infers it.
    const own = `${idText(row.id)},1,${row.created},${row.revision}]`
    return evicted === undefined
      ? `${this.#head}${own}]]`
      : `${this.#headOfRows}${own},["row",${idText(evicted.id)},null,0,0]]]]]`
  }

  /** Records another change of the collection. */
  tellEffect(effect: CollectionEffect, undo: () => void): void {
    this.#listener(changeOf(this.#world, ['in', this.#name, effect], undo))
  }
}

const idText = (id: Id): string => (typeof id === 'number' ? `${id}` : JSON.stringify(portableId(id)))

// The records of a collection from and to other forms: values that another copy of the collection takes over, the changes of
// a log, seeds and dumps.

/** All records; with `base`, which they began as a fork of, only those that differ. */
export function stateOfRows(rows: Rows, { portable: counters }: Counts, base: Rows | undefined): CollectionState {
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
    return { id: indexKeyOf(value, idField, within) ?? `#${revision}`, value, text, revision, created }
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

/** Takes over one record. */
export function applyRow(
  rows: Rows,
  counts: Counts,
  { idField }: CollectionOptions,
  [, portable, text, created, revision, counters]: RowEffect,
): void {
  const id = idOf(portable)
  const old = rows.get(id)
  const row = text === null ? undefined : { id, value: readRecord(text), text, revision, created }
  if (row !== undefined) putRow(rows, row, old)
  else if (old !== undefined) rows.delete(old)
  if (counters !== undefined) counts.resume(counters)
  else if (row !== undefined) counts.wrote(revision, created, fieldIn(idField, row.value) as Id | undefined)
}

function putRow(rows: Rows, row: Row, old = rows.get(row.id)): void {
  rows.put(row, old, old === undefined && row.created > 0 && rows.isLast(row.id))
}

// --- many changes at once ----------------------------------------------------------------------------------------------

/**
 * Many changes of the records of a collection, as a log has them, which are stored at once: a tree is built instead of being
 * searched for each record. Must be ended before the collection is used otherwise.
 */
export class RowsBatch {
  readonly #rows: Rows
  readonly #counts: Counts
  readonly #recording: CollectionRecording | undefined
  /** Records as they were written; one without a text was removed. Later ones of the same id replace earlier ones. */
  #written: Row[] = []
  /** The number of records above which those that were replaced are dropped. */
  #most = 10_000

  constructor(rows: Rows, counts: Counts, recording: CollectionRecording | undefined) {
    this.#rows = rows
    this.#counts = counts
    this.#recording = recording
  }

  add([, portable, text, created, revision, counters]: RowEffect): void {
    const id = idOf(portable)
    const value = text === null ? GONE : readRecord(text)
    this.#written.push({ id, value, text: text ?? '', revision, created })
    if (counters !== undefined) this.#counts.resume(counters)
    else if (text !== null) this.#counts.wrote(revision, created, id)
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
    this.#recording?.follow(this.#counts)
  }
}

const GONE = {}
const isThere = ({ value }: Row): boolean => value !== GONE

const orderById = (a: Row, b: Row): number => compareIds(a.id, b.id)

/** Returns records in the order of their ids; of several with the same id the last one. */
function lastById(rows: Row[]): Row[] {
  if (rows.every((row, i) => i === 0 || orderById(rows[i - 1] as Row, row) < 0)) return rows
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

// --- seeds and dumps ---------------------------------------------------------------------------------------------------

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
