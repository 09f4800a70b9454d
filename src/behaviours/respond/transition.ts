// Refuses a write that changes a record's state along no configured edge.

import type { JsonObject } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import { allows } from '../../world/states.ts'
import type { Resource } from './resource.ts'

/** @returns `undefined` for a resource without states */
export function compileTransition({
  name,
  states,
}: Resource): ((before: JsonObject, after: JsonObject) => Reply | undefined) | undefined {
  if (states === undefined) return undefined
  const { field, from } = states
  return (before, after) => {
    if (allows(states, before[field], after[field])) return undefined
    const edges = (from.get(String(before[field])) ?? []).map(({ to }) => `"${to}"`)
    const ways = edges.length === 0 ? 'this state is final' : `it can become ${edges.join(', ')}`
    const detail = `this record of ${name} is "${before[field]}" and cannot become "${after[field]}"; ${ways}`
    return refuse(problems.conflict, detail)
  }
}
