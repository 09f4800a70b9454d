// Gathers the constraints of several schemas for one value: follows references, merges `allOf`, picks one branch of each
// union. Generates nothing. Most values that are built from the result are valid; the caller checks.

import type { RequiredBy } from '../kernel/schema/keywords.ts'
import { keyOf } from '../kernel/schema/schema.ts'
import { isObject, type Json } from '../kernel/value/json.ts'
import { intersectionOf, isListed } from './listed.ts'
import { type Definitions, objectOf, type SchemaObject } from './schema-parts.ts'

export const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const
export type Type = (typeof TYPES)[number]

/** Chooses one of the alternatives; `branches` are in the order of the document. */
export type Pick = (branches: readonly unknown[]) => unknown

export class Facets {
  /** The gathered schemas, with references followed. A value must be valid for each of them. */
  readonly schemas: SchemaObject[] = []
  /** The definitions that were followed. */
  readonly keys = new Set<string>()
  /** Whether any value can be valid. */
  possible = true
  /** Whether a value that was built from the facets may be invalid, and has to be checked. */
  doubtful = false
  types: readonly Type[] = TYPES
  /** The values of `enum` and `const`, if there are any. */
  choices: readonly Json[] | undefined = undefined
  /** Lists of values that are not allowed. */
  readonly excluded: (readonly Json[])[] = []
  /** The values to prefer when writing: each names one branch of a union. */
  named: readonly Json[] | undefined = undefined
  /** Values that the schema itself proposes, the first one first. */
  readonly proposals: Json[] = []

  minimum = Number.NEGATIVE_INFINITY
  maximum = Number.POSITIVE_INFINITY
  above = Number.NEGATIVE_INFINITY
  below = Number.POSITIVE_INFINITY
  readonly multiples: number[] = []

  minLength = 0
  maxLength = Number.POSITIVE_INFINITY
  readonly patterns: string[] = []
  readonly formats: string[] = []
  contentEncoding: string | undefined = undefined

  minItems = 0
  maxItems = Number.POSITIVE_INFINITY
  unique = false

  minProperties = 0
  maxProperties = Number.POSITIVE_INFINITY
  readonly required = new Set<string>()
  readonly forbidden = new Set<string>()

  readonly #definitions: Definitions
  readonly #pick: Pick
  readonly #request: boolean

  /** @param request whether the value is for a request; other properties may be required there than in a reply */
  constructor(definitions: Definitions, pick: Pick, request = false) {
    this.#definitions = definitions
    this.#pick = pick
    this.#request = request
  }

