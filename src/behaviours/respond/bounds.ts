// Reads a query parameter that is an object of bounds: `created[gte]=10&created[lt]=20` is `{ gte: 10, lt: 20 }`.

import { isObject, type Json } from '../../kernel/json.ts'
import type { Comparison } from '../../world/collection.ts'

const BOUNDS: ReadonlyMap<string, Comparison['is']> = new Map([
  ['gt', 'more-than'],
  ['gte', 'at-least'],
  ['lt', 'less-than'],
  ['lte', 'at-most'],
  ['after', 'more-than'],
  ['before', 'less-than'],
  ['from', 'at-least'],
  ['to', 'at-most'],
  ['min', 'at-least'],
  ['max', 'at-most'],
])

/**
 * Returns the comparisons that an object of bounds asks for; `undefined` for a value that is not such an object.
 * @param convert converts a limit to the form that the records have
 */
export function boundsOf(
  field: string,
  value: Json,
  convert: (limit: Json) => Json = limit => limit,
): Comparison[] | undefined {
  if (!isObject(value)) return undefined
  return Object.entries(value).flatMap(([key, limit]) => {
    const is = BOUNDS.get(key)
    return is === undefined ? [] : [{ field, is, value: convert(limit as Json) }]
  })
}
