// How far a collection has counted: each write counts, and so does each creation.

import type { Counters } from '../changes.ts'
import type { Id } from './types.ts'

export class Counts implements Counters {
  revision = 0
  next: number | bigint = 1
  creations = 0

  /** The present counts. */
  get now(): Counters {
    const { revision, next, creations } = this
    return { revision, next, creations }
  }

  copy({ revision, next, creations }: Counters): void {
    this.revision = revision
    this.next = next
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
