// A log that is never read, and so never kept: only its positions count. For a history in memory.

import { randomUUID } from 'node:crypto'
import type { Append, Engine, News, Position } from './engine.ts'

export class UnreadLog implements Engine {
  readonly name = 'memory'
  readonly exclusive = true
  readonly worthCompacting = false
  #position: Position = { log: randomUUID(), at: 0 }

  async open(): Promise<News> {
    return { anew: { snapshot: undefined }, entries: [], position: this.#position }
  }

  async since(after: Position): Promise<News> {
    return { anew: undefined, entries: [], position: after }
  }

  append(_after: Position, entries: readonly string[]): Promise<Append> {
    this.#position = { log: this.#position.log, at: this.#position.at + entries.length }
    return Promise.resolve({ appended: this.#position })
  }

  async compact(): Promise<void> {}

  async ask(): Promise<readonly string[]> {
    return []
  }

  answer(): void {}

  onAvailability(): void {}

  async close(): Promise<void> {}
}
