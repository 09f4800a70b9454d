// The settings of the state, once checked: which engine keeps it, and how.

import type { Engine } from './engines/engine.ts'
import type { Surroundings } from './surroundings.ts'

export interface FileSettings {
  readonly kind: 'file'
  /** An absolute path. */
  readonly file: string
  /** Milliseconds between two writes to the disk: 0 writes before each reply. */
  readonly sync: number
  /** Whether a damaged line in the middle, and all after it, may be dropped. */
  readonly recover: boolean
}

/** An engine that several processes share, which a wing brings. */
export interface SharedSettings {
  readonly kind: 'shared'
  /** Returns the engine, which is not opened yet. */
  make(around: Surroundings): Promise<Engine>
}

/** `memory`: no log is kept, for a history in memory. */
export type EngineSettings = FileSettings | SharedSettings | { readonly kind: 'memory' }

export interface StateSettings {
  readonly engine: EngineSettings
  /** Whether a request reads the changes of other processes from the engine before it is answered. */
  readonly reads: 'strong' | 'local'
  /** The records of a resource whose seeds are others than those that the state began with. */
  readonly onSeedChange: 'keep' | 'reset'
}
