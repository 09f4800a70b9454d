// One reader of a log in the memory of this process.

import type { Append, Engine, News, Position } from '../../src/state/engine.ts'

/** A log that several readers share. */
export interface HeldLog {
  /** The name of its store. */
  readonly store: string
  readonly notes: readonly string[]
  claimCompaction(): boolean
  open(): News
  since(after: Position): News
  append(after: Position, entries: readonly string[]): Append
  compact(at: Position, snapshot: string): void
  keep(notes: readonly string[], most: number): void
  ask(question: string, asking: MemoryReader): Promise<readonly string[]>
  leave(reader: MemoryReader): void
}

export class MemoryReader implements Engine {
  readonly name: string
  readonly exclusive: boolean = false
  readonly member: number
  readonly #log: HeldLog
  readonly #listeners: ((reason: string | undefined) => void)[] = []
  #handler: ((question: string) => Promise<string>) | undefined

  constructor(log: HeldLog, member: number) {
    this.name = log.store
    this.member = member
    this.#log = log
  }

  get worthCompacting(): boolean {
    return this.#log.claimCompaction()
  }

  async open(): Promise<News> {
    return this.#log.open()
  }

  async since(after: Position): Promise<News> {
    return this.#log.since(after)
  }

  async append(after: Position, entries: readonly string[]): Promise<Append> {
    return this.#log.append(after, entries)
  }

  async compact(at: Position, snapshot: string): Promise<void> {
    this.#log.compact(at, snapshot)
  }

  leave(note: string, most: number): undefined {
    this.#log.keep([note], most)
  }

  async notes(): Promise<readonly string[]> {
    return this.#log.notes
  }

  ask(question: string): Promise<readonly string[]> {
    return this.#log.ask(question, this)
  }

  answer(handler: (question: string) => Promise<string>): void {
    this.#handler = handler
  }

  onAvailability(listener: (reason: string | undefined) => void): void {
    this.#listeners.push(listener)
  }

  async close(): Promise<void> {
    this.#log.leave(this)
  }

  /** Tells whether the log became unavailable, and why. */
  tell(reason: string | undefined): void {
    for (const listener of this.#listeners) listener(reason)
  }

  async hear(question: string): Promise<string | undefined> {
    return this.#handler?.(question)
  }
}
