// One reader of a log in the memory of this process.

import type { Append, Engine, News, Position } from './engine.ts'

/** A log that several readers share. */
export interface HeldLog {
  /** The name of its store. */
  readonly store: string
  readonly notes: readonly string[]
  claimCompaction(): boolean
  open(): Promise<News>
  since(after: Position): Promise<News>
  reserve(after: Position, reader: MemoryReader): Promise<News>
  append(after: Position, entries: readonly string[], reader: MemoryReader): Promise<Append>
  compact(at: Position, snapshot: string): void
  keep(notes: readonly string[], most: number): void
  ask(question: string, asking: MemoryReader): Promise<readonly string[]>
  leave(reader: MemoryReader): void
  close(): Promise<void>
}

export class MemoryReader implements Engine {
  readonly name: string
  readonly exclusive: boolean = false
  readonly member: number
  readonly #log: HeldLog
  readonly #owns: boolean
  readonly #listeners: ((reason: string | undefined) => void)[] = []
  #handler: ((question: string) => Promise<string>) | undefined

  constructor(log: HeldLog, owns: boolean, member: number) {
    this.name = log.store
    this.member = member
    this.#log = log
    this.#owns = owns
  }

  get worthCompacting(): boolean {
    return this.#log.claimCompaction()
  }

  async open(): Promise<News> {
    return this.#log.open()
  }

  endsAt(): boolean {
    return false
  }

  async since(after: Position): Promise<News> {
    return this.#log.since(after)
  }

  reserve(after: Position): Promise<News> {
    return this.#log.reserve(after, this)
  }

  async append(after: Position, entries: readonly string[]): Promise<Append> {
    return this.#log.append(after, entries, this)
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
    if (this.#owns) await this.#log.close()
  }

  /** Tells whether the log became unavailable, and why. */
  tell(reason: string | undefined): void {
    for (const listener of this.#listeners) listener(reason)
  }

  async hear(question: string): Promise<string | undefined> {
    return this.#handler?.(question)
  }
}
