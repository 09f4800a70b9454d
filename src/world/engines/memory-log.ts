// The engine for a history in memory: entries are neither kept nor read, and only positions count.

import { randomUUID } from 'node:crypto'
import type { Append, Engine, News, Position } from './engine.ts'

export class MemoryLog implements Engine {
  readonly name = 'memory'
  readonly requests = undefined
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

  onAvailability(): void {}

  async close(): Promise<void> {}
}
