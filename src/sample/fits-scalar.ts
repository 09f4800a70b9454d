// Checks numbers and texts against the keywords of a schema.

import { isFormat, isMultipleOf } from '../kernel/schema/keywords.ts'
import { regExpOf, type SchemaObject } from './schema-parts.ts'

export function fitsNumber(schema: SchemaObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema
  if (typeof minimum === 'number' && !(value >= minimum)) return false
  if (typeof maximum === 'number' && !(value <= maximum)) return false
  if (typeof exclusiveMinimum === 'number' && !(value > exclusiveMinimum)) return false
  if (typeof exclusiveMaximum === 'number' && !(value < exclusiveMaximum)) return false
  if (typeof multipleOf === 'number' && !isMultipleOf(value, multipleOf)) return false
  return typeof format !== 'string' || isFormat(format, value)
}

export function fitsString(schema: SchemaObject, value: string): boolean {
  const { minLength, maxLength, pattern, format } = schema
  if (typeof minLength === 'number' && lengthOf(value) < minLength) return false
  if (typeof maxLength === 'number' && lengthOf(value) > maxLength) return false
  if (typeof pattern === 'string' && regExpOf(pattern)?.test(value) === false) return false
  return typeof format !== 'string' || isFormat(format, value)
}

/** Returns the length in code points, as JSON Schema counts it. */
export const lengthOf = (text: string): number => {
  let pairs = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 0xd800 && code < 0xdc00) pairs++
  }
  return text.length - pairs
}
