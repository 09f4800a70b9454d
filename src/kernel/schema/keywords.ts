// The keywords that are validated here and not by the library: uniqueItems, multipleOf, pattern, enum and requiredBy.

import { _, type KeywordCxt, type SchemaValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { usePattern } from 'ajv/dist/vocabularies/code.js'
import enumKeyword from 'ajv/dist/vocabularies/validation/enum.js'
import { compilePattern } from '../text/pattern.ts'
import { Decimal, isObject, parsePointer, stringifyJson } from '../value/json.ts'
import { isMultipleOf, scalarsOf } from './scalars.ts'

/** The side that sends the value: some properties are required of one side only. */
export type Side = 'request' | 'reply'

/** The `this` of a validator: the sending side, and the exact value if an approximation is validated. */
export class ValidationContext {
  readonly side: Side | undefined
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
    const keys = parsePointer(instancePath) ?? []
    return keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], this.#value)
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
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value instanceof Decimal) return value.text.replace(/\.?0*$/, '')
  if (!isObject(value)) return stringifyJson(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`
}

const MULTIPLE_ERROR = {
  message: 'must be a multiple',
  params: ({ schemaCode }: { schemaCode: unknown }) => _`{multipleOf: ${schemaCode as never}}`,
}

function tryMultiple(cxt: KeywordCxt): void {
  const { data, schemaCode } = cxt
  const test = cxt.gen.scopeValue('func', { ref: isMultipleOf })
  cxt.fail(_`!${test}(${data}, ${schemaCode})`)
}

const PATTERN_ERROR = {
  message: 'must match',
  params: ({ schemaCode }: { schemaCode: unknown }) => _`{pattern: ${schemaCode as never}}`,
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

/** Replaces the library's keywords by ours. */
export function addKeywords(ajv: Ajv2020): void {
  // Ajv compares every item with every other one: a megabyte of items would take minutes.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: isUnique })
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: MULTIPLE_ERROR,
    code: tryMultiple,
  })
  ajv.removeKeyword('pattern')
  ajv.addKeyword({ keyword: 'pattern', type: 'string', schemaType: 'string', error: PATTERN_ERROR, code: tryPattern })
  ajv.removeKeyword('enum')
  ajv.addKeyword({ keyword: 'enum', schemaType: 'array', error: usualEnum.error, code: tryEnum })
  ajv.addKeyword({ keyword: 'requiredBy', type: 'object', errors: true, validate: checkRequiredBy })
}
