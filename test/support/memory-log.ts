// A log in memory that several readers share: replicas in one process.

import { type Append, type News, type Position, Unavailable } from '../../src/state/engine.ts'
import { MemoryReader } from './memory-reader.ts'

/** Entries since the last snapshot above which another one is worth its cost. */
const MOST_ENTRIES = 30_000
/** Entries after which another reader is asked for a snapshot, where the first one has not made it. */
const COMPACTION = 5000

export class MemoryLog {
  #name = 'log'
  #lives = 1
  #snapshot: string | undefined
  /** The position of the snapshot: the entries follow it. */
  #from = 0
  #entries: string[] = []
  #down: string | undefined
  readonly #readers = new Set<MemoryReader>()
  #members = 0
  /** The position at which a reader was asked for a snapshot last. */
  #claimed = -COMPACTION
  #notes: string[] = []
  readonly #patience: () => Promise<undefined>

  /** @param patience resolves when an answer is not waited for any longer */
  constructor(patience: () => Promise<undefined> = () => new Promise(() => {})) {
    this.#patience = patience
  }

  get store(): string {
    return 'memory'
  }

  get position(): Position {
    return { log: this.#name, at: this.#from + this.#entries.length }
  }

  /** Returns whether a reader shall make a snapshot now: one of them, as it takes each the same work. */
  claimCompaction(): boolean {
    const { at } = this.position
    const worth = this.#entries.length >= MOST_ENTRIES
    if (!worth || at < this.#claimed + COMPACTION) return false
    this.#claimed = at
    return true
  }

  /** Another reader of this log. */
  connect(): MemoryReader {
    const reader = new MemoryReader(this, this.#members++)
    this.#readers.add(reader)
    return reader
  }

  /** The log from its snapshot on. */
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
    const known = this.#snapshot === undefined ? at < this.#from : at <= this.#from
    if (log !== this.#name || known || at > this.position.at) return
    this.#entries.splice(0, at - this.#from)
    this.#from = at
    this.#snapshot = snapshot
  }

  /** Loses everything, as a flushed database does. */
  flush(): void {
    this.#lives += 1
    this.#name = `log ${this.#lives}`
    this.#snapshot = undefined
    this.#from = 0
    this.#entries = []
  }

  /** Refuses every call with a reason until it is reset. */
  fail(reason: string | undefined): void {
    this.#down = reason
    for (const reader of this.#readers) reader.tell(reason)
  }

  /** The notes that were left, oldest first. */
  get notes(): readonly string[] {
    return this.#notes
  }

  /** Keeps notes: at least the last `most` ones. */
  keep(notes: readonly string[], most: number): void {
    this.#notes.push(...notes)
    if (this.#notes.length > 2 * most) this.#notes = this.#notes.slice(-most)
  }

  /** Returns the answers of all other readers. */
  async ask(question: string, asking: MemoryReader): Promise<readonly string[]> {
    const answers = [...this.#readers].filter(reader => reader !== asking).map(reader => reader.hear(question))
    const patience = this.#patience()
    const heard = await Promise.all(answers.map(answer => Promise.race([answer, patience])))
    return heard.filter((answer): answer is string => answer !== undefined && answer !== '')
  }

  leave(reader: MemoryReader): void {
    this.#readers.delete(reader)
  }

  #check(): void {
    if (this.#down !== undefined) throw new Unavailable(this.#down)
  }
}
