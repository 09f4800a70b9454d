// Whether the entries of a log can be applied. Where not, the log says so once.

import { type Engine, StateRefused, Unavailable } from '../../state/engine.ts'
import type { Log } from '../log.ts'

export class Readable {
  /** Why the last entries could not be applied. */
  reason: string | undefined
  readonly #engine: Engine
  readonly #log: Log

  constructor(engine: Engine, log: Log) {
    this.#engine = engine
    this.#log = log
  }

  /** Applies the log at the start. Rejects with `StateRefused` if it cannot be read. */
  async begin(apply: () => Promise<void>): Promise<void> {
    try {
      await apply()
    } catch (error) {
      throw new StateRefused(`${this.#reasonOf(error)}; remove it, or use another one`, { cause: error })
    }
  }

  /** Applies later entries, and keeps the reason if they cannot be read. Never rejects. */
  async follow(apply: () => Promise<void>): Promise<void> {
    try {
      await apply()
      this.reason = undefined
    } catch (error) {
      if (error instanceof Unavailable) return
      const reason = this.#reasonOf(error)
      if (reason !== this.reason) this.#log.error({ reason }, 'the state is not available')
      this.reason = reason
    }
  }

  #reasonOf(error: unknown): string {
    return `${this.#engine.name} holds a state that cannot be read (${(error as Error).message})`
  }
}
