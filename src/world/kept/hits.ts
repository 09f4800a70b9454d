// How often a rule has held.

import type { KeptChange, Lasting } from '../changes.ts'

/** How often a rule that has a number of times has held in a world. */
export class Hits implements Lasting {
  onChange: KeptChange | undefined = undefined
  count = 0

  /** Counts one more atomically, if that is still within `times`. */
  take(times: number): boolean {
    if (this.count >= times) return false
    this.count += 1
    this.onChange?.('', this.count, this.count - 1)
    return true
  }

  resume(count: number): void {
    const before = this.count
    this.count = count
    this.onChange?.('', count, before)
  }

  at(): number {
    return this.count
  }

  restore(_: string, value: unknown): void {
    this.count = Number(value ?? 0)
  }

  *dump(): Iterable<readonly [string, unknown]> {
    yield ['', this.count]
  }
}
