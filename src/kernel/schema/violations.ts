// Describes the mistakes that a validator finds, in words.

import type { ErrorObject } from 'ajv/dist/2020.js'
import { pointer } from '../value/json.ts'

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

/** Returns the mistakes without repetitions, and without those that follow from a wrong type. */
export function describeErrors(errors: readonly ErrorObject[]): Violations {
  const first = errors.length > MOST_UNKNOWN ? firstViolation(errors) : errors
  const described = describeAll(first)
  if (first.length === errors.length) return described
  return Object.assign(described, { omitted: errors.length - described.length })
}

function firstViolation(errors: readonly ErrorObject[]): ErrorObject[] {
  const unknown = new Map<string, number>()
  const first: ErrorObject[] = []
  for (const error of errors) {
    const { keyword, instancePath } = error
    if (keyword === 'additionalProperties') {
      const count = unknown.get(instancePath) ?? 0
      unknown.set(instancePath, count + 1)
      if (count >= MOST_UNKNOWN) continue
    }
    if (first.length < MOST_ERRORS) first.push(error)
  }
  return first
}

function describeAll(errors: readonly ErrorObject[]): Violation[] {
  let rest = errors
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

/** Adds the written value and the possible ones, for a message about the author's file. */
function context({ parentSchema, data, propertyName, params }: ErrorObject): Record<string, unknown> {
  const { properties, format } = (parentSchema ?? {}) as {
    properties?: Record<string, { readonly description?: unknown } | boolean>
    format?: string
  }
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
      return `must be one of ${listed(params.allowedValues as unknown[])}`
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
