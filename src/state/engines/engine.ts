// The interface of an engine: a log of texts that one process or several append to. An engine knows entries and positions,
// and is independent of worlds. `conformance.ts` in its tests checks one.

/** The end of a log, or a place in it. */
export interface Position {
  /** Names one life of the log: an engine that lost its entries (a flushed database) begins a log of another name. */
  readonly log: string
  /** How many entries the log had up to here since it began, those that a snapshot replaced included. */
  readonly at: number
}

/** Entries of a log, oldest first. */
export interface Entries extends Iterable<string> {
  readonly length: number
}

/** Brings a reader from the position that it named to the end of the log. */
export interface News {
  /**
   * Set where the entries do not continue what the reader has: at the start, after entries were compacted away, and after
   * the engine lost its log. The reader drops its state and begins with the snapshot; without one, as a new log begins.
   */
  readonly anew: { readonly snapshot: string | undefined } | undefined
  readonly entries: Entries
  /** The end of the log, after these entries. */
  readonly position: Position
}

/** `appended`: the entries are at the end of the log. `missed`: nothing was appended, because others appended before. */
export type Append = { readonly appended: Position } | { readonly missed: News }

export interface Engine {
  /** Names the engine in messages: `file ./understudy.state`. Contains no credential. */
  readonly name: string
  /** The report of a lost log, after the name; unset if there is nothing to report. */
  readonly lossNote?: string | undefined
  /** Set if other processes append to the log, too: the requests of all of them. Unset: this process never needs to read. */
  readonly requests: SharedRequests | undefined
  /** Reads the log from its snapshot to its end. To be called once, before everything else. */
  open(): Promise<News>
  /** Reads the entries after a position: none if the log ends there. */
  since(after: Position): Promise<News>
  /**
   * Appends all entries, or none, if the log still ends at `after`. Resolves once they are as durable as the settings of
   * the engine promise. Where the outcome is unknown (a connection broke), rejects with `Unavailable`; the next `since`
   * tells whether the entries are there. Returns at once where there is nothing to wait for, and throws at once while the
   * engine is known to be unavailable. The next call may come before that; without `requests` it continues from the entries
   * of this one.
   */
  append(after: Position, entries: readonly string[]): Append | Promise<Append>
  /** Whether a snapshot is worth its cost now: enough was appended since the last one. Called after each append. */
  readonly worthCompacting: boolean
  /**
   * Replaces everything up to `at` by a snapshot. Entries after it stay. Does nothing where another process put a snapshot
   * at that position, or after it, already: at the beginning of a log the first one wins.
   *
   * @param tail the entries after `at` that this process has appended, for an engine that does not keep them at hand; it grows
   * with every append until the snapshot is written
   */
  compact(at: Position, snapshot: string, tail: readonly string[]): Promise<void>
  /** Calls back when the engine becomes unavailable (with the reason) or available again (`undefined`). */
  onAvailability(listener: (reason: string | undefined) => void): void
  /** Writes entries that are not durable yet, and closes files and connections. */
  close(): Promise<void>
}

/** The last requests that the processes of one log answered, as texts: a list with a maximum length, beside the log. */
export interface SharedRequests {
  /** Numbers this process among all that ever used the log: 0 for the first one. Known once the log is open. */
  readonly member: number
  /**
   * Adds requests, oldest first, and drops the oldest of more than `most`. Once it resolved, the end of this process does
   * not lose them. Never rejects: while the engine is away this process keeps them.
   */
  add(requests: readonly string[], most: number): Promise<void>
  /** The requests of all processes, oldest first, and how many were dropped since the list was last emptied. */
  read(): Promise<{ readonly requests: readonly string[]; readonly dropped: number }>
  /** Empties the list. */
  clear(): Promise<void>
}
