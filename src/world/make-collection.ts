// The collection that a resource's options ask for, made in steps.

import type { JsonObject } from '../kernel/json.ts'
import type { Budget } from './budget.ts'
import type { Collection, CollectionOptions } from './collection.ts'
import { LivingCollection } from './living.ts'
import { MemoryCollection } from './memory.ts'

export function makeCollection(
  options: CollectionOptions,
  seeds: readonly JsonObject[] = [],
  budget?: Budget,
): Collection {
  const records = new MemoryCollection(options, [], budget)
  records.seed(seeds)
  return options.states === undefined ? records : new LivingCollection(records, options.states, options)
}

/** The same records under other options, which may give them states or take these away. */
export function adaptCollection(collection: Collection, options: CollectionOptions): Collection {
  collection.adapt(options)
  if (options.states === undefined) return collection instanceof LivingCollection ? collection.records : collection
  return collection instanceof MemoryCollection ? new LivingCollection(collection, options.states, options) : collection
}
