// Counts the requests of each method and path in a world. Bounded: the least recently used path is evicted.

import { LRUCache } from 'lru-cache'
import type { KeptChange, Lasting } from './effects.ts'

/** The key under which a world keeps them. */
export const PATHS = 'paths'

const MOST_PATHS = 100_000

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
