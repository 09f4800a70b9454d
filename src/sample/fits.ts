// Checks a value against a schema by walking both. The compiled validator takes milliseconds to compile and keeps memory; a
// generator checks each value once, part by part, and needs only yes or no.

import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { canonical, hasType, isFormat, isMultipleOf, type RequiredBy, scalarsOf } from '../kernel/schema/keywords.ts'
import { entriesOf, listOf } from '../kernel/schema/schema.ts'
import { type Definitions, propertySchemas, referredBy, regExpOf, type SchemaObject } from './schema-parts.ts'

const UNBOUNDED = Number.POSITIVE_INFINITY

const newResults = () => new Map<object, boolean>()

/** A schema that refers to itself endlessly accepts no value. */
const DEEPEST = 400

export class Fitting {
  /** The number of comparisons so far: a measure of work that is the same on any machine. */
  work = 0
  readonly definitions: Definitions
  /** Whether values are for requests; other properties may be required there than in replies. */
  readonly request: boolean
  readonly #most: number
  /** Results by value. Values are never changed, so a result holds wherever the same object or list is used. */
  readonly #known = new WeakMap<object, Map<object, boolean>>()
  #depth = 0
  #nulls = false

  /** @param most the number of comparisons after which results mean nothing */
  constructor(definitions: Definitions, request = false, most = UNBOUNDED) {
    this.definitions = definitions
    this.request = request
    this.#most = most
  }

  /** Returns whether a schema, or one that it refers to or extends, is marked. `writeOnly` is never in a reply. */
  isMarked(schema: unknown, mark: 'readOnly' | 'writeOnly', depth = 0): boolean {
    if (!isObject(schema) || depth > 8) return false
    const parts = [referredBy(schema, this.definitions), ...listOf(schema.allOf)]
    return schema[mark] === true || parts.some(part => this.isMarked(part, mark, depth + 1))
  }

  /** Returns whether a schema is marked as one of the other side. */
  isHidden(schema: unknown): boolean {
    return this.isMarked(schema, this.request ? 'readOnly' : 'writeOnly')
  }

  fitsAll(schemas: readonly unknown[], value: Json): boolean {
    return schemas.every(schema => this.fits(schema, value))
  }

  fits(schema: unknown, value: Json): boolean {
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) return true
    if (this.#depth > DEEPEST || this.work > this.#most) return false
    this.work += 1
    if (typeof value !== 'object' || value === null || this.#nulls) return this.#walk(schema, value)
    const known = getOrMake(this.#known, value, newResults)
    let fit = known.get(schema)
    if (fit === undefined) {
      fit = this.#walk(schema, value)
      known.set(schema, fit)
    }
    return fit
  }

  /** Like `fits`, but `null` inside the value is always valid: people write it in examples for absent values. */
  fitsButNulls(schema: unknown, value: Json): boolean {
    this.#nulls = value !== null
    const fit = this.fits(schema, value)
    this.#nulls = false
    return fit
  }

  #walk(schema: SchemaObject, value: Json): boolean {
    if (value === null && this.#nulls) return true
    this.#depth++
    const fit = this.#fits(schema, value)
    this.#depth--
    return fit
  }

  #fits(schema: SchemaObject, value: Json): boolean {
    if (schema.$ref !== undefined && !this.fits(referredBy(schema, this.definitions), value)) return false
    if (schema.type !== undefined && ![schema.type].flat().some(type => hasType(value, type))) return false
    if (Array.isArray(schema.enum) && !isListed(schema.enum, value)) return false
    if (schema.const !== undefined && !same(schema.const as Json, value)) return false
    if (typeof value === 'number' ? !fitsNumber(schema, value) : typeof value === 'bigint') return false
    if (typeof value === 'string' && !fitsString(schema, value)) return false
    if (Array.isArray(value) && !this.#fitsArray(schema, value)) return false
    if (isObject(value) && !this.#fitsObject(schema, value as JsonObject)) return false
    const { allOf, anyOf, oneOf, not } = schema
    if (Array.isArray(allOf) && !allOf.every(part => this.fits(part, value))) return false
    if (Array.isArray(anyOf) && !anyOf.some(part => this.fits(part, value))) return false
    if (Array.isArray(oneOf) && oneOf.filter(part => this.fits(part, value)).length !== 1) return false
    if (not !== undefined && this.fits(not, value)) return false
    return schema.if === undefined || this.fits(this.fits(schema.if, value) ? schema.then : schema.else, value)
  }

  #fitsArray(schema: SchemaObject, value: readonly Json[]): boolean {
    const { minItems, maxItems, prefixItems, items, contains, unevaluatedItems } = schema
    if (typeof minItems === 'number' && value.length < minItems) return false
    if (typeof maxItems === 'number' && value.length > maxItems) return false
    if (schema.uniqueItems === true && new Set(value.map(canonical)).size < value.length) return false
    const prefix = listOf(prefixItems)
    if (!value.every((item, index) => this.fits(index < prefix.length ? prefix[index] : items, item))) return false
    if (contains !== undefined) {
      const { minContains = 1, maxContains = UNBOUNDED } = schema
      const found = value.filter(item => this.fits(contains, item)).length
      if (found < Number(minContains) || found > Number(maxContains)) return false
    }
    return this.#fitsRest(unevaluatedItems, schema, value)
  }

  #fitsObject(schema: SchemaObject, value: JsonObject): boolean {
    const names = Object.keys(value)
    const { required, requiredBy, minProperties, maxProperties, propertyNames, unevaluatedProperties } = schema
    if (typeof minProperties === 'number' && names.length < minProperties) return false
    if (typeof maxProperties === 'number' && names.length > maxProperties) return false
    const sides = requiredBy as RequiredBy | undefined
    const has = (name: string) => Object.hasOwn(value, name)
    const isExempt = (name: string) => this.request && sides?.reply.includes(name) === true
    if (Array.isArray(required) && !required.every(name => has(name) || isExempt(name))) return false
    if (sides !== undefined && !(this.request ? sides.request : sides.reply).every(has)) return false
    for (const name of names) {
      if (!propertySchemas(schema, name).every(part => this.fits(part, value[name] as Json))) return false
      if (!this.fits(propertyNames, name)) return false
    }
    for (const [name, others] of entriesOf(schema.dependentRequired)) {
      if (has(name) && !listOf(others).every(other => has(other as string))) return false
    }
    for (const [name, part] of entriesOf(schema.dependentSchemas))
      if (has(name) && !this.fits(part, value)) return false
    return this.#fitsRest(unevaluatedProperties, schema, value)
  }

  /** Returns whether the children that no other keyword evaluates are valid for `rest`. */
  #fitsRest(rest: unknown, schema: SchemaObject, value: JsonObject | readonly Json[]): boolean {
    if (rest === undefined) return true
    const seen = this.#evaluated(schema, value)
    return Object.entries(value).every(([key, child]) => seen.has(key) || this.fits(rest, child))
  }

