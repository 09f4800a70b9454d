// Tells the purpose of an error's field by its name, its value and the fields beside it.

import type { Json } from '../../kernel/json.ts'
import type { Path } from '../../kernel/source.ts'
import { CODES, HTTP_STATUSES, PATHS, STATUSES } from './error-words.ts'

/** A field of the error: its path and its name without case and punctuation. */
export interface ErrorField {
  readonly path: Path
  readonly name: string
  readonly value: Json
}

/** Whether a name says what its field holds. */
export const isKnown = (name: string): boolean =>
  CODES.has(name) || STATUSES.has(name) || PATHS.has(name) || /id$/.test(name)

/** Returns whether two fields are in the same object. */
export const isBeside = (one: Path, other: Path): boolean =>
  one.length === other.length && one.slice(0, -1).every((key, i) => key === other[i])

/** A text with the HTTP status. Beside a number with it, `status` is a code, as in `{ code: 404, status: NOT_FOUND }`. */
export const isStatusText = (name: string, at: string, beside: readonly ErrorField[], example: boolean): boolean => {
  if (STATUSES.has(name) && /^\d{3}$/.test(at)) return true
  const isNumber = (one: ErrorField) => typeof one.value === 'number' && STATUSES.has(one.name)
  return !example && HTTP_STATUSES.has(name) && !beside.some(isNumber)
}

/** The `type` of a problem (RFC 9457, section 3.1.1) is a URI; elsewhere `type` is a code. */
export const isProblemType = (name: string, at: string, beside: readonly ErrorField[]): boolean =>
  name === 'type' && (/^(?:https?:|about:|urn:)/.test(at) || beside.some(one => one.name === 'title'))
