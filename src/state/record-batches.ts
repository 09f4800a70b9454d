// Gathers the changes of records while many entries of a log are read.

import { getOrMake } from '../kernel/memo.ts'
import type { RowsBatch } from '../world/records/rows-batch.ts'
import type { Effect } from './effects.ts'
import type { KeptWorlds } from './host.ts'

/** Gathers the changes of records while many entries of a log are read, see `RowsBatch`. */
export class RecordBatches {
  readonly #worlds: KeptWorlds
  /** By world and collection; `undefined` for collections that take no batch. */
  readonly #batches = new Map<string, Map<string, RowsBatch | undefined>>()

  constructor(worlds: KeptWorlds) {
    this.#worlds = worlds
  }

  /** Takes the change of a record. Returns false for any other change; those that read records end the batches. */
  add(world: string, effect: Effect): boolean {
    if (effect.kind === 'in') {
      const { collection, change } = effect
      const rows = change.kind === 'row' ? [change] : change.kind === 'rows' ? change.rows : undefined
      if (rows !== undefined) {
        const batch = this.#of(world, collection)
        for (const row of rows) batch?.add(row)
        return batch !== undefined
      }
    }
    if (!COUNTING.has(effect.kind)) this.end()
    return false
  }

  #of(world: string, collection: string): RowsBatch | undefined {
    const batches = getOrMake(this.#batches, world, () => new Map())
    if (!batches.has(collection))
      batches.set(collection, this.#worlds.peek(world)?.collections.get(collection)?.batch())
    return batches.get(collection)
  }

  /** Stores what was gathered. */
  end(): void {
    for (const batches of this.#batches.values()) for (const batch of batches.values()) batch?.end()
    this.#batches.clear()
  }
}

/** Kinds of effects that neither read nor replace records. */
const COUNTING = new Set<Effect['kind']>(['ordinal', 'kept'])
