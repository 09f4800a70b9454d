// The changes of a collection for a listener: each as small as it can be, since every write makes one.

import { type ChangeListener, type CollectionEffect, changeOf, portableId } from '../changes.ts'
import { type Counted, Counts } from './counts.ts'
import type { Id, Row } from './types.ts'

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
