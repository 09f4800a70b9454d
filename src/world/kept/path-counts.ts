// The numbers of requests by method and path.

import { Table } from './table.ts'

/** The key under which a world keeps them. */
export const PATHS = 'paths'

const MOST_PATHS = 100_000

/** Counts the requests of each method and path in a world. */
export class PathCounts extends Table<number> {
  #before: PathCounts | undefined

  constructor() {
    super({ max: MOST_PATHS })
  }

  protected write = Number
  protected read = Number

  /** Counts a request: 1 for the first of its path. */
  next(path: string): number {
    const count = (this.values.get(path) ?? this.#before?.values.peek(path) ?? 0) + 1
    this.set(path, count)
    return count
  }

  /** Counts on from these, which stay as they are. */
  continue(before: PathCounts): void {
    this.#before = before
  }

  load(counts: Iterable<readonly [path: string, count: number]>): void {
    for (const [path, count] of counts) this.set(path, count)
  }
}
