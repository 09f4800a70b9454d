// The operation that a request addresses: also for one that is refused before its world is known.

import type { Meeting } from '../behaviours/exchange.ts'
import type { Request } from '../kernel/request.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'
import { WORLD_NAME } from '../plan/worlds.ts'
import { findMark, type WorldAddress } from './world-mark.ts'

/** Finds the operation of a path. `HEAD` is answered like `GET` unless the contract has it (RFC 9110 §9.3.2). */
export const findOperation = (plan: Plan, method: string, path: string) =>
  plan.find(method, path) ?? (method === 'HEAD' ? plan.find('GET', path) : undefined)

/** Returns the world that a path names, if clients may name one. */
export const markIn = (path: string, { contract, simulation }: Plan): WorldAddress | undefined =>
  simulation.listen.clientControls ? findMark(path, contract.basePaths) : undefined

/** Returns the operation at the path of a refused request, and the place that its links begin with. */
export function findAddressed(
  { method, path, prefix = '' }: Request,
  plan: Plan,
): { readonly planned: PlannedOperation; readonly place: Pick<Meeting, 'basePath' | 'segments'> } | undefined {
  const marked = markIn(path, plan)
  const found = findOperation(plan, method, marked?.path ?? path)
  if (found === undefined) return undefined
  const { target, segments } = found
  // An invalid name may contain any character, and is not repeated in a header.
  const isNamed = marked !== undefined && WORLD_NAME.test(marked.name)
  const basePath = isNamed ? marked.address(target.basePath) : target.basePath
  return { planned: target.planned, place: { basePath: prefix + basePath, segments } }
}
