// A log that is never read, and so never kept: only its positions count. For a history in memory.

import { randomUUID } from 'node:crypto'
import type { Append, ExclusiveEngine, News, Position } from './engine.ts'

export class UnreadLog implements ExclusiveEngine {
  readonly name = 'memory'
  readonly exclusive = true
  readonly member = 0
  readonly worthCompacting = false
  readonly #begun: Position = { log: randomUUID(), at: 0 }

  async open(): Promise<News> {
    return { anew: { snapshot: undefined }, entries: [], position: this.#begun }
  }

  async since(after: Position): Promise<News> {
    return { anew: undefined, entries: [], position: after }
  }

  append({ log, at }: Position, entries: readonly string[]): Append {
    return { appended: { log, at: at + entries.length } }
  }

  async compact(): Promise<void> {}

  leave(): undefined {}

  async notes(): Promise<readonly string[]> {
    return []
  }

  async ask(): Promise<readonly string[]> {
    return []
  }

  answer(): void {}

  onAvailability(): void {}

  async close(): Promise<void> {}
}
