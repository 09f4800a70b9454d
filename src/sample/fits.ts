// Checks a value against a schema by walking both. The compiled validator takes milliseconds to compile and keeps memory; a
// generator checks each value once, part by part, and needs only yes or no.

import type { RequiredBy } from '../kernel/schema/keywords.ts'
import { keyOf, type Schema } from '../kernel/schema/schema.ts'
import { isObject, type Json, type JsonObject } from '../kernel/value/json.ts'
import { fitsNumber, fitsString } from './fits-scalar.ts'
import { canonicalText, isListed, same } from './listed.ts'
import { type Definitions, entries, propertySchemas, type SchemaObject } from './schema-parts.ts'

/** A schema that refers to itself endlessly accepts no value. */
const DEEPEST = 400
/** The number of properties from which their list is kept. */
const LARGE = 1000

export class Fitting {
  /** The number of comparisons so far: a measure of work that is the same on any machine. */
  work = 0
  readonly #definitions: Definitions
  readonly #request: boolean
  readonly #most: number
  /** Results by value. Values are never changed, so a result holds wherever the same object or list is used. */
  readonly #known = new WeakMap<object, Map<object, boolean>>()
  /** The properties of large objects, which each branch of a union looks at again. */
  readonly #names = new WeakMap<object, readonly string[]>()
  #depth = 0
  #nulls = false

  /**
   * @param request whether values are for requests; other properties may be required there than in replies
   * @param most the number of comparisons after which results mean nothing
   */
  constructor(definitions: Definitions, request = false, most = Number.POSITIVE_INFINITY) {
    this.#definitions = definitions
    this.#request = request
    this.#most = most
  }

