// A log in memory that several readers share: the replicas of a test.

import type { Append, Engine, News, Position, SharedRequests } from '../../src/state/engines/engine.ts'
import { Unavailable } from '../../src/state/errors.ts'

/** Entries since the last snapshot above which another one is worth its cost. */
const MOST_ENTRIES = 30_000

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
  /** The requests of all readers, oldest first, and how many were dropped. */
  requests: string[] = []
  dropped = 0

  get position(): Position {
    return { log: this.#name, at: this.#from + this.#entries.length }
  }

  get worthCompacting(): boolean {
    return this.#entries.length >= MOST_ENTRIES
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

  /** Loses everything but the requests, as a failover may. */
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

  leave(reader: MemoryReader): void {
    this.#readers.delete(reader)
  }

  #check(): void {
    if (this.#down !== undefined) throw new Unavailable(this.#down)
  }
}

class MemoryReader implements Engine {
  readonly name = 'memory'
  readonly lossNote = 'has lost the state (was it flushed?); the state of this process is written to it'
  readonly requests: SharedRequests
  readonly #log: MemoryLog
  readonly #listeners: ((reason: string | undefined) => void)[] = []

  constructor(log: MemoryLog, member: number) {
    this.#log = log
    this.requests = {
      member,
      async add(requests, most) {
        log.requests.push(...requests)
        log.dropped += log.requests.splice(0, log.requests.length - most).length
      },
      read: async () => ({ requests: log.requests, dropped: log.dropped }),
      async clear() {
        log.requests = []
        log.dropped = 0
      },
    }
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
}
