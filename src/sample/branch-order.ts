// The order in which the branches of a union are tried.

import { isObject } from '../kernel/value/json.ts'
import type { Chance } from './chance.ts'

/**
 * Sorts branches: in the order of the document, then `null`, then those that begin a cycle, then those that contradict
 * pins. `chance` rotates those of the first kind at random.
 */
export function orderBranches(
  branches: readonly unknown[],
  denied: (branch: unknown) => boolean,
  circles: (branch: unknown) => boolean,
  chance: Chance | undefined,
): readonly unknown[] {
  const rank = (branch: unknown) => (denied(branch) ? 3 : circles(branch) ? 2 : isNull(branch) ? 1 : 0)
  if (branches.length < 2) return branches
  const ranks = branches.map(rank)
  const order = [0, 1, 2, 3].flatMap(wanted => branches.filter((_, i) => ranks[i] === wanted))
  if (chance === undefined) return order
  const values = order.slice(0, ranks.filter(one => one === 0).length)
  const shift = values.length === 0 ? 0 : chance.between(0, values.length - 1)
  return [...values.slice(shift), ...values.slice(0, shift), ...order.slice(values.length)]
}

const isNull = (schema: unknown): boolean => isObject(schema) && schema.type === 'null'
