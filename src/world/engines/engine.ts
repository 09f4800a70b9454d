// The interface of an engine: a log of texts that one process or several append to. An engine knows entries and positions,
// and is independent of worlds. `conformance.ts` in its tests checks one.

import type { Leaving } from '../../kernel/http.ts'

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

/** This process cannot use the state, and waiting does not help. The message has the reason and the remedy. */
export class StateRefused extends Error {
  override readonly name: string = 'StateRefused'
}

/** The engine cannot be reached, or cannot write. Calls reject with it at once while it lasts; no queue grows. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

// --- the settings of an engine, once checked ---------------------------------------------------------------------------

export interface FileSettings {
  readonly kind: 'file'
  /** An absolute path. */
  readonly file: string
  /** Milliseconds between two writes to the disk: 0 writes before each reply. */
  readonly sync: number
  /** Whether a damaged line in the middle, and all after it, may be dropped. */
  readonly recover: boolean
}

export interface RedisSettings {
  readonly kind: 'redis'
  /** `redis://` or `rediss://`, perhaps with a user and a password: never to be shown. */
  readonly url: string
  /** All keys begin with it. */
  readonly prefix: string
}

/** `memory`: no log is kept, for a history in memory. */
export type EngineSettings = FileSettings | RedisSettings | { readonly kind: 'memory' }

/**
 * A process: its id, its machine, and since when it runs. `mark` tells it from a later process of the same id; it is empty
 * where the system does not say.
 */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  readonly started: string
  readonly mark?: string
}

/** The program around an engine: its identity, time and log. */
export interface EngineSurroundings {
  /** This process. */
  readonly owner: ProcessIdentity
  /** Whether that process of this machine still runs: the same one, and not a later one with its id. */
  isRunning(owner: ProcessIdentity): boolean
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls a task again and again until the answer is called; does not keep the process alive. */
  every(milliseconds: number, task: () => void): () => void
  /** Lets everything else that is waiting run first. */
  breathe(): Promise<void>
  /** Waits; ends early when the signal aborts. */
  sleep(milliseconds: number, signal?: Leaving): Promise<void>
  warn(message: string, fields?: object): void
}

export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly database: number
  readonly username: string | undefined
  readonly password: string | undefined
}

/** Reads `redis://user:password@host:6379/0`; `undefined` for text that is not such a URL. */
export function parseRedisUrl(url: string): RedisAddress | undefined {
  try {
    const { protocol, hostname, port, pathname, username, password } = new URL(url)
    const database = Number(pathname.slice(1))
    if (!/^rediss?:$/.test(protocol) || hostname === '' || !Number.isInteger(database) || database < 0) return undefined
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? 6379 : Number(port),
      tls: protocol === 'rediss:',
      database,
      username: decodeURIComponent(username) || undefined,
      password: decodeURIComponent(password) || undefined,
    }
  } catch {
    // The error of `URL` contains the text, including the password.
    return undefined
  }
}
