// A log in the memory of one process: that of the primary process of several workers, and of tests.

import { AppendLine } from './append-line.ts'
import { type Append, type Engine, type News, type Position, Unavailable } from './engine.ts'
import { MemoryReader } from './memory-reader.ts'
import type { LogEnd } from './shared-files.ts'

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
  readonly #line = new AppendLine()
  #notes: string[] = []
  readonly #backing: Engine | undefined
  readonly #patience: () => Promise<undefined>
  /** Tells readers that lack nothing that they need not ask. */
  #end: LogEnd | undefined
  /** The position of the log in its backing engine. */
  #backed: Position | undefined
  /** Resolves when everything so far is as durable as the backing engine makes it. */
  #durable: Promise<unknown> = Promise.resolve()

  /**
   * @param backing also keeps the entries, so that they survive this process; used by this log only
   * @param patience resolves when an answer is not waited for any longer
   */
  constructor(backing?: Engine, patience: () => Promise<undefined> = () => new Promise(() => {})) {
    this.#backing = backing
    this.#patience = patience
    backing?.onAvailability(reason => this.fail(reason))
  }

  /** Reads the entries of the backing engine. If there is one, call this first. */
  async load(): Promise<void> {
    if (this.#backing === undefined) return
    const { anew, entries, position } = await this.#backing.open()
    this.#name = position.log
    this.#snapshot = anew?.snapshot
    this.#from = position.at - entries.length
    this.#entries = [...entries]
    this.#backed = position
  }

  /** Writes the end of the log from now on, before an append is reported. */
  showEnd(end: LogEnd): void {
    this.#end = end
    end.write(this.position.at)
  }

  /** Closes the backing engine. */
  async close(): Promise<void> {
    await this.#backing?.close()
  }

  get store(): string {
    return this.#backing?.name ?? 'memory'
  }

  get position(): Position {
    return { log: this.#name, at: this.#from + this.#entries.length }
  }

  /** Returns whether a reader shall make a snapshot now: one of them, as it takes each the same work. */
  claimCompaction(): boolean {
    const { at } = this.position
    const worth = this.#backing?.worthCompacting ?? this.#entries.length >= MOST_ENTRIES
    if (!worth || at < this.#claimed + COMPACTION) return false
    this.#claimed = at
    return true
  }

  /** Another reader of this log. @param owns whether the log is closed with it */
  connect(owns = false): MemoryReader {
    const reader = new MemoryReader(this, owns, this.#members++)
    this.#readers.add(reader)
    return reader
  }

  async open(): Promise<News> {
    await this.#durable
    return this.read()
  }

  /** The log from its snapshot on, whether it is durable or not. */
  read(): News {
    this.#check()
    return { anew: { snapshot: this.#snapshot }, entries: [...this.#entries], position: this.position }
  }

  /** Leaves out entries that are not durable yet. */
  async since(after: Position): Promise<News> {
    await this.#durable
    return this.#news(after)
  }

  #news({ log, at }: Position): News {
    this.#check()
    if (log !== this.#name || at < this.#from || at > this.position.at) return this.read()
    return { anew: undefined, entries: this.#entries.slice(at - this.#from), position: this.position }
  }

  /** As `since`, and no other reader appends before this one does, or a second has passed. */
  async reserve(after: Position, reader: MemoryReader): Promise<News> {
    await this.#line.reserve(reader)
    void this.#patience().then(() => this.#line.release(reader))
    return this.since(after)
  }

  async append(after: Position, entries: readonly string[], reader?: MemoryReader): Promise<Append> {
    await this.#line.turn(reader)
    try {
      return await this.#append(after, entries)
    } finally {
      this.#line.release(reader)
    }
  }

  async #append(after: Position, entries: readonly string[]): Promise<Append> {
    this.#check()
    const { log, at } = this.position
    if (after.log !== log || after.at !== at) {
      await this.#durable
      return { missed: this.#news(after) }
    }
    // A reader that reserved its append, and has nothing to append.
    if (entries.length === 0) return { appended: this.position }
    this.#entries.push(...entries)
    const appended = { appended: this.position }
    if (this.#backing !== undefined && this.#backed !== undefined) {
      this.#backed = { ...this.#backed, at: this.#backed.at + entries.length }
      const written = Promise.resolve(this.#backing.append(this.#backed, entries))
      this.#durable = written.catch(() => {})
      await written
    }
    // Those that came later, and wait for their write, are appended before this is acknowledged.
    this.#end?.write(appended.appended.at)
    return appended
  }

  compact({ log, at }: Position, snapshot: string): void {
    const known = this.#snapshot === undefined ? at < this.#from : at <= this.#from
    if (log !== this.#name || known || at > this.position.at) return
    this.#entries.splice(0, at - this.#from)
    this.#from = at
    this.#snapshot = snapshot
    this.#backing?.compact({ log, at }, snapshot, this.#entries).catch(() => {})
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
    this.#end?.write(reason === undefined ? this.position.at : undefined)
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
    this.#line.release(reader)
  }

  #check(): void {
    if (this.#down !== undefined) throw new Unavailable(this.#down)
  }
}
