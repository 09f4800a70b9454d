// The contract as documentation of the served API: with its address, and with the additions of the gateway.

import { bundle, type DocumentPart } from '../contract/contract.ts'
import { isObject } from '../kernel/json.ts'
import { describeDay, type OperationOnADay } from '../plan/describe.ts'
import type { Plan, PlannedOperation } from '../plan/plan.ts'

/**
 * Returns the OpenAPI document that is served. `x-understudy` of an operation tells its id, its phase, its dates, and its
 * behaviours.
 *
 * @param origin the address of the API, without a base path
 * @param operations the operations as they are in the weather of this moment
 * @param time the moment, by the clock of the default world
 */
export function describeContract(
  plan: Plan,
  origin: string,
  operations: readonly PlannedOperation[],
  time: number,
): DocumentPart | undefined {
  const document = bundle(plan.contract)
  if (document === undefined) return undefined
  const days = describeDay(plan, time)
  const paths = isObject(document.paths) ? (document.paths as Record<string, DocumentPart>) : {}
  for (const planned of operations) {
    const { operation, index } = planned
    const item = paths[operation.path]
    const own = item?.[operation.method.toLowerCase()]
    if (!isObject(own)) continue
    ;(item as DocumentPart)[operation.method.toLowerCase()] = {
      ...own,
      ...(planned.deprecated ? { deprecated: true } : {}),
      'x-understudy': describeAdditions(planned, days[index]),
    }
  }
  return { ...document, servers: plan.contract.basePaths.map(path => ({ url: origin + path })) }
}

function describeAdditions({ operation, chain }: PlannedOperation, day: OperationOnADay | undefined): object {
  const { phase = 'active', refused, until, next } = day ?? {}
  return {
    operation: operation.id,
    phase,
    refused,
    until,
    next,
    behaviours: chain.map(({ name, detail }) => (detail === undefined ? name : `${name}: ${detail}`)),
  }
}
