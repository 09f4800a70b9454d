// The change of one record, as small as it can be: a write makes one of these, and the log and the history read it.

import type { Entry, Id } from './collection.ts'
import {
  type CollectionEffect,
  type Counters,
  portableId,
  type RowEffect,
  type WorldChange,
  type WorldEffect,
} from './effects.ts'
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
  #evicted: Row | undefined
  // One by one: a change and its counters are one object.
  #revision: number
  #next: number | bigint
  #creations: number
  #oldRevision: number
  #oldNext: number | bigint
  #oldCreations: number

  /**
   * @param row the record after the change, and `old` before it; `undefined` if there is none
   * @param evicted another record, which was evicted for this one
   */
  constructor(
    place: RecordedPlace,
    row: Row | undefined,
    old: Row | undefined,
    evicted: Row | undefined,
    now: Counted,
    before: Counted,
  ) {
    this.#place = place
    this.#row = row
    this.#old = old
    this.#evicted = evicted
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
    into.#evicted = this.#evicted
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
    const own = rowEffect(this.#id, this.#row, counters)
    const evicted = this.#evicted
    return this.#in(evicted === undefined ? own : ['rows', [own, rowEffect(evicted.id, undefined)]])
  }

  get inverse(): WorldEffect {
    const counters = [this.#oldRevision, portableId(this.#oldNext), this.#oldCreations] as const
    const own = rowEffect(this.#id, this.#old, counters)
    const evicted = this.#evicted
    // The record may have been evicted for itself.
    return this.#in(evicted === undefined ? own : ['rows', [rowEffect(evicted.id, evicted, counters), own]])
  }

  #in(effect: CollectionEffect): WorldEffect {
    return ['in', this.#place.collection, effect]
  }

  get text(): string {
    const row = this.#row
    const evicted = this.#evicted
    const { head, headOfRows } = this.#place
    if (row === undefined) {
      const counters = `[${this.#revision},${idText(this.#next)},${this.#creations}]`
      return `${head}${idText(this.#id)},null,0,0,${counters}]]]`
    }
    // A write counts as `MemoryCollection` infers it.
    const own = `${idText(row.id)},1,${row.created},${row.revision}]`
    return evicted === undefined ? `${head}${own}]]` : `${headOfRows}${own},["row",${idText(evicted.id)},null,0,0]]]]]`
  }

  get length(): number {
    const old = this.#old === undefined ? 0 : this.#old.text.length
    const evicted = this.#evicted === undefined ? 0 : this.#evicted.text.length
    return this.#row === undefined ? old + evicted : this.#row.text.length + old + evicted
  }

  get record(): string | undefined {
    return this.#row?.text
  }
}

const idText = (id: Id): string => (typeof id === 'number' ? `${id}` : JSON.stringify(portableId(id)))

/** The effect that leaves a record as it is here. */
export function rowEffect(id: Id, row: Row | undefined, counters?: Counters): RowEffect {
  const text = row === undefined ? null : row.text
  const [created, revision] = row === undefined ? [0, 0] : [row.created, row.revision]
  const effect = ['row', portableId(id), text, created, revision] as const
  return counters === undefined ? effect : [...effect, counters]
}
