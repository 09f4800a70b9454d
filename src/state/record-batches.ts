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
    if (effect[0] === 'in') {
      const [, collection, own] = effect
      const rows = own[0] === 'row' ? [own] : own[0] === 'rows' ? own[1] : undefined
      if (rows !== undefined) {
        const batch = this.#of(world, collection)
        for (const row of rows) batch?.add(row)
        return batch !== undefined
      }
    }
    if (!COUNTING.has(effect[0])) this.end()
    return false
  }

  #of(world: string, collection: string): RowsBatch | undefined {
    const own = getOrMake(this.#batches, world, () => new Map())
    if (!own.has(collection)) own.set(collection, this.#worlds.peek(world)?.collections.get(collection)?.batch())
    return own.get(collection)
  }

  /** Stores what was gathered. */
  end(): void {
    for (const own of this.#batches.values()) for (const batch of own.values()) batch?.end()
    this.#batches.clear()
  }
}

/** Kinds of effects that neither read nor replace records. */
const COUNTING = new Set<Effect[0]>(['ordinal', 'kept'])
