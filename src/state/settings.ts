// How a log is configured, once checked.

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

/** A log in memory only, for its history. */
export interface MemorySettings {
  readonly kind: 'memory'
}

export type EngineSettings = FileSettings | RedisSettings | MemorySettings

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
  /** Lets everything else that is waiting have its turn. */
  breathe(): Promise<void>
  /** Waits; ends early when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
  warn(message: string, fields?: object): void
}
