// The keywords that are validated here and not by the library (uniqueItems, multipleOf, pattern, enum and requiredBy), and the
// formats of strings and numbers. The generator of values shares the judgements of scalars.

import { _, type KeywordCxt, type KeywordDefinition, type SchemaValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { usePattern } from 'ajv/dist/vocabularies/code.js'
import enumKeyword from 'ajv/dist/vocabularies/validation/enum.js'
import formats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { Decimal, isObject, memberAt, parsePointer, stringifyJson } from '../json.ts'
import { getOrMake } from '../memo.ts'
import { compilePattern } from '../pattern.ts'
import { FIRST_CALLS, type Verdicts } from './recall.ts'

/** The side that sends the value: some properties are required of one side only. */
export type Side = 'request' | 'reply'

/** The `this` of a validator: the sending side, and the exact value if an approximation is validated. */
export class ValidationContext {
  readonly side: Side | undefined
  /** The references that may still be followed in a value before its verdicts are remembered, and these verdicts. */
  calls = FIRST_CALLS
  verdicts: Verdicts | undefined = undefined
  readonly #value: unknown
  readonly #approximated: boolean

  constructor(side: Side | undefined, ...original: [unknown?]) {
    this.side = side
    this.#value = original[0]
    this.#approximated = original.length > 0
  }

  /** Two different integers of the exact value may be equal in its approximation. */
  original(instancePath: string, approximation: unknown): unknown {
    if (!this.#approximated) return approximation
    return memberAt(this.#value, parsePointer(instancePath) ?? [])
  }
}

/** The contexts of values without big integers. */
export const SIDES = {
  request: new ValidationContext('request'),
  reply: new ValidationContext('reply'),
  none: new ValidationContext(undefined),
} as const

/** The properties that one side only must send. */
export interface RequiredBy {
  readonly request: readonly string[]
  readonly reply: readonly string[]
}

/** The keyword `required` for one side. */
function checkRequiredBy(this: ValidationContext, required: RequiredBy, value: Record<string, unknown>): boolean {
  const names = this.side === undefined ? [] : required[this.side]
  const missing = names.filter(name => !Object.hasOwn(value, name))
  if (missing.length === 0) return true
  ;(checkRequiredBy as SchemaValidateFunction).errors = missing.map(missingProperty => ({
    keyword: 'required',
    params: { missingProperty },
  }))
  return false
}

function isUnique(
  this: ValidationContext,
  wanted: boolean,
  data: unknown[],
  _: unknown,
  at?: { instancePath: string },
): boolean {
  if (!wanted) return true
  const items = at === undefined ? data : (this.original(at.instancePath, data) as unknown[])
  return new Set(items.map(canonical)).size === items.length
}

/** Returns the same text for equal values in any order of members (JSON Schema 2020-12 §4.2.2). */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value instanceof Decimal) return value.text.replace(/\.?0*$/, '')
  if (!isObject(value)) return stringifyJson(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`
}

const errorOf = (keyword: string) => ({
  message: keyword,
  params: ({ schemaCode }: { schemaCode: unknown }) => _`{${keyword}: ${schemaCode as never}}`,
})

function tryMultiple(cxt: KeywordCxt): void {
  const { data, schemaCode } = cxt
  const test = cxt.gen.scopeValue('func', { ref: isMultipleOf })
  cxt.fail(_`!${test}(${data}, ${schemaCode})`)
}

/** Does not match a pattern against a text that exceeds `maxLength`: a search takes longer the longer the text is. */
function tryPattern(cxt: KeywordCxt): void {
  const { data, schema, parentSchema } = cxt
  const expression = usePattern(cxt, schema as string)
  const { maxLength } = parentSchema as { maxLength?: unknown }
  // `maxLength` counts characters; each is one or two UTF-16 units.
  const tried = typeof maxLength === 'number' ? _`${data}.length <= ${2 * maxLength} && ` : _``
  cxt.fail(_`${tried}!${expression}.test(${data})`)
}

const usualEnum = enumKeyword.default

/** Longer lists of scalars are looked up in a set: ajv compares a value with each item of the list. */
const LONG_LIST = 32

function tryEnum(cxt: KeywordCxt): void {
  const { data, schema, gen } = cxt
  const values = schema as readonly unknown[]
  if (values.length <= LONG_LIST || values.some(value => typeof value === 'object' && value !== null)) {
    usualEnum.code(cxt)
    return
  }
  const list = gen.scopeValue('obj', { ref: scalarsOf(values) })
  cxt.fail(_`!${list}.has(${data})`)
}

/** Returns the expression of a pattern, as `pattern` matches it. */
export const patternOf = (pattern: string): RegExp => compilePattern(pattern) ?? new RegExp(pattern)

/** Ajv compares every item of a list with every other one: a megabyte of items would take minutes. */
const OURS = [
  { keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: isUnique },
  { keyword: 'multipleOf', type: 'number', schemaType: 'number', error: errorOf('multipleOf'), code: tryMultiple },
  { keyword: 'pattern', type: 'string', schemaType: 'string', error: errorOf('pattern'), code: tryPattern },
  { keyword: 'enum', schemaType: 'array', error: usualEnum.error, code: tryEnum },
  { keyword: 'requiredBy', type: 'object', errors: true, validate: checkRequiredBy },
] as const

/** Replaces the library's keywords by ours, and adds the usual formats, int64 and further ones. */
export function addOurs(ajv: Ajv2020, extra: Readonly<Record<string, Format>>): void {
  for (const one of OURS) ajv.removeKeyword(one.keyword).addKeyword(one as KeywordDefinition)
  formats.default(ajv)
  for (const [name, format] of Object.entries({ url: true as const, int64: INT64, ...extra }))
    ajv.addFormat(name, format)
}

const sets = new WeakMap<readonly unknown[], ReadonlySet<unknown>>()

/** Returns the values of a long `enum` as a set. */
export function scalarsOf(list: readonly unknown[]): ReadonlySet<unknown> {
  return getOrMake(sets, list, () => new Set(list))
}

/**
 * Returns whether a number is a multiple of another as their decimal texts are: 19.99 is one of 0.01. As doubles it is not,
 * because 19.99 / 0.01 is 1998.9999999999998.
 */
export function isMultipleOf(value: number, step: number): boolean {
  const times = value / step
  if (Number.isInteger(times)) return true
  if (!Number.isFinite(times) || (Number.isInteger(value) && Number.isInteger(step))) return false
  // Fifteen digits are what a double keeps of a decimal.
  return Number((Math.round(times) * step).toPrecision(15)) === Number(value.toPrecision(15))
}

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

/** Returns whether a value has one of the types of JSON Schema. */
export function hasType(value: unknown, type: unknown): boolean {
  if (type === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  if (type === 'number') return typeof value === 'bigint' || Number.isFinite(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === 'null' ? value === null : typeof value === type
}
