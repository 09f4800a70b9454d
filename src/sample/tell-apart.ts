// The branches of a union that nothing tells apart: an object is made odd on purpose.

import type { Json, JsonObject } from '../kernel/json.ts'
import { Facets } from './facets.ts'
import { type Definitions, type Fitting, objectOf } from './fits.ts'

/** One value of each type. */
const ODDITIES: readonly Json[] = ['none', 1, true, null, [], {}]

/**
 * An object that fits several branches where it may fit one: with a property that only one of them allows as it is.
 * Branches that require nothing, and close nothing, cannot be told apart in any other way.
 */
export function tellApart(
  value: JsonObject,
  schemas: readonly unknown[],
  definitions: Definitions,
  fitting: Fitting,
  fits: (value: Json) => boolean,
): Json | undefined {
  let count = 0
  const known = new Map<string, unknown[]>()
  const gather = (branch: unknown): void => {
    count += 1
    const inside = new Facets(definitions, branches => branches[0])
    inside.add(branch)
    for (const { properties } of inside.schemas) {
      for (const [name, schema] of Object.entries(objectOf(properties)))
        known.set(name, [...(known.get(name) ?? []), schema])
    }
  }
  const facets = new Facets(definitions, branches => {
    if (branches.length > 1) branches.forEach(gather)
    return branches[0]
  })
  for (const schema of schemas) facets.add(schema)
  for (const [name, declared] of known) {
    for (const odd of ODDITIES) {
      const refused = declared.filter(schema => !fitting.fits(schema, odd)).length
      // Odd to some of the branches, and not to all of them.
      if (refused === 0 || refused === count) continue
      const next = { ...value, [name]: odd }
      if (fits(next)) return next
    }
  }
  return undefined
}
