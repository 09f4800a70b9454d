// Writes the JSON Schema of gateway.yaml. Loads its generator on demand, because no other command needs it.

import type { Plan } from '../plan/plan.ts'

/** The JSON Schema of gateway.yaml, with the names of a plan's contract. */
export async function describeSchema(plan: Plan | undefined): Promise<string> {
  const { publishedSchema } = await import('../plan/published-schema.ts')
  const { schemaFor } = await import('../plan/published-schema.ts')
  return `${JSON.stringify(plan === undefined ? publishedSchema() : schemaFor(plan), null, 2)}\n`
}
