// Validates a value without compiling its whole schema: walks both, and compiles only the part that decides about an invalid
// value.

import { holdsExact, type Json } from '../../kernel/json.ts'
import type { Schema, Schemas } from '../../kernel/schema.ts'
import type { Violations } from '../../kernel/schema-errors.ts'
import type { Side } from '../../kernel/schema-keywords.ts'
import { Fitting } from '../../sample/fits.ts'

/** The number of comparisons of a value with its schema, some milliseconds, before the schema is compiled instead. */
const MOST_COMPARISONS = 5000

/** Returns whether a value is valid; `undefined` if that takes too many comparisons. */
export function fitsByWalking(
  { definitions }: Schemas,
  key: string,
  value: unknown,
  side: Side,
  exact: boolean,
): boolean | undefined {
  // The walk rounds numbers; the validator compares them exactly.
  if (value === undefined || (exact && holdsExact(value))) return false
  const fitting = new Fitting(definitions, side === 'request', MOST_COMPARISONS)
  const fits = fitting.fits(definitions[key], value as Json)
  return fitting.work > MOST_COMPARISONS ? undefined : fits
}

/** Returns the mistakes of a value, as the whole schema would. */
export function judgeByParts(
  schemas: Schemas,
  key: string,
  value: unknown,
  side: Side,
  exact: boolean,
): Violations | undefined {
  const fitting = new Fitting(schemas.definitions, side === 'request')
  const isExact = exact && holdsExact(value)
  const fits = (schema: Schema, inside: unknown) => !isExact && fitting.fits(schema, inside as Json)
  return schemas.judge(key, value, fits, exact, side)
}
