// The effects that lead a world back: of the inverses of many changes only those that decide, since an older state of the same
// thing replaces a newer one.

import type { CollectionEffect, Counters, RowEffect } from '../../world/effects.ts'
import type { Effect } from './changes.ts'

type Inner<Kind extends CollectionEffect[0]> = Extract<CollectionEffect, readonly [Kind, ...unknown[]]>

/** The inverses of one collection that decide. */
class NetCollection {
  /** Replaces all records; those of `#rows` and `#timers` are older, and replace some of them again. */
  #all: Inner<'all'> | undefined
  readonly #rows = new Map<string, RowEffect>()
  #counters: Counters | undefined
  readonly #timers = new Map<string, Inner<'timer'>>()

  add(effect: CollectionEffect): void {
    if (this.#all !== undefined) return
    switch (effect[0]) {
      case 'all':
        this.#all = effect
        break
      case 'row':
        this.#addRow(effect)
        break
      case 'rows':
        // The last one is applied last.
        for (const row of [...effect[1]].reverse()) this.#addRow(row)
        break
      case 'timer':
        addFirst(this.#timers, JSON.stringify(effect[1]), effect)
        break
      default:
        effect satisfies never
    }
  }

  #addRow([kind, id, text, created, revision, counters]: RowEffect): void {
    this.#counters ??= counters
    addFirst(this.#rows, JSON.stringify(id), [kind, id, text, created, revision])
  }

  *effects(): Iterable<CollectionEffect> {
    if (this.#all !== undefined) yield this.#all
    const rows = [...this.#rows.values()]
    const last = rows.pop()
    // The counters are set by the last one, because each record that is written counts.
    if (last !== undefined) yield ['rows', [...rows, withCounters(last, this.#counters)]]
    yield* this.#timers.values()
  }
}

export class NetInverse {
  readonly #permanent: boolean
  /** Replaces or deletes the world. */
  #whole: Effect | undefined
  readonly #collections = new Map<string, NetCollection>()
  readonly #ordinals = new Map<string, number>()
  readonly #others = new Map<string, Effect>()

  /** @param permanent whether the world is one that cannot be deleted */
  constructor(permanent: boolean) {
    this.#permanent = permanent
  }

  /** Takes the inverse of a change. To be called for the oldest change first. */
  add(inverse: Effect): void {
    if (this.#whole !== undefined) return
    switch (inverse[0]) {
      case 'put':
        this.#whole = inverse
        break
      case 'deleted':
        if (!this.#permanent) this.#whole = inverse
        break
      case 'in':
        this.#of(inverse[1]).add(inverse[2])
        break
      case 'ordinal':
        this.#ordinals.set(inverse[1], (this.#ordinals.get(inverse[1]) ?? 0) + inverse[2])
        break
      case 'kept':
        addFirst(this.#others, JSON.stringify(inverse.slice(0, 4)), inverse)
        break
      case 'answer':
        addFirst(this.#others, JSON.stringify(inverse.slice(0, 2)), inverse)
        break
      case 'clock':
      case 'weather':
        addFirst(this.#others, inverse[0], inverse)
        break
      // No inverse is of these kinds.
      case 'made':
      case 'reset':
      case 'seen':
      case 'config':
      case 'seeds':
      case 'reseed':
        break
      default:
        inverse satisfies never
    }
  }

  #of(collection: string): NetCollection {
    const known = this.#collections.get(collection)
    if (known !== undefined) return known
    const own = new NetCollection()
    this.#collections.set(collection, own)
    return own
  }

  /** The effects that lead back, in the order in which they must be applied. */
  *effects(): Iterable<Effect> {
    if (this.#whole !== undefined) yield this.#whole
    for (const [name, collection] of this.#collections) {
      for (const effect of collection.effects()) yield ['in', name, effect]
    }
    yield* this.#others.values()
    for (const [operation, more] of this.#ordinals) if (more !== 0) yield ['ordinal', operation, more]
  }
}

/** Returns the change of a record with the counters that hold after it, if there are any. */
export const withCounters = (row: RowEffect, counters: Counters | undefined): RowEffect =>
  counters === undefined ? row : [row[0], row[1], row[2], row[3], row[4], counters]

function addFirst<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!map.has(key)) map.set(key, value)
}
