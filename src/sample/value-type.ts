// The type of a value: determined by the keyword `type`, else by the other keywords of its schemas.

import type { Facets, Type } from './facets.ts'

/** Returns the first type that is not `null`; without `type`, the type that the other keywords apply to. */
export function typeOf({ types, schemas }: Facets, variant: number): Type {
  const telling = types.filter(type => type !== 'null')
  const shift = Math.floor(variant / 3)
  if (types.length < 7) return (shift === 0 ? telling : types)[shift % types.length] ?? (types[0] as Type)
  const meant = schemas.flatMap(schema => SPEAKING.filter(([keyword]) => schema[keyword] !== undefined))
  const order = [...meant.map(([, type]) => type), 'string', ...types] as const
  return order[shift % order.length] as Type
}

/** The type that each keyword applies to, for schemas without `type`. */
const SPEAKING: readonly (readonly [string, Type])[] = [
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['patternProperties', 'object'],
  ['propertyNames', 'object'],
  ['minProperties', 'object'],
  ['dependentRequired', 'object'],
  ['dependentSchemas', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['contains', 'array'],
  ['minItems', 'array'],
  ['uniqueItems', 'array'],
  ['pattern', 'string'],
  ['format', 'string'],
  ['minLength', 'string'],
  ['maxLength', 'string'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'number'],
]
