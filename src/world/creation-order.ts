// The order in which the records of a collection were created: the oldest go where there are too many.

import type { Id } from './collection.ts'

/** Places of this many records that are gone are no waste worth a copy. */
const SLACK = 1024

/** Ids by the ordinals of their creation, which only grow. A clone shares them until one of the two is written to. */
export class CreationOrder {
  #ordinals: number[] = []
  /** At the places of their ordinals; nothing where a record is gone. */
  #ids: (Id | undefined)[] = []
  /** The place of the oldest. */
  #oldest = 0
  #gone = 0
  #shared = false

  /** The id of the oldest record, if there is any. */
  get oldest(): Id | undefined {
    return this.#ids[this.#oldest]
  }

  add(ordinal: number, id: Id): void {
    this.#own()
    this.#ordinals.push(ordinal)
    this.#ids.push(id)
  }

  /** Forgets a record, if it is among them. */
  delete(ordinal: number): void {
    if (this.#placeOf(ordinal) === undefined) return
    this.#own()
    this.#ids[this.#placeOf(ordinal) as number] = undefined
    this.#gone += 1
    while (this.#oldest < this.#ids.length && this.oldest === undefined) this.#oldest += 1
    if (this.#gone > SLACK + this.#ids.length / 2) this.#compact()
  }

  /** Oldest first. */
  ids(): Id[] {
    return this.#ids.filter(id => id !== undefined)
  }

  clone(): CreationOrder {
    const clone = new CreationOrder()
    clone.#ordinals = this.#ordinals
    clone.#ids = this.#ids
    clone.#oldest = this.#oldest
    clone.#gone = this.#gone
    clone.#shared = this.#shared = true
    return clone
  }

  #placeOf(ordinal: number): number | undefined {
    let [low, high] = [this.#oldest, this.#ordinals.length]
    // Mostly it is the oldest that goes.
    if (this.#ordinals[low] === ordinal) return low
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#ordinals[middle] as number) < ordinal) low = middle + 1
      else high = middle
    }
    return this.#ordinals[low] === ordinal && this.#ids[low] !== undefined ? low : undefined
  }

  #own(): void {
    if (!this.#shared) return
    this.#shared = false
    this.#compact()
  }

  #compact(): void {
    const ids = this.#ids
    this.#ordinals = this.#ordinals.filter((_, place) => ids[place] !== undefined)
    this.#ids = this.ids()
    this.#oldest = 0
    this.#gone = 0
  }
}
