// JSON Schema: compiles once, validates often, and describes mistakes in words. The only file that imports ajv.

import { _, type KeywordCxt, type SchemaValidateFunction } from 'ajv'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { usePattern } from 'ajv/dist/vocabularies/code.js'
import formats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { boundErrors, MOST_ERRORS } from './bounded-errors.ts'
import { closestBranch, type Lookup, typesOfBranches } from './closest-branch.ts'
import { approximate, Decimal, holdsExact, isObject, type Json, parsePointer, pointer, stringifyJson } from './json.ts'
import { compilePattern } from './pattern.ts'

/** A JSON Schema of the 2020-12 dialect. */
export type Schema = boolean | { readonly [keyword: string]: unknown }

/** A mistake in a value. */
export interface Violation {
  /** JSON Pointer to the offending value; for a missing or unknown property, to that property. */
  readonly pointer: string
  /** The rest of a sentence that begins with the pointer: `must be at most 100`. */
  readonly message: string
  /** The keyword that was broken, and its parameters, for callers with their own words. */
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The first mistakes of a value, and the number of further ones. */
export type Violations = readonly Violation[] & { readonly omitted?: number }

/** The side that sends the value: some properties are required of one side only. */
export type Side = 'request' | 'reply'

/** Returns `undefined` for a valid value. `exact`: the value may hold bigints and decimals. */
export type Check = (value: unknown, exact?: boolean, side?: Side) => Violations | undefined

export type Format = (text: string) => boolean

/** Formats of OpenAPI's registry that are not validated here. */
const ANNOTATED = new Set([
  ...['int8', 'int16', 'uint8', 'uint16', 'uint32', 'uint64', 'double-int', 'decimal', 'decimal128', 'char', 'html'],
  ...['commonmark', 'media-range', 'base64url', 'sf-binary', 'sf-boolean', 'sf-decimal', 'sf-integer', 'sf-string'],
  ...['sf-token', 'http-date', 'idn-email', 'idn-hostname', 'iri', 'iri-reference', 'date-time-local', 'time-local'],
])

export const isKnownFormat = (format: string): boolean =>
  Object.hasOwn(fullFormats, format) || format === 'int64' || ANNOTATED.has(format)

const BOOK = 'contract'

/** A schema may hold bigints, which `JSON.stringify` refuses. */
const writeBigInt = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)

