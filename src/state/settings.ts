// The settings of the state, once checked: which engine keeps it, and how.

import type { Engine } from './engines/engine.ts'
import type { Surroundings } from './surroundings.ts'

export interface EngineSettings {
  /** Whether several processes share the state. */
  readonly isShared: boolean
  /** Returns the engine, which is not opened yet. @param switches those of `serve` */
  make(around: Surroundings, switches: ReadonlySet<string>): Promise<Engine>
}

export interface StateSettings {
  readonly engine: EngineSettings
  /** Whether a request reads the changes of other processes from the engine before it is answered. */
  readonly reads: 'strong' | 'local'
  /** The records of a resource whose seeds are others than those that the state began with. */
  readonly onSeedChange: 'keep' | 'reset'
}
