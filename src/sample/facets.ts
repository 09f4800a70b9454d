// Gathers the constraints of several schemas for one value: follows references, merges `allOf`, picks one branch of each
// union. Generates nothing. Most values that are built from the result are valid; the caller checks.

import { isObject, type Json } from '../kernel/json.ts'
import type { RequiredBy } from '../kernel/schema/keywords.ts'
import { entriesOf, keyOf, listOf, TYPE_OF } from '../kernel/schema/schema.ts'
import { isListed } from './fits.ts'
import { type Definitions, objectOf, referredBy, type SchemaObject } from './schema-parts.ts'

const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const
export type Type = (typeof TYPES)[number]

/** Chooses one of the alternatives; `branches` are in the order of the document. */
export type Pick = (branches: readonly unknown[], facets: Facets) => unknown

const UNBOUNDED = Number.POSITIVE_INFINITY

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

  minimum = -UNBOUNDED
  maximum = UNBOUNDED
  exclusiveMinimum = -UNBOUNDED
  exclusiveMaximum = UNBOUNDED
  minLength = 0
  maxLength = UNBOUNDED
  minItems = 0
  maxItems = UNBOUNDED
  minProperties = 0
  maxProperties = UNBOUNDED
  unique = false
  contentEncoding: string | undefined = undefined
  /** The words of `x-faker`, which say more of the meaning than the name of the property: `internet email`. */
  topic: string | undefined = undefined
  readonly multiples: number[] = []
  readonly patterns: string[] = []
  readonly formats: string[] = []
  readonly required = new Set<string>()
  readonly forbidden = new Set<string>()

  readonly #definitions: Definitions
  readonly #pick: Pick
  readonly #request: boolean

  /** @param request whether the value is for a request; other properties may be required there than in a reply */
  constructor(
    schemas: readonly unknown[],
    definitions: Definitions,
    pick: Pick = branches => branches[0],
    request = false,
  ) {
    this.#definitions = definitions
    this.#pick = pick
    this.#request = request
    for (const schema of schemas) this.add(schema)
  }

  add(schema: unknown): void {
    if (schema === false) this.possible = false
    if (!isObject(schema) || this.schemas.includes(schema)) return
    this.schemas.push(schema)
    this.#assertions(schema)
    const { $ref, allOf, anyOf, oneOf, not } = schema
    if (typeof $ref === 'string') this.keys.add(keyOf($ref))
    this.add(referredBy(schema, this.#definitions))
    for (const part of listOf(allOf)) this.add(part)
    for (const union of [anyOf, oneOf]) {
      if (!Array.isArray(union) || union.length === 0) continue
      if (union === oneOf && union.length > 1) this.doubtful = true
      this.add(this.#pick(union, this))
    }
    if (schema.if !== undefined) {
      this.doubtful = true
      // `if` and `then` apply together or not at all; the choice is made like that of a branch.
      const otherwise = schema.else === undefined ? {} : { allOf: [schema.else] }
      this.add(this.#pick([{ allOf: [schema.if, schema.then ?? true] }, { not: schema.if, ...otherwise }], this))
    }
    if (not !== undefined) this.#exclude(not)
    for (const [name, part] of entriesOf(schema.dependentSchemas)) {
      this.doubtful = true
      if (this.required.has(name)) this.add(part)
    }
  }

  #assertions(schema: SchemaObject): void {
    const { pattern, format, multipleOf, contentEncoding, example, examples } = schema
    if (schema.type !== undefined) this.types = intersect(this.types, [schema.type].flat())
    const given = schema.const === undefined ? schema.enum : [schema.const]
    if (Array.isArray(given)) {
      const known = this.choices
      if (known !== undefined) this.doubtful = true
      this.choices = known === undefined ? given : given.filter(value => isListed(known, value))
    }
    if (Array.isArray(schema.named)) {
      const { named } = this
      const both = named === undefined ? schema.named : schema.named.filter(name => isListed(named, name))
      this.named = both.length > 0 ? both : named
    }
    // The schema's own example is preferred to that of a reference.
    for (const value of [example, ...listOf(examples), schema.default])
      if (value !== undefined) this.proposals.push(value as Json)
    for (const keyword in schema) {
      if (DOUBTFUL.has(keyword)) this.doubtful = true
      const tighter = BOUNDS.get(keyword)
      const bound = schema[keyword]
      if (tighter !== undefined && typeof bound === 'number')
        this[keyword as BoundKeyword] = tighter(this[keyword as BoundKeyword], bound)
    }
    const { 'x-faker': faker } = schema
    if (typeof faker === 'string') this.topic ??= faker.replaceAll('.', ' ')
    if (typeof multipleOf === 'number') this.multiples.push(multipleOf)
    if (typeof pattern === 'string') this.patterns.push(pattern)
    if (typeof format === 'string') this.formats.push(format)
    if (typeof contentEncoding === 'string') this.contentEncoding = contentEncoding
    if (schema.uniqueItems === true) this.unique = true
    const { request = [], reply = [] } = objectOf(schema.requiredBy) as Partial<RequiredBy>
    for (const name of listOf(schema.required).map(String)) {
      if (!this.#request || !reply.includes(name)) this.required.add(name)
    }
    if (this.#request) for (const name of request) this.required.add(name)
  }

  /** Applies a `not` if that is simple; otherwise the final check does. */
  #exclude(not: unknown): void {
    this.doubtful = true
    if (not === true || (isObject(not) && Object.keys(not).length === 0)) this.possible = false
    if (!isObject(not)) return
    const keywords = Object.keys(not)
    const only = (...names: string[]) => keywords.every(keyword => names.includes(keyword))
    const list = objectOf(only('$ref') ? referredBy(not, this.#definitions) : undefined)
    const isList = Object.keys(list).every(keyword => LISTING.has(keyword))
    for (const values of [isList ? list.enum : undefined, not.enum, not.const === undefined ? undefined : [not.const]])
      if (Array.isArray(values)) this.excluded.push(values)
    if (only('type')) {
      const types = [not.type].flat()
      this.types = this.types.filter(type => !types.includes(type))
    }
    if (Array.isArray(not.required) && only('required', 'type')) {
      const free = not.required.map(String).filter(name => !this.required.has(name))
      const name = this.#pick(free.length > 0 ? free : not.required, this)
      if (typeof name === 'string') this.forbidden.add(name)
    }
    if (only('anyOf')) for (const part of listOf(not.anyOf)) this.#exclude(part)
  }

  /** Returns why no value fits, as the rest of a sentence that begins with the place: `its bounds exclude each other`. */
  get whyImpossible(): string {
    if (!this.possible) return 'allows no value'
    if (this.types.length === 0) return 'has types that exclude each other'
    if (this.choices?.length === 0) return 'has lists of values that exclude each other'
    const bounds = [
      [Math.max(this.minimum, this.exclusiveMinimum), Math.min(this.maximum, this.exclusiveMaximum)],
      [this.minLength, this.maxLength],
      [this.minItems, this.maxItems],
      [this.minProperties, this.maxProperties],
    ] as const
    if (bounds.some(([low, high]) => low > high)) return 'has bounds that exclude each other'
    return 'has a schema for which no value was found'
  }
}

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const
type BoundKeyword = (typeof LOWER | typeof UPPER)[number]

/** The keywords of bounds, with the function that returns the tighter one of two. */
const BOUNDS = new Map<string, (a: number, b: number) => number>([
  ...LOWER.map(keyword => [keyword, Math.max] as const),
  ...UPPER.map(keyword => [keyword, Math.min] as const),
])

const DOUBTFUL = new Set([
  'contains',
  'dependentRequired',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** The keywords of a schema that is a list of values. */
const LISTING: ReadonlySet<string> = new Set(['type', 'enum', 'title', 'description'])

function intersect(types: readonly Type[], named: readonly unknown[]): readonly Type[] {
  const wanted = named.filter((type): type is Type => TYPES.includes(type as Type))
  // Types that JSON Schema does not define are ignored.
  if (wanted.length === 0) return types
  const out = wanted.flatMap((type): Type[] => {
    if (types.includes(type)) return [type]
    if (type === 'number' && types.includes('integer')) return ['integer']
    return type === 'integer' && types.includes('number') ? ['integer'] : []
  })
  return [...new Set(out)]
}

/** Returns the first type that is not `null`; without `type`, the type that the other keywords apply to. */
export function typeOf({ types, schemas }: Facets, variant: number): Type {
  const telling = types.filter(type => type !== 'null')
  const shift = Math.floor(variant / 3)
  if (types.length < TYPES.length) return (shift === 0 ? telling : types)[shift % types.length] ?? (types[0] as Type)
  const meant = schemas.flatMap(schema =>
    [...TYPE_OF].flatMap(([key, type]) => (schema[key] === undefined ? [] : type)),
  )
  const order = [...meant, 'string', ...types] as const
  return order[shift % order.length] as Type
}
