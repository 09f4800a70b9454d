// Makes a value valid for exactly one branch of a `oneOf` whose branches overlap, by adding unusual properties.

import type { Json, JsonObject } from '../kernel/value/json.ts'
import { Facets } from './facets.ts'
import type { Fitting } from './fits.ts'
import { type Definitions, entries, propertySchemas, type SchemaObject } from './schema-parts.ts'

/** One value of each type. */
const ODDITIES: readonly Json[] = ['none', 1, true, null, [], {}]

/** A branch of a union, with the schemas that it is made of. */
interface Rival {
  readonly schema: unknown
  readonly parts: readonly SchemaObject[]
}

/** A property with an unusual value. */
type Odd = readonly [name: string, value: Json]

/**
 * Returns an object that is valid for exactly one of several branches: it gets a property that only one of them allows, else
 * a property against each of the others. Branches without required properties and without closed objects cannot be
 * distinguished in any other way.
 */
export function tellApart(
  value: JsonObject,
  schemas: readonly unknown[],
  definitions: Definitions,
  fitting: Fitting,
  fits: (value: Json) => boolean,
): Json | undefined {
  const branches: Rival[] = []
  /** The branches of each `oneOf` that are valid for the value: one too many. */
  const rivals: Rival[][] = []
  const facets: Facets = new Facets(definitions, all => {
    if (all.length > 1) {
      const own = all.map((schema): Rival => {
        const inside = new Facets(definitions, inner => inner[0])
        inside.add(schema)
        return { schema, parts: inside.schemas }
      })
      branches.push(...own)
      const valid = own.filter(({ schema }) => fitting.fits(schema, value))
      if (valid.length > 1 && facets.schemas.some(({ oneOf }) => oneOf === all)) rivals.push(valid)
    }
    return all[0]
  })
  for (const schema of schemas) facets.add(schema)
  const names = new Set(
    branches.flatMap(({ parts }) => parts.flatMap(({ properties }) => entries(properties).map(([name]) => name))),
  )
  const odds = [...names].flatMap(name => ODDITIES.map((odd): Odd => [name, odd]))
  const allows = ({ parts }: Rival, [name, odd]: Odd) =>
    parts.every(part => propertySchemas(part, name).every(schema => fitting.fits(schema, odd)))
  const isOpen = ({ parts }: Rival) => !parts.some(part => NARROWING.some(keyword => part[keyword] !== undefined))
  for (const odd of odds) {
    // Two branches that remain valid are one too many, so the whole need not be checked.
    const remains = (all: readonly Rival[]) => all.filter(one => isOpen(one) && allows(one, odd)).length > 1
    if (rivals.some(remains) || branches.every(one => allows(one, odd))) continue
    const next = { ...value, [odd[0]]: odd[1] }
    if (fits(next)) return next
  }
  for (const all of rivals) {
    for (const kept of all) {
      const against = all
        .filter(one => one !== kept)
        .map(one => odds.find(odd => !allows(one, odd) && allows(kept, odd)))
      if (against.includes(undefined)) continue
      const next = { ...value, ...Object.fromEntries(against as Odd[]) }
      if (fits(next)) return next
    }
  }
  return undefined
}

/** Keywords that may refuse a property besides its schemas. */
const NARROWING = ['unevaluatedProperties', 'propertyNames', 'maxProperties', 'dependentSchemas', 'dependentRequired']
