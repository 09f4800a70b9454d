// Proposes the states of a resource's records, where actions set a field of a few values: as a comment, because which state
// leads where is a guess.

import type { Contract, Operation } from '../../contract/contract.ts'
import { describeField } from '../../contract/schema/field.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'

/** The action of an inferred operation. */
interface Inferred {
  readonly operation: Operation
  readonly resource: string
  readonly respond: Readonly<Record<string, Json>>
}

export interface ProposedStates {
  readonly field: string
  /** The state that a record begins in, and those that the actions set. */
  readonly from: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>
  /** The operations that change the state. */
  readonly because: readonly string[]
}

/** @param schema the name of the schema of the records */
export function proposeStates(
  resource: string,
  operations: readonly Inferred[],
  schema: string,
  contract: Contract,
): ProposedStates | undefined {
  const properties = contract.schemas.get(schema)?.shape.properties
  const found = new Map<string, { readonly states: string[]; readonly because: string[] }>()
  for (const { operation, resource: own, respond } of operations) {
    if (own !== resource || !isObject(respond.set)) continue
    for (const [field, value] of Object.entries(respond.set as JsonObject)) {
      // A template takes the state from the request, and names none.
      if (typeof value !== 'string' || value.includes('${')) continue
      const known = found.get(field) ?? { states: [], because: [] }
      known.states.push(value)
      known.because.push(operation.id)
      found.set(field, known)
    }
  }
  for (const [field, { states, because }] of found) {
    const node = properties?.get(field)
    if (node === undefined) continue
    const { choices, default: fallback } = describeField(field, contract.use(node))
    const first = typeof fallback === 'string' ? fallback : choices?.find(one => typeof one === 'string')
    const next = [...new Set(states)].filter(state => state !== first)
    if (typeof first !== 'string' || next.length === 0) continue
    return { field, from: { [first]: Object.fromEntries(next.map(state => [state, {}])) }, because }
  }
  return undefined
}
