// Converts the time in a query parameter to the form that the records have: `createdAfter=2026-01-01` to seconds since 1970.

import type { Field } from '../../contract/answer/field.ts'
import type { Json } from '../../kernel/json.ts'
import { parseDate } from '../../world/clock.ts'
import { momentOf } from './moments.ts'

/** A count of years or hours is not a time, although it is a number. */
const COUNTS = /(?:year|month|week|day|hour|minute)s?$/i
const LOOKS_LIKE_DATE = /^\d{4}-\d\d-\d\d/
/** Greater numbers are milliseconds since 1970, smaller ones seconds: as seconds this one is in the year 5138. */
const MOST_SECONDS = 1e11

/**
 * Compiles the conversion of a parameter's values to times in the form of a field; `undefined` if both are numbers, both are
 * texts, or the field holds no time. Values that are not times stay the same.
 * @param types the types of the parameter
 */
export function compileOtherTime(types: ReadonlySet<string>, field: Field): ((value: Json) => Json) | undefined {
  const isNumber = types.has('integer') || types.has('number')
  const holdsNumber = field.types.some(type => type === 'integer' || type === 'number')
  if (field.types.includes('string') === holdsNumber || types.has('string') === isNumber || isNumber === holdsNumber)
    return undefined
  const write = holdsNumber && COUNTS.test(field.name) ? undefined : momentOf(field)
  if (write === undefined) return undefined
  if (holdsNumber) {
    return value => {
      const time = typeof value === 'string' && LOOKS_LIKE_DATE.test(value) ? parseDate(value) : undefined
      return time === undefined ? value : write(time)
    }
  }
  if (!/^date/.test(field.format ?? '')) return undefined
  return value => {
    if (typeof value !== 'number') return value
    const time = Math.abs(value) > MOST_SECONDS ? value : value * 1000
    return Math.abs(time) > LATEST ? value : write(time)
  }
}

/** The latest time that a `Date` can hold, in milliseconds. */
const LATEST = 8.64e15
