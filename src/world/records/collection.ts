// A collection of records in memory, as requests use it: assigns ids, finds out whether a record is missing or stale, and reserves
// memory for each write. "Missing" and "stale" are values.

import type { JsonObject } from '../../kernel/json.ts'
import { drawId } from '../draws.ts'
import { RecordStore } from './store.ts'
import type { Entry, Id, Page, Query, Row, Step } from './types.ts'
import { fieldIn, indexKeyOf, joinKey, recordText, withId } from './values.ts'

const ALL: readonly string[] = []

export class Collection extends RecordStore {
  get size(): number {
    this.timers?.fireDue()
    return this.rows.size
  }

  async list(query: Query): Promise<Page> {
    return this.listAtOnce(query)
  }

  listAtOnce(query: Query): Page {
    this.timers?.fireDue()
    return this.rows.page(query)
  }

  async read(id: Id): Promise<Entry | undefined> {
    return this.find(id)
  }

  /** As `read`, at once. */
  find(id: Id): Entry | undefined {
    this.timers?.fireDue()
    return this.rows.get(id)
  }

  /**
   * Stores a new record under a new id, or under the one it has where the client gives it; unless `refuse`, asked about the
   * record as it would be stored, has an answer. No id is used up then. Every write that adds to the records rejects with
   * `Full` where there is no memory for it.
   */
  async create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
    step?: Step,
  ): Promise<Entry | 'exists' | Refusal> {
    return this.createAtOnce(fields, refuse, step)
  }

  createAtOnce<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
    step?: Step,
  ): Entry | 'exists' | Refusal {
    this.timers?.fireDue()
    const { idField, assign, within = ALL } = this.options
    const { counts } = this
    const sent = assign === 'client' ? (fieldIn(idField, fields) as Id | undefined) : undefined
    const drawn =
      sent === undefined && assign !== 'sequence'
        ? drawId(this.options, counts.creations, fields, this.rows)
        : undefined
    const newId = sent ?? drawn?.id ?? (within.length === 0 ? counts.next : this.#nextWithin(within, fields))
    const record = withId(idField, newId, fields)
    const refusal = refuse?.(record)
    if (refusal !== undefined) return refusal
    const key = within.length === 0 ? newId : (indexKeyOf(record, idField, within) as Id)
    if (sent !== undefined && this.rows.has(key)) return 'exists'
    const text = this.#textOf(record)
    const ordinal = drawn?.ordinal ?? counts.creations + 1
    const isLast = sent === undefined && drawn === undefined && within.length === 0
    if (step !== undefined) return step(() => this.#add(key, record, text, ordinal, isLast))
    return this.#add(key, record, text, ordinal, isLast)
  }

  /** Returns a number after those of the records with the same owners, or without some of them. */
  #nextWithin(within: readonly string[], fields: JsonObject): number | bigint {
    let heads = ['']
    for (const field of within) {
      const owner = fieldIn(field, fields)
      // A record of every owner.
      if (owner === undefined) return this.counts.next
      heads = heads.flatMap(head => [`${head}${joinKey([owner])}/`, `${head}/`])
    }
    const owners = heads[0] as string
    let last = this.lastIds.get(owners) ?? 0
    if (last === 0) {
      for (const { value } of heads.flatMap(head => [...this.rows.under(head)])) {
        last = Math.max(last, Number(fieldIn(this.options.idField, value)))
      }
    }
    while (heads.some(head => this.rows.has(`${head}${last + 1}`))) last += 1
    this.lastIds.set(owners, last)
    return last + 1
  }

  /** Stores another value under an id; with `revision`, only if the record has not changed since. */
  async replace(id: Id, fields: JsonObject, revision?: number, step?: Step): Promise<Entry | 'missing' | 'stale'> {
    return this.replaceAtOnce(id, fields, revision, step)
  }

  replaceAtOnce(id: Id, fields: JsonObject, revision?: number, step?: Step): Entry | 'missing' | 'stale' {
    const old = this.#current(id, revision)
    if (typeof old === 'string') return old
    return step === undefined ? this.#replace(old, fields) : step(() => this.#replace(old, fields))
  }

  #replace(old: Row, fields: JsonObject): Row {
    const value = this.recordOf(old.id, fields)
    const row = this.replaceRow(old, value, this.#textOf(value, old))
    this.timers?.enter(old.id)
    return row
  }

  async remove(id: Id, revision?: number, step?: Step): Promise<'removed' | 'missing' | 'stale'> {
    return this.removeAtOnce(id, revision, step)
  }

  removeAtOnce(id: Id, revision?: number, step?: Step): 'removed' | 'missing' | 'stale' {
    const row = this.#current(id, revision)
    if (typeof row === 'string') return row
    if (step === undefined) this.#remove(row)
    else step(() => this.#remove(row))
    return 'removed'
  }

  #remove(row: Row): Row {
    this.counts.revision += 1
    this.delete(row)
    this.timers?.enter(row.id)
    return row
  }

  /** Returns the record to be written, unless it is gone or has changed since a revision. */
  #current(id: Id, revision: number | undefined): Row | 'missing' | 'stale' {
    this.timers?.fireDue()
    const row = this.rows.get(id)
    if (row === undefined) return 'missing'
    return revision !== undefined && revision !== row.revision ? 'stale' : row
  }

  /** Stores a value under an id, new or existing. */
  async put(id: Id, fields: JsonObject, step?: Step): Promise<{ readonly entry: Entry; readonly created: boolean }> {
    this.timers?.fireDue()
    const created = !this.rows.has(id)
    return { entry: step === undefined ? this.#put(id, fields) : step(() => this.#put(id, fields)), created }
  }

  #put(id: Id, fields: JsonObject): Row {
    const old = this.rows.get(id)
    if (old !== undefined) return this.#replace(old, fields)
    const value = this.recordOf(id, fields)
    return this.#add(id, value, this.#textOf(value), this.counts.creations + 1)
  }

  /** Returns the text of a record to be stored in place of `old`. Throws `Full` if there is no memory for it. */
  #textOf(value: JsonObject, old?: Row): string {
    const text = recordText(value)
    // A record that does not grow is stored wherever it fitted before.
    if (old === undefined || text.length > old.text.length) this.rows.reserve(text, this)
    return text
  }

  /** Adds a record as the latest of those created. @param ordinal that of its creation @param last see `Rows.put` */
  #add(id: Id, value: JsonObject, text: string, ordinal: number, last = false): Row {
    const { counts } = this
    counts.creations = ordinal
    // Ids count on from the number that a record has as its id.
    counts.pass(fieldIn(this.options.idField, value) as Id | undefined)
    const row = { id, value, text, revision: ++counts.revision, created: counts.creations }
    this.store(row, undefined, last)
    this.timers?.enter(id)
    return row
  }

  /** An independent copy, in constant time. */
  fork(): Collection {
    return new Collection(this.options, [], undefined, this)
  }
}
