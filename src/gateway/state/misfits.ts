// Finds records of a state that do not fit the configuration: the contract may have changed since they were written.

import type { JsonObject } from '../../kernel/json.ts'
import type { Plan } from '../../plan/plan.ts'
import { breathe, SLICE } from '../../world/clock.ts'
import type { World } from '../../world/world.ts'
import { recordFaults } from '../import.ts'

/** The invalid records of a collection, and the mistakes of the first. */
export interface Misfit {
  readonly collection: string
  readonly count: number
  readonly first: string
}

export async function findMisfits(world: World, { collections }: Plan): Promise<readonly Misfit[]> {
  const found: Misfit[] = []
  for (const [collection, { resource }] of collections) {
    const { records } = await world.collection(collection).dump()
    let [count, first] = [0, '']
    for (const [i, record] of records.entries()) {
      if (i > 0 && i % SLICE === 0) await breathe()
      const [fault] = recordFaults(record as JsonObject, resource)
      if (fault === undefined) continue
      count += 1
      if (count === 1) first = `${String((record as JsonObject)[resource.idField])}${fault}`
    }
    if (count > 0) found.push({ collection, count, first })
  }
  return found
}
