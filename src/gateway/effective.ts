// The configuration for display: as written and with defaults, credentials masked.

import { isObject } from '../kernel/json.ts'
import type { Plan } from '../plan/plan.ts'
import { Mask } from './mask.ts'

const MASKED = '***'
/** Keys of a consumer that are not credentials. */
const PUBLIC = new Set(['expires', 'scopes'])

export function effectiveConfiguration(plan: Plan): object {
  const { file, source, seed, listen, expose, limits, worlds, journal, consumerNames } = plan.simulation
  const mask = new Mask(plan)
  const written = masked(file, mask) as { consumers?: Record<string, Record<string, unknown>> }
  for (const consumer of Object.values(written.consumers ?? {})) {
    for (const key of Object.keys(consumer)) if (!PUBLIC.has(key)) consumer[key] = MASKED
  }
  return {
    file: source.file,
    written,
    effective: { seed, listen: { ...listen, expose }, limits, worlds, journal, consumers: consumerNames },
  }
}

/** Returns a masked copy. A key may also be in a fixed reply or an example. */
function masked(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask.text(value)
  if (Array.isArray(value)) return value.map(item => masked(item, mask))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item, mask)]))
}
