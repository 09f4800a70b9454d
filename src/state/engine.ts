// The port of a state engine: a log of texts that one process or several append to. An engine knows entries and positions,
// and is independent of worlds.

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
  /** Whether no other process can append, so that its reader never needs to read. */
  readonly exclusive: boolean
  /** Reads the log from its snapshot to its end. To be called once, before everything else. */
  open(): Promise<News>
  /** Reads the entries after a position: none if the log ends there. The caller reads once for all waiting requests. */
  since(after: Position): Promise<News>
  /**
   * Appends all entries, or none, if the log still ends at `after`. Resolves once they are as durable as the settings of
   * the engine promise. Where the outcome is unknown (a connection broke), rejects with `Unavailable`; the next `since`
   * tells whether the entries are there. Returns at once where there is nothing to wait for.
   */
  append(after: Position, entries: readonly string[]): Append | Promise<Append>
  /**
   * Replaces everything up to `at` by a snapshot. Entries after it stay. Does nothing where another process put a snapshot
   * at that position, or after it, already: at the beginning of a log the first one wins.
   *
   * @param tail the entries after `at`, for an engine that does not keep them at hand. Unset: there are none.
   */
  compact(at: Position, snapshot: string, tail?: readonly string[]): Promise<void>
  /** Whether a snapshot is worth its cost now: enough was appended since the last one. Called after each append. */
  readonly worthCompacting: boolean
  /** Numbers this process among all that ever used the log: 0 for the first or only one. Known once the log is open. */
  readonly member: number
  /**
   * Leaves a note beside the log: a text that is there for others when this process has died. Once it returned, or resolved,
   * the end of this process does not lose it. Never rejects: while the engine is away this process keeps it.
   *
   * @param most how many notes of all processes are kept at least: the last ones
   */
  leave(note: string, most: number): Promise<void> | undefined
  /** The notes of all processes, oldest first: in Redis also those of processes that run. */
  notes(): Promise<readonly string[]>
  /**
   * Sends a text to all other readers of the log, and resolves with the answers of those that are alive; waits at most 1 s.
   */
  ask(question: string): Promise<readonly string[]>
  /** Answers the questions of others. */
  answer(handler: (question: string) => Promise<string>): void
  /** Calls back when the engine becomes unavailable (with the reason) or available again (`undefined`). */
  onAvailability(listener: (reason: string | undefined) => void): void
  /** Writes entries that are not durable yet, and closes files and connections. */
  close(): Promise<void>
}

/** The text of an entry: a string, or an object that makes it, the same one each time. */
export interface Text {
  toString(): string
}

/** An engine that no other process appends to. It makes texts when it writes them: many at once take less time. */
export interface ExclusiveEngine extends Engine {
  readonly exclusive: true
  append(after: Position, entries: readonly Text[]): Append | Promise<Append>
}

export const isExclusive = (engine: Engine): engine is ExclusiveEngine => engine.exclusive

/** This process cannot use the state, and waiting does not help. The message has the reason and the remedy. */
export class StateRefused extends Error {
  override readonly name: string = 'StateRefused'
}

/** The engine cannot be reached, or cannot write. Calls reject with it at once while it lasts; no queue grows. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}
