// How far a collection has counted: its revision, the next id of its sequence, and how many records were created.

import { type Counters, idOf, portableId } from '../changes.ts'
import type { Id } from './types.ts'

/** How far a collection has counted: see `Counters`. */
export interface Counted {
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
