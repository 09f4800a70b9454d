// Describes the mistakes that a validator finds, in words; those of a union by the mistakes of the closest branch.

import type { KeywordCxt } from 'ajv'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { isObject, pointer } from '../json.ts'
import { hasType, type ValidationContext } from './keywords.ts'

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

/** The number of mistakes that are described; of unknown properties of one object, fewer, so that they hide no others. */
const MOST_ERRORS = 1000
const MOST_UNKNOWN = 200

/** A validator, and what explains its mistakes. */
export interface CompiledSchema {
  readonly validate: ValidateFunction
  readonly unions: UnionContext
}

/**
 * Returns the mistakes that a validator found last, without repetitions, and without those that follow from a wrong type.
 */
export function violationsOf({ validate, unions }: CompiledSchema, context: ValidationContext): Violations {
  const errors = explainUnions(validate.errors ?? [], unions, context)
  let rest = errors.length > MOST_UNKNOWN ? firstOfMany(errors) : errors
  const isWhole = rest.length === errors.length
  // The mistakes inside a condition already say that it failed.
  if (rest.length > 1) rest = rest.filter(({ keyword }) => keyword !== 'if')
  // A value of the wrong type breaks other rules too; only the type is reported.
  const mistyped = new Set(rest.flatMap(({ keyword, instancePath }) => (keyword === 'type' ? [instancePath] : [])))
  rest = rest.filter(({ keyword, instancePath }) => keyword === 'type' || !mistyped.has(instancePath))
  const seen = new Set<string>()
  const described = rest
    .map(error => new AjvViolation(error))
    .filter(({ pointer: at, message }) => {
      const key = `${at} ${message}`
      return !seen.has(key) && seen.add(key)
    })
  return isWhole ? described : Object.assign(described, { omitted: errors.length - described.length })
}

function firstOfMany(errors: readonly ErrorObject[]): ErrorObject[] {
  const unknown = new Map<string, number>()
  const first = errors.filter(({ keyword, instancePath }) => {
    const count = unknown.get(instancePath) ?? 0
    if (keyword === 'additionalProperties') unknown.set(instancePath, count + 1)
    return keyword !== 'additionalProperties' || count < MOST_UNKNOWN
  })
  return first.slice(0, MOST_ERRORS)
}

/** A class, because V8 takes long to make an object literal with a getter. */
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
  get params() {
    return { ...this.#error.params, ...about(this.#error) }
  }
}

/** Keywords about a property of the value, and the parameter that names the property. */
const PROPERTY_OF: Readonly<Record<string, string>> = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
}

/** Adds the written value and the possible ones, for a message about the author's file. */
function about({ parentSchema, data, propertyName, params }: ErrorObject): Record<string, unknown> {
  const { properties, format, description } = (parentSchema ?? {}) as {
    properties?: Record<string, { readonly description?: unknown } | boolean>
    format?: string
    description?: unknown
  }
  const missing = properties?.[params.missingProperty as string]
  return {
    about: typeof missing === 'object' ? missing.description : missing === undefined ? description : undefined,
    known: Object.keys(properties ?? {}),
    declaredFormat: format,
    given: data === null ? null : typeof data === 'object' ? undefined : typeof data === 'number' ? 'number' : data,
    propertyName,
  }
}

/** Wordings by keyword; `{limit}` is that parameter. */
const WORDS: Readonly<Record<string, string>> = {
  required: 'is required',
  dependentRequired: 'is required when {property} is present',
  additionalProperties: 'is not allowed',
  unevaluatedProperties: 'is not allowed',
  'false schema': 'is not allowed',
  format: 'must be a valid {format}',
  minimum: 'must be at least {limit}',
  maximum: 'must be at most {limit}',
  exclusiveMinimum: 'must be greater than {limit}',
  exclusiveMaximum: 'must be less than {limit}',
  minLength: 'must have at least {limit} characters',
  maxLength: 'must have at most {limit} characters',
  minItems: 'must have at least {limit} items',
  maxItems: 'must have at most {limit} items',
  minProperties: 'must have at least {limit} properties',
  maxProperties: 'must have at most {limit} properties',
  multipleOf: 'must be a multiple of {multipleOf}',
  uniqueItems: 'must not contain duplicate items',
  pattern: 'must match the pattern {pattern}',
  not: 'must not match the schema under "not"',
}

function wording({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${article([params.type].flat().map(String).join(' or '))}`
    case 'enum':
      return `must be one of ${listed(params.allowedValues as unknown[])}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'anyOf':
    case 'oneOf':
      return wordUnion(keyword, params)
    default:
      if (params.limit === 1 && /^min[LP]/.test(keyword)) return 'must not be empty'
      return WORDS[keyword]?.replace(/\{(\w+)\}/, (_, name) => `${params[name]}`) ?? message ?? `breaks "${keyword}"`
  }
}

/** A message shows this many of the allowed values. */
const MOST_SHOWN = 200

function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_SHOWN).map(value => JSON.stringify(value))
  const others = values.length - shown.length
  return `${shown.join(', ')}${others > 0 ? ` or one of ${others} others` : ''}`
}

function wordUnion(keyword: string, { closest, count, fitting }: Record<string, unknown>): string {
  if (Array.isArray(fitting)) return `must match exactly one alternative, but matches ${fitting.join(' and ')}`
  if (closest !== undefined) return `must match one of ${count} alternatives; the closest is ${closest}`
  return keyword === 'anyOf' ? 'must match at least one alternative' : 'must match one of the alternatives'
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? type : `a ${type}`)

