// Finds the state that requests of one plan share: several processes that serve it need Redis for it.

import { behaviours } from '../behaviours/index.ts'
import type { Plan } from '../plan/plan.ts'

const REMEMBERING = behaviours.filter(({ remembers }) => remembers).map(({ name }) => name)

const isCall = ({ kind }: { readonly kind: string }): boolean => kind === 'operation'

/** Whether requests of the plan share state: records, quotas, kept replies, counted rules. */
export const sharesState = ({ collections, operations }: Plan): boolean =>
  collections.size > 0 ||
  operations.some(
    ({ chain, rules = [] }) =>
      chain.some(({ name }) => REMEMBERING.includes(name)) ||
      rules.some(({ when, times }) => times !== undefined || when?.roots.has('nth') || when?.references.some(isCall)),
  )
