// The counters of a collection: each write counts, and so does each creation.

import { type Counters, idOf, portableId } from './effects.ts'
import type { Id } from './id.ts'
import type { Counted } from './row-change.ts'

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
