// What of a plan cannot be split between processes: every one of them would hold a part of it.

import { behaviours } from '../behaviours/index.ts'
import type { Loaded } from './load.ts'

const REMEMBERING = behaviours.filter(({ remembers }) => remembers).map(({ name }) => name)

const isCall = ({ kind }: { readonly kind: string }): boolean => kind === 'operation'

/** The same, without a plan where there is state that several processes would have to share; the report says which. */
export function withoutSharedState(loaded: Loaded): Loaded {
  const { plan, report } = loaded
  if (plan === undefined) return loaded
  const { source } = plan.simulation
  const hint = 'serve it without --workers'
  for (const name of plan.collections.keys()) {
    const message = `several workers cannot share the records of "${name}"`
    report.error('shared-state', message, source.locate(['resources', name], 'key'), hint)
  }
  for (const { operation, chain } of plan.operations) {
    for (const { name } of chain) {
      if (!REMEMBERING.includes(name)) continue
      const message = `several workers cannot share what "${name}" of ${operation.id} remembers`
      report.error('shared-state', message, source.locate(['operations', operation.id, name], 'key'), hint)
    }
  }
  for (const { operation, rules = [] } of plan.operations) {
    if (
      !rules.some(({ when, times }) => times !== undefined || when?.roots.has('nth') || when?.references.some(isCall))
    )
      continue
    const message = `several workers cannot share what the rules of ${operation.id} count`
    report.error('shared-state', message, source.locate(['operations', operation.id, 'rules'], 'key'), hint)
  }
  return report.failed ? { ...loaded, plan: undefined } : loaded
}
