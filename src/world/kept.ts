// The tables that behaviours keep in a world and that outlast a process: JSON values by key. Each tells its changes to the
// world's recorder.

import { LRUCache } from 'lru-cache'
import type { KeptChange, KeptKind, Lasting } from './changes.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { Quotas } from './quotas.ts'

/** How often a rule that has a number of times has held in a world. */
export class Hits implements Lasting {
  onChange: KeptChange | undefined = undefined
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Counts one more atomically, if that is still within `times`. */
  take(times: number): boolean {
    if (this.#count >= times) return false
    this.#count += 1
    this.onChange?.('', this.#count, this.#count - 1)
    return true
  }

  resume(count: number): void {
    const before = this.#count
    this.#count = count
    this.onChange?.('', count, before)
  }

  at(): number {
    return this.#count
  }

  restore(_: string, value: unknown): void {
    this.#count = Number(value ?? 0)
  }

  *dump(): Iterable<readonly [string, unknown]> {
    yield ['', this.#count]
  }
}

/** The key under which a world keeps them. */
export const PATHS = 'paths'

const MOST_PATHS = 100_000

/** Counts the requests of each method and path in a world. Bounded: the least recently used path is evicted. */
export class PathCounts implements Lasting {
  onChange: KeptChange | undefined = undefined
  readonly #counts = new LRUCache<string, number>({ max: MOST_PATHS })
  #before: PathCounts | undefined

  /** Counts a request: 1 for the first of its path. */
  next(path: string): number {
    const count = (this.#counts.get(path) ?? this.#before?.count(path) ?? 0) + 1
    this.#counts.set(path, count)
    this.onChange?.(path, count, count === 1 ? null : count - 1)
    return count
  }

  count(path: string): number {
    return this.#counts.peek(path) ?? 0
  }

  /** Counts on from these, which stay as they are. */
  continue(before: PathCounts): void {
    this.#before = before
  }

  /** For a snapshot, the oldest first. */
  dump(): readonly (readonly [path: string, count: number])[] {
    return [...this.#counts.entries()].reverse()
  }

  load(counts: Iterable<readonly [path: string, count: number]>): void {
    for (const [path, count] of counts) {
      const before = this.at(path)
      this.#counts.set(path, count)
      this.onChange?.(path, count, before)
    }
  }

  at(path: string): number | null {
    return this.#counts.peek(path) ?? null
  }

  restore(path: string, value: unknown): void {
    if (value === null) this.#counts.delete(path)
    else this.#counts.set(path, Number(value))
  }
}

export const LASTING: Readonly<Record<KeptKind, new () => Lasting>> = {
  hits: Hits,
  quotas: Quotas,
  keys: IdempotencyKeys,
  paths: PathCounts,
}

/** The kind of persistent kept state; `undefined` for state of this process only. */
export const kindOfKept = (kept: unknown): KeptKind | undefined =>
  (Object.keys(LASTING) as KeptKind[]).find(kind => kept instanceof LASTING[kind])
