// Writes the records of a collection: counts each write, reserves memory for it, records it, and evicts the oldest records.

import type { JsonObject } from '../kernel/json.ts'
import { type CollectionOptions, withId } from './collection.ts'
import type { CollectionRecording } from './collection-recording.ts'
import type { Counts } from './counts.ts'
import type { Id } from './id.ts'
import { fieldIn } from './record-field.ts'
import { recordText } from './record-text.ts'
import type { Row } from './row-change.ts'
import type { Rows } from './rows.ts'

export class RowWriter {
  options: CollectionOptions
  readonly #rows: Rows
  readonly #counts: Counts
  readonly #recording: CollectionRecording
  readonly #owner: object

  /** @param owner see `Budget.reserve` */
  constructor(options: CollectionOptions, rows: Rows, counts: Counts, recording: CollectionRecording, owner: object) {
    this.options = options
    this.#rows = rows
    this.#counts = counts
    this.#recording = recording
    this.#owner = owner
  }

  /** Returns the text of a record to be stored in place of `old`. Throws `Full` if there is no memory for it. */
  textOf(value: JsonObject, old?: Row): string {
    const text = recordText(value)
    // A record that does not grow is stored wherever it fitted before.
    if (old === undefined || text.length > old.text.length) this.#rows.reserve(text, this.#owner)
    return text
  }

  /** Returns the record to be stored under a key. If its id is only a part of the key, the fields have it. */
  recordOf(key: Id, fields: JsonObject): JsonObject {
    const { idField, within } = this.options
    return within === undefined || within.length === 0 ? withId(idField, key, fields) : fields
  }

  /** Adds a record as the latest of those created. @param last see `Rows.put` */
  add(id: Id, value: JsonObject, text: string, last = false): Row {
    const counts = this.#counts
    // Ids count on from the number that a record has as its id.
    counts.pass(fieldIn(this.options.idField, value) as Id | undefined)
    const row = { id, value, text, revision: ++counts.revision, created: counts.creations }
    this.#store(row, undefined, last)
    return row
  }

  /** Replaces the fields of a record. @param forced without a check of memory */
  replace(old: Row, fields: JsonObject, forced = false): Row {
    const { id, created } = old
    const value = this.recordOf(id, fields)
    const text = forced ? recordText(value) : this.textOf(value, old)
    const row = { id, value, text, revision: ++this.#counts.revision, created }
    this.#store(row, old)
    return row
  }

  remove(row: Row): void {
    this.#counts.revision += 1
    this.#delete(row)
  }

  /** Removes the oldest of the created records where there are too many. */
  evict(): void {
    for (let oldest = this.#excess(); oldest !== undefined; oldest = this.#excess()) this.#delete(oldest)
  }

  #excess(): Row | undefined {
    return this.#rows.excess(this.options.maxRecords, this.options.maxBytes)
  }

  #store(row: Row, old: Row | undefined, last = false): void {
    this.#rows.put(row, old, last)
    const evicted = this.#excess()
    if (evicted !== undefined) this.#rows.delete(evicted)
    this.#recording.tell(row, old, this.#counts, evicted)
    // A large record may take the room of several.
    if (evicted !== undefined) this.evict()
  }

  #delete(row: Row): void {
    this.#rows.delete(row)
    this.#recording.tell(undefined, row, this.#counts)
  }
}
