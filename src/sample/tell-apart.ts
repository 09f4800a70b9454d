// Makes a value valid for exactly one branch of a `oneOf` whose branches overlap, by adding an unusual property.

import type { Json, JsonObject } from '../kernel/json.ts'
import { Facets } from './facets.ts'
import type { Fitting } from './fits.ts'
import { type Definitions, objectOf } from './schema-parts.ts'

/** One value of each type. */
const ODDITIES: readonly Json[] = ['none', 1, true, null, [], {}]

/**
 * Returns an object that is valid for exactly one of several branches: it gets a property that only one of them allows.
 * Branches without required properties and without closed objects cannot be distinguished in any other way.
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
      // Invalid for some of the branches, and not for all of them.
      if (refused === 0 || refused === count) continue
      const next = { ...value, [name]: odd }
      if (fits(next)) return next
    }
  }
  return undefined
}
