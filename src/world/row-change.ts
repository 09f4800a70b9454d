// The change of one record, as small as it can be: a write makes one of these, and the log and the history read it.

import type { Entry, Id } from './collection.ts'
import { type Counters, portableId, type WorldChange, type WorldEffect } from './effects.ts'
import type { RecordedPlace } from './recorded-place.ts'

/** A stored record. `created` is 0 for a seed, else the ordinal of its creation: the order in which records are given up. */
export interface Row extends Entry {
  readonly created: number
}

/** How far a collection has counted: see `Counters`. */
export interface Counted {
  readonly revision: number
  readonly next: number | bigint
  readonly creations: number
}

export class RowChange implements WorldChange {
  #place: RecordedPlace
  #row: Row | undefined
  #old: Row | undefined
  // One by one: a change and its counters are one object.
  #revision: number
  #next: number | bigint
  #creations: number
  #oldRevision: number
  #oldNext: number | bigint
  #oldCreations: number

  /** @param row the record after the change, and `old` before it; `undefined` if there is none */
  constructor(place: RecordedPlace, row: Row | undefined, old: Row | undefined, now: Counted, before: Counted) {
    this.#place = place
    this.#row = row
    this.#old = old
    this.#revision = now.revision
    this.#next = now.next
    this.#creations = now.creations
    this.#oldRevision = before.revision
    this.#oldNext = before.next
    this.#oldCreations = before.creations
  }

  keptIn(into: unknown): RowChange {
    if (!(into instanceof RowChange)) return this
    into.#place = this.#place
    into.#row = this.#row
    into.#old = this.#old
    into.#revision = this.#revision
    into.#next = this.#next
    into.#creations = this.#creations
    into.#oldRevision = this.#oldRevision
    into.#oldNext = this.#oldNext
    into.#oldCreations = this.#oldCreations
    return into
  }

  get world(): string {
    return this.#place.world
  }

  get kind(): 'in' {
    return 'in'
  }

  get #id(): Id {
    return ((this.#row ?? this.#old) as Row).id
  }

  get effect(): WorldEffect {
    const counters = [this.#revision, portableId(this.#next), this.#creations] as const
    return ['in', this.#place.collection, rowEffect(this.#id, this.#row, counters)]
  }

  get inverse(): WorldEffect {
    const counters = [this.#oldRevision, portableId(this.#oldNext), this.#oldCreations] as const
    return ['in', this.#place.collection, rowEffect(this.#id, this.#old, counters)]
  }

  get text(): string {
    const row = this.#row
    if (row !== undefined) {
      // A write counts as `MemoryCollection` infers it.
      return `${this.#place.head}${idText(row.id)},${JSON.stringify(row.text)},${row.created},${row.revision}]]]`
    }
    const counters = `[${this.#revision},${idText(this.#next)},${this.#creations}]`
    return `${this.#place.head}${idText(this.#id)},null,0,0,${counters}]]]`
  }
}

const idText = (id: Id): string => (typeof id === 'number' ? `${id}` : JSON.stringify(portableId(id)))

/** The effect that leaves a record as it is here. */
export const rowEffect = (id: Id, row: Row | undefined, counters: Counters) =>
  row === undefined
    ? (['row', portableId(id), null, 0, 0, counters] as const)
    : (['row', portableId(id), row.text, row.created, row.revision, counters] as const)