/** Schemas that may refer to one another. Each is compiled on first use. */
export class Schemas {
  readonly #ajv: Ajv2020
  readonly #byText = new Map<string, Check>()
  readonly #defs: Record<string, Schema> = {}
  readonly #names = new Map<string, string>()
  #branches = 0
  readonly #unions: UnionContext = {
    lookup: reference => this.#defs[keyOf(reference)],
    nameOf: reference => this.#names.get(keyOf(reference)),
    validatorOf: branch => this.#validatorOf(branch),
    compiled: new WeakMap(),
  }

  /**
   * @param defs schemas by key, as `add` takes them
   * @param extra formats beyond the usual ones
   */
  constructor(defs: Readonly<Record<string, Schema>> = {}, extra: Readonly<Record<string, Format>> = {}) {
    Object.assign(this.#defs, defs)
    // Unknown formats are annotations (JSON Schema 2020-12 §7.2.3), unknown keywords are the reader's to report.
    this.#ajv = new Ajv2020({
      allErrors: true,
      verbose: true,
      strict: false,
      ownProperties: true,
      // Compiling the meta-schema takes a tenth of a second; the compiler itself reports invalid schemas.
      meta: false,
      validateSchema: false,
      // Ajv's optimiser doubles the time of compiling, inlining doubles its memory, and V8 gains nothing from them.
      code: {
        optimize: false,
        regExp: Object.assign(patternOf, { code: 'patternOf' }),
        process: code => boundErrors(code),
      },
      inlineRefs: 30,
      logger: false,
      passContext: true,
      unicodeRegExp: false,
    })
    formats.default(this.#ajv)
    // Ajv compares every item with every other one: a megabyte of items would take minutes.
    this.#ajv.removeKeyword('uniqueItems')
    this.#ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate: isUnique })
    this.#ajv.removeKeyword('pattern')
    this.#ajv.addKeyword({
      keyword: 'pattern',
      type: 'string',
      schemaType: 'string',
      error: PATTERN_ERROR,
      code: tryPattern,
    })
    for (const keyword of ['anyOf', 'oneOf']) forgetBranches(this.#ajv, keyword)
    this.#ajv.addKeyword({ keyword: 'requiredBy', type: 'object', errors: true, validate: checkRequiredBy })
    this.#ajv.addFormat('int64', {
      type: 'number',
      validate: value => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63,
    })
    for (const [name, validate] of Object.entries(extra)) this.#ajv.addFormat(name, validate)
    // Ajv resolves a reference when it compiles it, so definitions may be added later.
    this.#ajv.addSchema({ $defs: this.#defs }, BOOK, undefined, false)
  }

  /**
   * Keeps a schema under a key; `{ $ref: '#/$defs/KEY' }` in another one refers to it.
   *
   * @param name its name in messages
   */
  add(key: string, schema: Schema, name?: string): void {
    this.#defs[key] = schema
    if (name !== undefined) this.#names.set(key, name)
  }

  /** Compiles the schema kept under `key`. */
  compileKey(key: string): Check {
    // Documents repeat small schemas a thousand times: they share one validator.
    const text = JSON.stringify(this.#defs[key], writeBigInt)
    const own = () => checkWith(this.#ajv.getSchema(`${BOOK}#/$defs/${key}`) as ValidateFunction, this.#unions)
    if (text.length > SMALL || text.includes('"$ref"')) return own()
    let check = this.#byText.get(text)
    if (check === undefined) {
      check = own()
      this.#byText.set(text, check)
    }
    return check
  }

  /** Compiles a schema; throws an `Error` whose message says why it cannot be. */
  compile(schema: Schema): Check {
    const { $defs = {} } = schema as { $defs?: Record<string, Schema> }
    return checkWith(this.#ajv.compile(schema as object), {
      lookup: reference => $defs[keyOf(reference)],
      nameOf: () => undefined,
      validatorOf: branch => this.#ajv.compile({ ...branch, $defs }),
      compiled: new WeakMap(),
    })
  }

  /** Keeps a branch under its own key, so that its references resolve. */
  #validatorOf(branch: object): ValidateFunction {
    const { $ref } = branch as { $ref?: unknown }
    const key =
      typeof $ref === 'string' && Object.keys(branch).length === 1 ? keyOf($ref) : `branch-${this.#branches++}`
    if (!Object.hasOwn(this.#defs, key)) this.#defs[key] = branch as Schema
    return this.#ajv.getSchema(`${BOOK}#/$defs/${key}`) as ValidateFunction
  }
}

const keyOf = (reference: string): string => reference.slice('#/$defs/'.length)

/** The context for finding the branch of a union that a value is closest to. */
interface UnionContext {
  readonly lookup: Lookup
  /** Returns the name of a reference's schema in messages. */
  nameOf(reference: string): string | undefined
  /** Compiles a single branch. */
  validatorOf(branch: object): ValidateFunction
  /** The branches that have been compiled. */
  readonly compiled: WeakMap<object, ValidateFunction>
}

/**
 * Makes a failing union report one mistake instead of those of all its branches, which may be hundreds. The mistakes of the
 * closest branch are determined afterwards.
 */
function forgetBranches(ajv: Ajv2020, keyword: string): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object' || !('code' in rule.definition)) return
  const { definition } = rule
  const code = definition.code as (cxt: KeywordCxt, ruleType?: string) => void
  definition.code = (cxt, ruleType) => {
    const { result } = cxt
    cxt.result = (condition, success) =>
      result.call(cxt, condition, success, () => {
        cxt.reset()
        cxt.error()
      })
    code(cxt, ruleType)
  }
}

const SMALL = 300

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

const patternOf = (pattern: string): RegExp => compilePattern(pattern) ?? new RegExp(pattern)

