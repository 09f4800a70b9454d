// All that several schemas say of one value, gathered: references followed, `allOf` merged, one branch of each union
// picked. Generates nothing, and promises only that most values built from it will fit.

import { isObject, type Json } from '../kernel/json.ts'
import type { RequiredBy } from '../kernel/schema.ts'
import { type Definitions, keyOf, type SchemaObject } from './fits.ts'

export const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const
export type Type = (typeof TYPES)[number]

/** Chooses one of so many alternatives; `branches` are in the order of the document. */
export type Pick = (branches: readonly unknown[]) => unknown

export class Facets {
  /** What was gathered, references followed: a value must fit each of them. */
  readonly schemas: SchemaObject[] = []
  /** The definitions that were passed through. */
  readonly keys = new Set<string>()
  /** Whether anything at all can fit. */
  possible = true
  /** Whether a value that was built from the facets may still not fit, and has to be checked. */
  doubtful = false
  types: readonly Type[] = TYPES
  /** The values of `enum` and `const`, where there are such. */
  choices: readonly Json[] | undefined = undefined
  readonly excluded: Json[] = []
  /** Of several values, those to write: each names one branch of a union. */
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

  /** @param request whether it is for a request, of which other properties may be required than of a reply */
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
      // Either both hold, or neither: which of the two is chosen like a branch.
      this.add(this.#pick([{ allOf: [schema.if, schema.then ?? true] }, { not: schema.if, ...asPart(schema.else) }]))
    }
    if (not !== undefined) this.#exclude(not)
    for (const [name, part] of Object.entries(asObject(schema.dependentSchemas))) {
      this.doubtful = true
      if (this.required.has(name)) this.add(part)
    }
  }

  #assertions(schema: SchemaObject): void {
    if (schema.type !== undefined) this.types = intersect(this.types, [schema.type].flat())
    const given = schema.const === undefined ? schema.enum : [schema.const]
    if (Array.isArray(given)) {
      if (this.choices !== undefined) this.doubtful = true
      const known = this.choices?.map(item => JSON.stringify(item))
      this.choices = known === undefined ? given : given.filter(item => known.includes(JSON.stringify(item)))
    }
    if (Array.isArray(schema.named)) {
      const { named } = this
      const both = named === undefined ? schema.named : schema.named.filter(name => named.includes(name))
      this.named = both.length > 0 ? both : named
    }
    // A value of its own, if it has one, is nearer than what a reference brings.
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
    const { request = [], reply = [] } = asObject(schema.requiredBy) as Partial<RequiredBy>
    for (const name of Array.isArray(schema.required) ? schema.required.map(String) : []) {
      if (!this.#request || !reply.includes(name)) this.required.add(name)
    }
    if (this.#request) for (const name of request) this.required.add(name)
    if (DOUBTFUL.some(keyword => schema[keyword] !== undefined)) this.doubtful = true
  }

  /** A `not` is obeyed where that is easy; the check sees to the rest. */
  #exclude(not: unknown): void {
    this.doubtful = true
    if (not === true || (isObject(not) && Object.keys(not).length === 0)) this.possible = false
    if (!isObject(not)) return
    const keywords = Object.keys(not)
    if (Array.isArray(not.enum)) this.excluded.push(...(not.enum as Json[]))
    if (not.const !== undefined) this.excluded.push(not.const as Json)
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

const asObject = (value: unknown): SchemaObject => (isObject(value) ? value : {})
const asPart = (value: unknown): SchemaObject => (value === undefined ? {} : { allOf: [value] })
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

function intersect(types: readonly Type[], named: readonly unknown[]): Type[] {
  const wanted = TYPES.filter(type => named.includes(type))
  // A type that JSON Schema does not know says nothing.
  if (wanted.length === 0) return [...types]
  const order = named.filter((type): type is Type => TYPES.includes(type as Type))
  const out = order.flatMap((type): Type[] => {
    if (types.includes(type)) return [type]
    if (type === 'number' && types.includes('integer')) return ['integer']
    return type === 'integer' && types.includes('number') ? ['integer'] : []
  })
  return [...new Set(out)]
}