/** The context for finding the branch of a union that a value is closest to. */
interface UnionContext {
  readonly lookup: Lookup
  /** Returns the name of a reference's schema in messages. */
  nameOf(reference: string): string | undefined
  /** Compiles a single branch, or returns the validator that it made of it before. */
  validatorOf(branch: object): ValidateFunction
}

/**
 * Makes a failing union report one mistake instead of those of all its branches, which may be hundreds. The mistakes of the
 * closest branch are determined afterwards.
 */
export function forgetBranches(ajv: Ajv2020, keyword: string): void {
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
  return withoutConsequences(errors).flatMap(error => {
    if (!isUnion(error) || depth >= DEEPEST_UNION || left-- <= 0) return [error]
    return explainUnion(error, unions, context, depth)
  })
}

const isUnion = ({ keyword }: ErrorObject): boolean => keyword === 'anyOf' || keyword === 'oneOf'

/** Drops `unevaluatedProperties` beside a union that failed: no branch matched, so every property counts as unevaluated. */
function withoutConsequences(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (!errors.some(({ keyword }) => UNEVALUATED.has(keyword))) return errors
  const failed = new Set(errors.filter(isUnion).map(({ instancePath }) => instancePath))
  return errors.filter(({ keyword, instancePath }) => !UNEVALUATED.has(keyword) || !failed.has(instancePath))
}

const UNEVALUATED: ReadonlySet<string> = new Set(['unevaluatedProperties', 'unevaluatedItems'])

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
  const validate = unions.validatorOf(branch)
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

/** Returns the schema of a reference. */
type Lookup = (reference: string) => unknown

interface Closest {
  readonly index: number
  /** The number of branches that accept a value of this type. */
  readonly candidates: number
}

/** The weight of each kind of mistake. A property that names a branch weighs most. */
const NAMED_OTHERWISE = 5
const MISSING = 2
const MISTYPED = 2
const REFUSED = 1
const UNKNOWN = 0.25
/** The maximum depth and number of branches that are compared. */
const MOST_PARTS = 60
const MOST_BRANCHES = 400
const MOST_PROPERTIES = 100

/**
 * Returns the branch of a union that a value is closest to, by its type, the required properties, and the properties that name
 * a branch; `undefined` if no branch accepts a value of this type.
 */
export function closestBranch(branches: readonly unknown[], value: unknown, lookup: Lookup): Closest | undefined {
  let index = -1
  let least = Number.POSITIVE_INFINITY
  let candidates = 0
  // Once for all branches: the names of a large object cost milliseconds.
  const names = isObject(value) ? Object.keys(value) : []
  for (const [at, branch] of branches.slice(0, MOST_BRANCHES).entries()) {
    const weight = weighBranch(branch, value, names, lookup)
    if (weight === Number.POSITIVE_INFINITY) continue
    candidates += 1
    if (weight < least) {
      least = weight
      index = at
    }
  }
  return index === -1 ? undefined : { index, candidates }
}

/** Returns the types that the branches accept; empty if one of them accepts any. */
function typesOfBranches(branches: readonly unknown[], lookup: Lookup): string[] {
  const types = branches.map(branch => {
    const named = partsOf(branch, lookup).flatMap(({ type }) => (type === undefined ? [] : [type].flat().map(String)))
    return [...new Set(named)]
  })
  return types.some(named => named.length === 0) ? [] : [...new Set(types.flat())]
}

/** Returns the parts of a schema that apply to the same value. Follows references; skips unions. */
function partsOf(schema: unknown, lookup: Lookup): Record<string, unknown>[] {
  const parts: Record<string, unknown>[] = []
  const visit = (at: unknown): void => {
    if (!isObject(at) || parts.includes(at) || parts.length >= MOST_PARTS) return
    parts.push(at)
    if (typeof at.$ref === 'string') visit(lookup(at.$ref))
    if (Array.isArray(at.allOf)) at.allOf.forEach(visit)
  }
  visit(schema)
  return parts
}

/** @param names all properties of the value; empty if it is not an object */
function weighBranch(schema: unknown, value: unknown, names: readonly string[], lookup: Lookup): number {
  if (schema === false) return Number.POSITIVE_INFINITY
  const parts = partsOf(schema, lookup)
  if (parts.some(({ type }) => type !== undefined && !isOfType(value, type))) return Number.POSITIVE_INFINITY
  if (!isObject(value)) return parts.some(part => rulesOut(part, value)) ? NAMED_OTHERWISE : 0
  let weight = 0
  const declared = new Set<string>()
  const compared = names.slice(0, MOST_PROPERTIES)
  for (const part of parts) {
    const properties = isObject(part.properties) ? part.properties : {}
    for (const name of Array.isArray(part.required) ? part.required : []) {
      if (!Object.hasOwn(value, String(name))) weight += MISSING
    }
    for (const name of compared) {
      if (!Object.hasOwn(properties, name)) {
        if (part.additionalProperties === false) weight += REFUSED
        continue
      }
      declared.add(name)
      for (const inside of partsOf(properties[name], lookup)) {
        if (rulesOut(inside, value[name])) weight += NAMED_OTHERWISE
        if (inside.type !== undefined && !isOfType(value[name], inside.type)) weight += MISTYPED
      }
    }
  }
  return weight + UNKNOWN * (names.length - declared.size)
}

/** Returns whether `const` or `enum` excludes this scalar. */
function rulesOut(schema: Record<string, unknown>, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return false
  const { enum: values, const: only } = schema
  return (Array.isArray(values) && !values.includes(value)) || (only !== undefined && only !== value)
}

const isOfType = (value: unknown, type: unknown): boolean => [type].flat().some(one => hasType(value, one))