const checkWith =
  (validate: ValidateFunction, unions: UnionContext): Check =>
  (value, exact = false, side = undefined) => {
    const marked = exact && holdsExact(value)
    const context = marked ? new ValidationContext(side, value) : SIDES[side ?? 'none']
    if (validate.call(context, marked ? approximate(value as Json) : value)) return undefined
    const violations = describeErrors(explainUnions(validate.errors ?? [], unions, context))
    const { count = 0 } = validate as { count?: number }
    return count > MOST_ERRORS ? Object.assign(violations, { omitted: count - violations.length }) : violations
  }

/** The `this` of a validator: the sending side, and the exact value if an approximation is validated. */
class ValidationContext {
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

const SIDES = {
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

/** Returns the same text for equal values, whatever the order of their members (JSON Schema 2020-12 §4.2.2). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (value instanceof Decimal) return value.text.replace(/\.?0*$/, '')
  if (!isObject(value)) return stringifyJson(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`
}

/** The maximum number and depth of unions that are explained per value: compiling a branch takes milliseconds. */
const MOST_UNIONS = 8
const DEEPEST_UNION = 4

/** Replaces each union's mistake by those of its closest branch, or by the types that its branches accept. */
function explainUnions(
  errors: readonly ErrorObject[],
  unions: UnionContext,
  context: ValidationContext,
  depth = 0,
): ErrorObject[] {
  let left = MOST_UNIONS
  return errors.slice(0, MOST_ERRORS).flatMap(error => {
    if ((error.keyword !== 'anyOf' && error.keyword !== 'oneOf') || depth >= DEEPEST_UNION || left-- <= 0)
      return [error]
    return explainUnion(error, unions, context, depth)
  })
}

function explainUnion(
  error: ErrorObject,
  unions: UnionContext,
  context: ValidationContext,
  depth: number,
): ErrorObject[] {
  const { keyword, parentSchema, data, instancePath, params } = error
  const branches = (parentSchema as Record<string, unknown>)[keyword] as readonly unknown[]
  const nameOf = (index: number) => nameOfBranch(branches[index], index, unions)
  const passing = params.passingSchemas as readonly number[] | null | undefined
  if (Array.isArray(passing)) return [{ ...error, params: { ...params, fitting: passing.map(nameOf) } }]
  const closest = closestBranch(branches, data, unions.lookup)
  if (closest === undefined) {
    const types = typesOfBranches(branches, unions.lookup)
    return types.length === 0 ? [error] : [{ ...error, keyword: 'type', params: { type: types } }]
  }
  const branch = branches[closest.index]
  if (!isObject(branch)) return [error]
  let validate = unions.compiled.get(branch)
  if (validate === undefined) {
    validate = unions.validatorOf(branch)
    unions.compiled.set(branch, validate)
  }
  const at = { instancePath, parentData: {}, parentDataProperty: '', rootData: data as object, dynamicAnchors: {} }
  if (validate.call(context, data, at)) return [error]
  const inside = explainUnions(validate.errors ?? [], unions, context, depth + 1)
  if (closest.candidates === 1) return inside
  const told = { ...error, params: { ...params, closest: nameOf(closest.index), count: branches.length } }
  return [told, ...inside]
}

/** Returns the component name of a branch, or its title, or its position. */
function nameOfBranch(branch: unknown, index: number, { nameOf }: UnionContext): string {
  const { $ref, title, allOf } = (isObject(branch) ? branch : {}) as Record<string, unknown>
  if (typeof title === 'string' && title !== '') return title
  const references = [
    $ref,
    ...(Array.isArray(allOf) ? allOf.map(part => (part as { $ref?: unknown } | null)?.$ref) : []),
  ]
  const names = references.flatMap(one => (typeof one === 'string' ? (nameOf(one) ?? []) : []))
  return names[0] ?? `alternative ${index + 1}`
}

function describeErrors(errors: readonly ErrorObject[]): Violation[] {
  let rest = errors.slice(0, MOST_ERRORS)
  // The mistakes inside a condition already say that it failed.
  if (rest.length > 1) rest = rest.filter(({ keyword }) => keyword !== 'if')
  if (rest.length === 1) return [describeError(rest[0] as ErrorObject)]
  // A value of the wrong type breaks other rules too; only the type is reported.
  const mistyped = new Set(rest.flatMap(({ keyword, instancePath }) => (keyword === 'type' ? [instancePath] : [])))
  rest = rest.filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
  const seen = new Set<string>()
  return rest.map(describeError).filter(({ pointer: at, message }) => {
    const key = `${at} ${message}`
    return !seen.has(key) && seen.add(key)
  })
}

const describeError = (error: ErrorObject): Violation => new AjvViolation(error)

class AjvViolation implements Violation {
  readonly pointer: string
  readonly message: string
  readonly keyword: string
  readonly #error: ErrorObject

  constructor(error: ErrorObject) {
    const { instancePath, keyword, params } = error
    const property = PROPERTY_OF[keyword]
    this.pointer = property === undefined ? instancePath : instancePath + pointer([String(params[property])])
    this.message = wording(error)
    this.keyword = keyword
    this.#error = error
  }

  /** Used for the author's files only, never for requests. */
  get params(): Violation['params'] {
    return { ...this.#error.params, ...context(this.#error) }
  }
}

/** Keywords about a property of the value, and the parameter that names the property. */
const PROPERTY_OF: Readonly<Record<string, string>> = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
}

/** Adds what a message about the author's file needs: the value that was written, and the possible ones. */
function context({ parentSchema, data, propertyName, params }: ErrorObject): Record<string, unknown> {
  const { properties, format } = (parentSchema ?? {}) as { properties?: Record<string, Schema>; format?: string }
  const missing = properties?.[params.missingProperty as string]
  return {
    about: typeof missing === 'object' ? missing.description : undefined,
    known: Object.keys(properties ?? {}),
    declaredFormat: format,
    given: data === null ? null : typeof data === 'object' ? undefined : typeof data === 'number' ? 'number' : data,
    propertyName,
  }
}

function wording({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'dependentRequired':
      return `is required when ${params.property} is present`
    case 'additionalProperties':
    case 'unevaluatedProperties':
    case 'false schema':
      return 'is not allowed'
    case 'type':
      return `must be ${article([params.type].flat().map(String).join(' or '))}`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map(value => JSON.stringify(value)).join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'format':
      return `must be a valid ${params.format}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`
    case 'exclusiveMaximum':
      return `must be less than ${params.limit}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'minItems':
      return `must have at least ${params.limit} items`
    case 'maxItems':
      return `must have at most ${params.limit} items`
    case 'minProperties':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} properties`
    case 'maxProperties':
      return `must have at most ${params.limit} properties`
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}`
    case 'uniqueItems':
      return 'must not contain duplicate items'
    case 'pattern':
      return `must match the pattern ${params.pattern}`
    case 'anyOf':
    case 'oneOf':
      return wordUnion(keyword, params)
    case 'not':
      return 'must not match the schema under "not"'
    default:
      return message ?? `breaks "${keyword}"`
  }
}

function wordUnion(keyword: string, { closest, count, fitting }: Record<string, unknown>): string {
  if (Array.isArray(fitting)) return `must match exactly one alternative, but matches ${fitting.join(' and ')}`
  if (closest !== undefined) return `must match one of ${count} alternatives; the closest is ${closest}`
  return keyword === 'anyOf' ? 'must match at least one alternative' : 'must match one of the alternatives'
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`)

/** Returns whether a value has a format. An unknown format, or one for another type, is always satisfied. */
export function isFormat(name: string, value: string | number): boolean {
  const format = Object.hasOwn(fullFormats, name) ? fullFormats[name as keyof typeof fullFormats] : true
  if (format === true) return true
  if (format instanceof RegExp) return typeof value !== 'string' || format.test(value)
  if (typeof format === 'function') return typeof value !== 'string' || (format as (text: string) => boolean)(value)
  const { type = 'string', validate } = format as { type?: string; validate: RegExp | ((value: unknown) => boolean) }
  if (typeof value !== type) return true
  return validate instanceof RegExp ? validate.test(String(value)) : validate(value)
}