  /** Returns the names or positions of the children that a schema evaluates, with its parts for the same value (2020-12 §11). */
  #evaluated(schema: SchemaObject, value: JsonObject | readonly Json[]): Set<string> {
    const { allOf = [], anyOf = [], oneOf = [], prefixItems, items, contains } = schema
    const parts: unknown[] = [allOf, anyOf, oneOf].flat()
    parts.push(referredBy(schema, this.definitions))
    if (schema.if !== undefined) parts.push(schema.if, this.fits(schema.if, value) ? schema.then : schema.else)
    const reach = items === undefined ? listOf(prefixItems).length : UNBOUNDED
    const isList = Array.isArray(value)
    const keys = Object.keys(value)
    const isOwn = (key: string): boolean => {
      if (!isList) return propertySchemas(schema, key).length > 0
      return Number(key) < reach || (contains !== undefined && this.fits(contains, value[Number(key)]))
    }
    const own = keys.filter(isOwn)
    for (const [name, part] of entriesOf(schema.dependentSchemas)) if (keys.includes(name)) parts.push(part)
    const rest = isList ? 'unevaluatedItems' : 'unevaluatedProperties'
    const further = parts.flatMap(part => {
      if (!isObject(part) || !this.fits(part, value)) return []
      return part[rest] === undefined ? [...this.#evaluated(part, value)] : keys
    })
    return new Set([...own, ...further])
  }
}

/** Whether a number keeps to the keywords of numbers. */
export function fitsNumber(schema: SchemaObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema
  if (typeof minimum === 'number' && !(value >= minimum)) return false
  if (typeof maximum === 'number' && !(value <= maximum)) return false
  if (typeof exclusiveMinimum === 'number' && !(value > exclusiveMinimum)) return false
  if (typeof exclusiveMaximum === 'number' && !(value < exclusiveMaximum)) return false
  if (typeof multipleOf === 'number' && !isMultipleOf(value, multipleOf)) return false
  return typeof format !== 'string' || isFormat(format, value)
}

/** Whether a text keeps to the keywords of texts. */
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

/** The texts of the objects and lists in an `enum`. */
const listedTexts = new WeakMap<readonly Json[], ReadonlySet<string>>()

/** Returns whether a list has a value equal to this one. The list belongs to a schema and never changes. */
export function isListed(list: readonly Json[], value: Json): boolean {
  if (typeof value !== 'object' || value === null) return scalarsOf(list).has(value)
  const objects = () => new Set(list.filter(item => typeof item === 'object').map(canonical))
  return getOrMake(listedTexts, list, objects).has(canonical(value))
}

/** As many values of an `enum` are looked at for one that is generated, unless none of them is allowed. */
const MANY = 1000

/** Returns the values that are allowed, of the first part of the list that has any. */
export function firstAllowed(
  choices: readonly Json[],
  excluded: readonly (readonly Json[])[],
  isAllowed: (value: Json) => boolean,
): readonly Json[] {
  const values = choices.filter(value => !excluded.some(list => isListed(list, value)))
  for (let from = 0; from < values.length; from += MANY) {
    const allowed = values.slice(from, from + MANY).filter(isAllowed)
    if (allowed.length > 0) return allowed
  }
  return []
}

/** Returns whether two values are equal. The order of members does not count. */
const same = (a: Json, b: Json): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && canonical(a) === canonical(b))