  add(schema: unknown): void {
    if (schema === false) this.possible = false
    if (!isObject(schema) || this.schemas.includes(schema)) return
    this.schemas.push(schema)
    this.#assertions(schema)
    const { $ref, allOf, anyOf, oneOf, not } = schema
    if (typeof $ref === 'string') {
      this.keys.add(keyOf($ref))
      this.add(this.#definitions[keyOf($ref)])
    }
    if (Array.isArray(allOf)) for (const part of allOf) this.add(part)
    if (Array.isArray(anyOf) && anyOf.length > 0) this.add(this.#pick(anyOf))
    if (Array.isArray(oneOf) && oneOf.length > 0) {
      if (oneOf.length > 1) this.doubtful = true
      this.add(this.#pick(oneOf))
    }
    if (schema.if !== undefined) {
      this.doubtful = true
      // `if` and `then` apply together or not at all; the choice is made like that of a branch.
      this.add(this.#pick([{ allOf: [schema.if, schema.then ?? true] }, { not: schema.if, ...asPart(schema.else) }]))
    }
    if (not !== undefined) this.#exclude(not)
    for (const [name, part] of Object.entries(objectOf(schema.dependentSchemas))) {
      this.doubtful = true
      if (this.required.has(name)) this.add(part)
    }
  }

  #assertions(schema: SchemaObject): void {
    if (schema.type !== undefined) this.types = intersect(this.types, [schema.type].flat())
    const given = schema.const === undefined ? schema.enum : [schema.const]
    if (Array.isArray(given)) {
      if (this.choices !== undefined) this.doubtful = true
      const known = this.choices
      this.choices = known === undefined ? given : intersectionOf(given, known)
    }
    if (Array.isArray(schema.named)) {
      const { named } = this
      const both = named === undefined ? schema.named : schema.named.filter(name => isListed(named, name))
      this.named = both.length > 0 ? both : named
    }
    // The schema's own example is preferred to that of a reference.
    const { example, examples } = schema
    const proposed = [example, ...(Array.isArray(examples) ? examples : []), schema.default]
    for (const value of proposed) if (value !== undefined) this.proposals.push(value as Json)
    this.minimum = Math.max(this.minimum, numberOf(schema.minimum) ?? this.minimum)
    this.maximum = Math.min(this.maximum, numberOf(schema.maximum) ?? this.maximum)
    this.above = Math.max(this.above, numberOf(schema.exclusiveMinimum) ?? this.above)
    this.below = Math.min(this.below, numberOf(schema.exclusiveMaximum) ?? this.below)
    if (typeof schema.multipleOf === 'number') this.multiples.push(schema.multipleOf)
    this.minLength = Math.max(this.minLength, numberOf(schema.minLength) ?? 0)
    this.maxLength = Math.min(this.maxLength, numberOf(schema.maxLength) ?? this.maxLength)
    if (typeof schema.pattern === 'string') this.patterns.push(schema.pattern)
    if (typeof schema.format === 'string') this.formats.push(schema.format)
    if (typeof schema.contentEncoding === 'string') this.contentEncoding = schema.contentEncoding
    this.minItems = Math.max(this.minItems, numberOf(schema.minItems) ?? 0)
    this.maxItems = Math.min(this.maxItems, numberOf(schema.maxItems) ?? this.maxItems)
    if (schema.uniqueItems === true) this.unique = true
    this.minProperties = Math.max(this.minProperties, numberOf(schema.minProperties) ?? 0)
    this.maxProperties = Math.min(this.maxProperties, numberOf(schema.maxProperties) ?? this.maxProperties)
    const { request = [], reply = [] } = objectOf(schema.requiredBy) as Partial<RequiredBy>
    for (const name of Array.isArray(schema.required) ? schema.required.map(String) : []) {
      if (!this.#request || !reply.includes(name)) this.required.add(name)
    }
    if (this.#request) for (const name of request) this.required.add(name)
    if (DOUBTFUL.some(keyword => schema[keyword] !== undefined)) this.doubtful = true
  }

  #excludeAll(list: unknown): void {
    if (Array.isArray(list)) this.excluded.push(list)
  }

  /** Applies a `not` if that is simple; otherwise the final check does. */
  #exclude(not: unknown): void {
    this.doubtful = true
    if (not === true || (isObject(not) && Object.keys(not).length === 0)) this.possible = false
    if (!isObject(not)) return
    const keywords = Object.keys(not)
    const list = typeof not.$ref === 'string' ? this.#definitions[keyOf(not.$ref)] : undefined
    if (isObject(list) && Object.keys(list).every(keyword => LISTING.has(keyword)) && keywords.length === 1)
      this.#excludeAll(list.enum)
    this.#excludeAll(not.enum)
    if (not.const !== undefined) this.excluded.push([not.const as Json])
    if (keywords.every(keyword => keyword === 'type')) {
      const types = [not.type].flat()
      this.types = this.types.filter(type => !types.includes(type))
    }
    if (Array.isArray(not.required) && keywords.every(keyword => keyword === 'required' || keyword === 'type')) {
      const free = not.required.map(String).filter(name => !this.required.has(name))
      const name = this.#pick(free.length > 0 ? free : not.required)
      if (typeof name === 'string') this.forbidden.add(name)
    }
    for (const part of Array.isArray(not.anyOf) && keywords.length === 1 ? not.anyOf : []) this.#exclude(part)
  }
}

const DOUBTFUL = ['contains', 'dependentRequired', 'propertyNames', 'unevaluatedProperties', 'unevaluatedItems']

/** The keywords of a schema that is a list of values. */
const LISTING: ReadonlySet<string> = new Set(['type', 'enum', 'title', 'description'])

const asPart = (value: unknown): SchemaObject => (value === undefined ? {} : { allOf: [value] })
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

function intersect(types: readonly Type[], named: readonly unknown[]): Type[] {
  const wanted = TYPES.filter(type => named.includes(type))
  // Types that JSON Schema does not define are ignored.
  if (wanted.length === 0) return [...types]
  const order = named.filter((type): type is Type => TYPES.includes(type as Type))
  const out = order.flatMap((type): Type[] => {
    if (types.includes(type)) return [type]
    if (type === 'number' && types.includes('integer')) return ['integer']
    return type === 'integer' && types.includes('number') ? ['integer'] : []
  })
  return [...new Set(out)]
}
