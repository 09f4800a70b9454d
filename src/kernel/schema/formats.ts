// The formats of strings and numbers: which are known, and whether a value has one.

import type { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'

export type Format = (text: string) => boolean

/** Formats that are not validated here: `url`, which no registry describes, and some of OpenAPI's registry. */
const ANNOTATED = new Set([
  'url',
  ...['int8', 'int16', 'uint8', 'uint16', 'uint32', 'uint64', 'double-int', 'decimal', 'decimal128', 'char', 'html'],
  ...['commonmark', 'media-range', 'base64url', 'sf-binary', 'sf-boolean', 'sf-decimal', 'sf-integer', 'sf-string'],
  ...['sf-token', 'http-date', 'idn-email', 'idn-hostname', 'iri', 'iri-reference', 'date-time-local', 'time-local'],
])

export const isKnownFormat = (format: string): boolean =>
  Object.hasOwn(fullFormats, format) || format === 'int64' || ANNOTATED.has(format)

/** The usual format accepts every integer. */
const INT64 = {
  type: 'number',
  validate: (value: number) => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63,
} as const

/** Returns whether a value has a format. An unknown format, or one for another type, is always satisfied. */
export function isFormat(name: string, value: string | number): boolean {
  if (name === 'int64') return typeof value !== 'number' || INT64.validate(value)
  if (ANNOTATED.has(name)) return true
  const format = Object.hasOwn(fullFormats, name) ? fullFormats[name as keyof typeof fullFormats] : true
  if (format === true) return true
  if (format instanceof RegExp) return typeof value !== 'string' || format.test(value)
  if (typeof format === 'function') return typeof value !== 'string' || (format as (text: string) => boolean)(value)
  const { type = 'string', validate } = format as { type?: string; validate: RegExp | ((value: unknown) => boolean) }
  if (typeof value !== type) return true
  return validate instanceof RegExp ? validate.test(String(value)) : validate(value)
}

/** Adds the usual formats, int64 and further ones. */
export function addFormats(ajv: Ajv2020, extra: Readonly<Record<string, Format>>): void {
  formats.default(ajv)
  ajv.addFormat('url', true)
  ajv.addFormat('int64', INT64)
  for (const [name, validate] of Object.entries(extra)) ajv.addFormat(name, validate)
}
