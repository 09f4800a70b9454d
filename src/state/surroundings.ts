// The program around an engine.

import type { Leaving } from '../kernel/http.ts'

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
export interface Surroundings {
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
