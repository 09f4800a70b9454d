// The best value for a schema without valid ones: a value of the right type, and the reason.

import type { Json } from '../kernel/value/json.ts'
import type { Chance } from './chance.ts'
import type { Facets, Type } from './facets.ts'
import { writeFor } from './words.ts'

/** The reason for a value that would have to contain another one of its kind, endlessly. */
export const WITHIN_ITSELF = 'contains itself endlessly'

/** Returns the reason as the rest of a sentence that begins with the place: `its bounds exclude each other`. */
export function whyNothingFits(facets: Facets): string {
  if (!facets.possible) return 'allows no value'
  if (facets.types.length === 0) return 'has types that exclude each other'
  if (facets.choices?.length === 0) return 'has lists of values that exclude each other'
  const bounds: readonly (readonly [number, number])[] = [
    [Math.max(facets.minimum, facets.above), Math.min(facets.maximum, facets.below)],
    [facets.minLength, facets.maxLength],
    [facets.minItems, facets.maxItems],
    [facets.minProperties, facets.maxProperties],
  ]
  if (bounds.some(([low, high]) => low > high)) return 'has bounds that exclude each other'
  return 'has a schema for which no value was found'
}

/** Returns a value of the schema's type. */
export function stopgapFor(facets: Facets, name: string | undefined, chance: Chance): Json {
  const { choices, schemas } = facets
  const [choice] = choices ?? []
  if (choice !== undefined) return choice
  for (const { enum: values } of schemas) if (Array.isArray(values) && values.length > 0) return values[0] as Json
  const named = schemas.flatMap(({ type }) => (type === undefined ? [] : [type].flat()))
  const meant = (facets.types.length < 7 ? facets.types[0] : undefined) ?? (named[0] as Type | undefined)
  switch (meant) {
    case 'object':
      return {}
    case 'array':
      return []
    case 'string':
      return writeFor(name, chance)
    case 'integer':
    case 'number':
      return chance.between(1, 100)
    case 'boolean':
      return true
    case 'null':
    case undefined:
      return null
    default: {
      meant satisfies never
      return null
    }
  }
}
