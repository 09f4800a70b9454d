// A log in the memory of one process: what the primary process of several workers holds, and what tests share.

import { type Append, type Engine, type News, type Position, Unavailable } from './engine.ts'

/** Entries since the last snapshot above which another one is worth its cost. */
const MOST_ENTRIES = 10_000

export class MemoryLog {
  #name: string
  #lives = 1
  #snapshot: string | undefined
  /** The position of the snapshot: the entries follow it. */
  #from = 0
  #entries: string[] = []
  #down: string | undefined
  readonly #readers = new Set<MemoryReader>()

  constructor(name = 'log') {
    this.#name = name
  }

  get position(): Position {
    return { log: this.#name, at: this.#from + this.#entries.length }
  }

  get worthCompacting(): boolean {
    return this.#entries.length >= MOST_ENTRIES
  }

  /** Another reader of this log. */
  connect(): Engine {
    const reader = new MemoryReader(this)
    this.#readers.add(reader)
    return reader
  }

  open(): News {
    this.#check()
    return { anew: { snapshot: this.#snapshot }, entries: [...this.#entries], position: this.position }
  }

  since({ log, at }: Position): News {
    this.#check()
    if (log !== this.#name || at < this.#from || at > this.position.at) return this.open()
    return { anew: undefined, entries: this.#entries.slice(at - this.#from), position: this.position }
  }

  append(after: Position, entries: readonly string[]): Append {
    this.#check()
    const { log, at } = this.position
    if (after.log !== log || after.at !== at) return { missed: this.since(after) }
    this.#entries.push(...entries)
    return { appended: this.position }
  }

  compact({ log, at }: Position, snapshot: string): void {
    if (log !== this.#name || at <= this.#from || at > this.position.at) return
    this.#entries.splice(0, at - this.#from)
    this.#from = at
    this.#snapshot = snapshot
  }

  /** Loses everything, as a flushed database does. */
  flush(): void {
    this.#lives += 1
    this.#name = `${this.#name.replace(/ \d+$/, '')} ${this.#lives}`
    this.#snapshot = undefined
    this.#from = 0
    this.#entries = []
  }

  /** Refuses every call with a reason, until told otherwise. */
  fail(reason: string | undefined): void {
    this.#down = reason
    for (const reader of this.#readers) reader.tell(reason)
  }

  /** The answers of all readers but the one that asks. */
  async ask(question: string, asking: MemoryReader): Promise<readonly string[]> {
    const answers = [...this.#readers].filter(reader => reader !== asking).map(reader => reader.hear(question))
    return (await Promise.all(answers)).filter(answer => answer !== undefined)
  }

  leave(reader: MemoryReader): void {
    this.#readers.delete(reader)
  }

  #check(): void {
    if (this.#down !== undefined) throw new Unavailable(this.#down)
  }
}

class MemoryReader implements Engine {
  readonly name = 'memory'
  readonly exclusive: boolean = false
  readonly #log: MemoryLog
  readonly #listeners: ((reason: string | undefined) => void)[] = []
  #handler: ((question: string) => Promise<string>) | undefined

  constructor(log: MemoryLog) {
    this.#log = log
  }

  get worthCompacting(): boolean {
    return this.#log.worthCompacting
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
