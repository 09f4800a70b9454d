// The order in which the records of a collection were created: the oldest go where there are too many.

import type { Id } from './collection.ts'

/** Room for this many that are gone is no waste worth a copy. */
const SLACK = 1024

/** Ids by the ordinals of their creation, which only grow. A clone shares them until one of the two is written to. */
export class CreationOrder {
  /** By ordinal, counted from `#first`; nothing where a record is gone. */
  #ids: (Id | undefined)[] = []
  #first = 1
  /** The place of the oldest. */
  #oldest = 0
  #shared = false

  /** The id of the oldest record, if there is any. */
  get oldest(): Id | undefined {
    return this.#ids[this.#oldest]
  }

  add(ordinal: number, id: Id): void {
    this.#own()
    if (this.#ids.length === 0) this.#first = ordinal
    while (this.#first + this.#ids.length < ordinal) this.#ids.push(undefined)
    this.#ids.push(id)
  }

  /** Forgets a record; one that is not among them is none. */
  delete(ordinal: number): void {
    const place = ordinal - this.#first
    if (place < this.#oldest || place >= this.#ids.length) return
    this.#own()
    this.#ids[ordinal - this.#first] = undefined
    while (this.#oldest < this.#ids.length && this.#ids[this.#oldest] === undefined) this.#oldest += 1
    if (this.#oldest === this.#ids.length || this.#oldest > SLACK + this.#ids.length / 2) this.#trim()
  }

  /** Oldest first. */
  ids(): Id[] {
    return this.#ids.filter(id => id !== undefined)
  }

  clone(): CreationOrder {
    const clone = new CreationOrder()
    clone.#ids = this.#ids
    clone.#first = this.#first
    clone.#oldest = this.#oldest
    clone.#shared = this.#shared = true
    return clone
  }

  #own(): void {
    if (!this.#shared) return
    this.#shared = false
    this.#trim()
  }

  #trim(): void {
    this.#ids = this.#ids.slice(this.#oldest)
    this.#first += this.#oldest
    this.#oldest = 0
  }
}