  /** Returns whether a schema, or one that it refers to or extends, is marked. `writeOnly` is never in a reply. */
  isMarked(schema: unknown, mark: 'readOnly' | 'writeOnly', depth = 0): boolean {
    if (!isObject(schema) || depth > 8) return false
    const { $ref, allOf } = schema
    if (schema[mark] === true) return true
    if (typeof $ref === 'string' && this.isMarked(this.#target($ref), mark, depth + 1)) return true
    return Array.isArray(allOf) && allOf.some(part => this.isMarked(part, mark, depth + 1))
  }

  fits(schema: Schema | unknown, value: Json): boolean {
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) return true
    if (this.#depth > DEEPEST || this.work > this.#most) return false
    this.work += 1
    if (typeof value !== 'object' || value === null || this.#nulls) return this.#walk(schema, value)
    let known = this.#known.get(value)
    if (known === undefined) {
      known = new Map()
      this.#known.set(value, known)
    }
    let fit = known.get(schema)
    if (fit === undefined) {
      fit = this.#walk(schema, value)
      known.set(schema, fit)
    }
    return fit
  }

  /** Like `fits`, but `null` inside the value is always valid: people write it in examples for absent values. */
  fitsButNulls(schema: Schema | unknown, value: Json): boolean {
    if (value === null) return this.fits(schema, value)
    this.#nulls = true
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
    if (typeof schema.$ref === 'string' && !this.fits(this.#target(schema.$ref), value)) return false
    if (schema.type !== undefined && ![schema.type].flat().some(type => hasType(value, type))) return false
    if (Array.isArray(schema.enum) && !isListed(schema.enum, value)) return false
    if (schema.const !== undefined && !same(schema.const as Json, value)) return false
    if (typeof value === 'number' ? !fitsNumber(schema, value) : typeof value === 'bigint') return false
    if (typeof value === 'string' && !fitsString(schema, value)) return false
    if (Array.isArray(value) && !this.#fitsArray(schema, value)) return false
    if (isObject(value) && !this.#fitsObject(schema, value as JsonObject)) return false
    return this.#combines(schema, value)
  }

  #combines(schema: SchemaObject, value: Json): boolean {
    const { allOf, anyOf, oneOf, not } = schema
    if (Array.isArray(allOf) && !allOf.every(part => this.fits(part, value))) return false
    if (Array.isArray(anyOf) && !anyOf.some(part => this.fits(part, value))) return false
    if (Array.isArray(oneOf) && oneOf.filter(part => this.fits(part, value)).length !== 1) return false
    if (not !== undefined && this.fits(not, value)) return false
    if (schema.if !== undefined) {
      const branch = this.fits(schema.if, value) ? schema.then : schema.else
      if (branch !== undefined && !this.fits(branch, value)) return false
    }
    return true
  }

  #fitsArray(schema: SchemaObject, value: readonly Json[]): boolean {
    const { minItems, maxItems, prefixItems, items, contains } = schema
    if (typeof minItems === 'number' && value.length < minItems) return false
    if (typeof maxItems === 'number' && value.length > maxItems) return false
    if (schema.uniqueItems === true && new Set(value.map(canonicalText)).size < value.length) return false
    const prefix = Array.isArray(prefixItems) ? prefixItems : []
    for (const [index, item] of value.entries()) {
      const part = index < prefix.length ? prefix[index] : items
      if (part !== undefined && !this.fits(part, item)) return false
    }
    if (contains !== undefined) {
      const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema
      const found = value.filter(item => this.fits(contains, item)).length
      if (found < Number(minContains) || found > Number(maxContains)) return false
    }
    if (schema.unevaluatedItems !== undefined) {
      const seen = this.#evaluatedItems(schema, value)
      if (value.some((item, index) => !seen.has(index) && !this.fits(schema.unevaluatedItems, item))) return false
    }
    return true
  }

  #fitsObject(schema: SchemaObject, value: JsonObject): boolean {
    const names = this.#namesOf(value)
    const { required, minProperties, maxProperties, propertyNames, unevaluatedProperties } = schema
    if (typeof minProperties === 'number' && names.length < minProperties) return false
    if (typeof maxProperties === 'number' && names.length > maxProperties) return false
    if (
      Array.isArray(required) &&
      !required.every(name => Object.hasOwn(value, name) || this.#isExempt(schema, name))
    ) {
      return false
    }
    if (schema.requiredBy !== undefined) {
      const { request, reply } = schema.requiredBy as RequiredBy
      if (!(this.#request ? request : reply).every(name => Object.hasOwn(value, name))) return false
    }
    for (const name of names) {
      if (!propertySchemas(schema, name).every(part => this.fits(part, value[name] as Json))) return false
      if (propertyNames !== undefined && !this.fits(propertyNames, name)) return false
    }
    for (const [name, others] of entries(schema.dependentRequired)) {
      if (!Object.hasOwn(value, name) || !Array.isArray(others)) continue
      if (!others.every(other => Object.hasOwn(value, other))) return false
    }
    for (const [name, part] of entries(schema.dependentSchemas)) {
      if (Object.hasOwn(value, name) && !this.fits(part, value)) return false
    }
    if (unevaluatedProperties !== undefined) {
      const seen = this.#evaluatedProperties(schema, value)
      if (names.some(name => !seen.has(name) && !this.fits(unevaluatedProperties, value[name] as Json))) return false
    }
    return true
  }

  #namesOf(value: JsonObject): readonly string[] {
    let names = this.#names.get(value)
    if (names === undefined) {
      names = Object.keys(value)
      if (names.length > LARGE) this.#names.set(value, names)
    }
    return names
  }

  /** Returns whether a property is required of replies only, while this is a request. */
  #isExempt({ requiredBy }: SchemaObject, name: string): boolean {
    return this.#request && requiredBy !== undefined && (requiredBy as RequiredBy).reply.includes(name)
  }

  /** Returns the parts of a schema that apply to the same value and evaluate its children (2020-12 §11). */
  #companions(schema: SchemaObject, value: Json): SchemaObject[] {
    const { $ref, allOf = [], anyOf = [], oneOf = [] } = schema
    const parts: unknown[] = [allOf, anyOf, oneOf].flat()
    if (typeof $ref === 'string') parts.push(this.#target($ref))
    if (schema.if !== undefined) parts.push(schema.if, this.fits(schema.if, value) ? schema.then : schema.else)
    if (isObject(value)) {
      for (const [name, part] of entries(schema.dependentSchemas)) if (Object.hasOwn(value, name)) parts.push(part)
    }
    return parts.filter((part): part is SchemaObject => isObject(part) && this.fits(part, value))
  }

  #evaluatedProperties(schema: SchemaObject, value: JsonObject): Set<string> {
    const own = Object.keys(value).filter(name => propertySchemas(schema, name).length > 0)
    return new Set([
      ...own,
      ...this.#companions(schema, value).flatMap(part => [
        ...this.#evaluatedProperties(part, value),
        ...(part.unevaluatedProperties === undefined ? [] : Object.keys(value)),
      ]),
    ])
  }

  #evaluatedItems(schema: SchemaObject, value: readonly Json[]): Set<number> {
    const { prefixItems, items, contains } = schema
    const reach = items !== undefined ? value.length : Array.isArray(prefixItems) ? prefixItems.length : 0
    const own = [...value.keys()].filter(
      index => index < reach || (contains !== undefined && this.fits(contains, value[index] as Json)),
    )
    return new Set([
      ...own,
      ...this.#companions(schema, value).flatMap(part => [
        ...this.#evaluatedItems(part, value),
        ...(part.unevaluatedItems === undefined ? [] : value.keys()),
      ]),
    ])
  }

  #target(reference: string): Schema {
    return this.#definitions[keyOf(reference)] ?? true
  }
}

function hasType(value: Json, type: unknown): boolean {
  if (type === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
  if (type === 'number') return typeof value === 'bigint' || Number.isFinite(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === 'null' ? value === null : typeof value === type
}
