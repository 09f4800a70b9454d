// Finds the names in a filter that no request can have.

import { suggest } from '../../kernel/diagnostic.ts'
import type { Plan } from '../../plan/plan.ts'
import type { JournalView } from './all-requests.ts'
import { findUnkept } from './content.ts'
import type { RequestFilter } from './filter.ts'
import type { JournalEntry } from './kept-request.ts'

/**
 * Finds a misspelt operation or consumer, or a header or body that is not kept. Otherwise `verify?operation=typo&max=0`
 * would always pass.
 */
export function findUnknown(filter: RequestFilter, plan: Plan, journal: JournalView): string | undefined {
  const { operation, consumer } = filter
  const { consumerNames } = plan.simulation
  const operations = plan.operations.map(one => one.operation.id)
  const unknown = (
    kind: string,
    wanted: string | undefined,
    known: readonly string[],
    past: (entry: JournalEntry) => string,
  ) => {
    const items = wanted?.split(',').filter(item => item !== '' && !known.includes(item)) ?? []
    if (items.length === 0) return undefined
    const seen = new Set([...journal.each()].map(past))
    const missing = items.find(item => !seen.has(item))
    if (missing === undefined) return undefined
    const hint = suggest(missing, known)
    return `there is no ${kind} "${missing}"${hint === undefined ? '' : `; ${hint}`}`
  }
  return (
    unknown('operation', operation, operations, entry => entry.operation) ??
    (consumerNames.length === 0
      ? undefined
      : unknown('consumer', consumer, consumerNames, entry => entry.consumer ?? '')) ??
    findUnkept(filter, plan.simulation.journal)
  )
}
