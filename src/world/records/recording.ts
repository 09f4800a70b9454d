// The changes of a collection, as they are recorded: each as small as it can be, since every write makes one.

import {
  type Change,
  type CollectionEffect,
  type Counters,
  changeOf,
  idOf,
  portableId,
  type Recorder,
} from '../changes.ts'
import type { Entry, Id } from './types.ts'

/** A stored record. `created` is 0 for a seed, else the ordinal of its creation: the order in which records are given up. */
export interface Row extends Entry {
  readonly created: number
}

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
    if ((typeof id === 'number' || typeof id === 'bigint') && id >= this.next) this.next = successor(id)
  }
}

const successor = (id: number | bigint): number | bigint => {
  if (typeof id === 'bigint') return id + 1n
  return id < Number.MAX_SAFE_INTEGER ? id + 1 : BigInt(id) + 1n
}

/** Undoes the change of a record: puts the old one back, if there was one, and another one that was evicted for it. */
type Restore = (id: Id, old: Row | undefined, evicted: Row | undefined, counts: Counted) => void

/** Passes the changes of a collection to a recorder. */
export class CollectionRecording {
  #recorder: Recorder | undefined
  #world = ''
  #name = ''
  /** How the text of the change of a record begins, and that of several. */
  #head = ''
  #headOfRows = ''
  /** The counters that were last recorded. */
  readonly #told = new Counts()
  readonly #restore: Restore

  constructor(restore: Restore) {
    this.#restore = restore
  }

  /** Whether there is a recorder. */
  get attached(): boolean {
    return this.#recorder !== undefined
  }

  attach(recorder: Recorder | undefined, world: string, name: string): void {
    this.#recorder = recorder
    this.#world = world
    this.#name = name
    const inCollection = `[${JSON.stringify(world)},["in",${JSON.stringify(name)},`
    this.#head = `${inCollection}["row",`
    this.#headOfRows = `${inCollection}["rows",[["row",`
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
    if (this.#recorder === undefined) return
    const text = this.#textOf(row, old, counts, evicted)
    this.#recorder.record(new RowChange(this.#world, text, row, old, evicted, this.#told, this.#restore))
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
    this.#recorder?.record(changeOf(this.#world, ['in', this.#name, effect], undo))
  }
}

class RowChange implements Change {
  readonly world: string
  readonly kind = 'in'
  readonly text: string
  readonly #row: Row | undefined
  readonly #old: Row | undefined
  readonly #evicted: Row | undefined
  // One by one: a change and its counters are one object.
  readonly revision: number
  readonly next: number | bigint
  readonly creations: number
  readonly #restore: Restore

  constructor(
    world: string,
    text: string,
    row: Row | undefined,
    old: Row | undefined,
    evicted: Row | undefined,
    { revision, next, creations }: Counted,
    restore: Restore,
  ) {
    this.world = world
    this.text = text
    this.#row = row
    this.#old = old
    this.#evicted = evicted
    this.revision = revision
    this.next = next
    this.creations = creations
    this.#restore = restore
  }

  get record(): string | undefined {
    return this.#row?.text
  }

  get replaced(): number {
    return (this.#old?.text.length ?? 0) + (this.#evicted?.text.length ?? 0)
  }

  undo(): void {
    this.#restore(((this.#row ?? this.#old) as Row).id, this.#old, this.#evicted, this)
  }
}

const idText = (id: Id): string => (typeof id === 'number' ? `${id}` : JSON.stringify(portableId(id)))
