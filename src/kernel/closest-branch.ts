// Finds the branch of a union that a value is closest to, by its type, the required properties, and the properties that
// name a branch. Looks at the value's own properties only; independent of validators.

import { isObject } from './json.ts'

/** Returns the schema of a reference. */
export type Lookup = (reference: string) => unknown

export interface Closest {
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

/** Returns the closest branch; `undefined` if no branch accepts a value of this type. */
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
export function typesOfBranches(branches: readonly unknown[], lookup: Lookup): string[] {
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
  if (!isObject(value)) return parts.some(part => excludes(part, value)) ? NAMED_OTHERWISE : 0
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
        if (excludes(inside, value[name])) weight += NAMED_OTHERWISE
        if (inside.type !== undefined && !isOfType(value[name], inside.type)) weight += MISTYPED
      }
    }
  }
  return weight + UNKNOWN * (names.length - declared.size)
}

/** Returns whether `const` or `enum` excludes this scalar. */
function excludes(schema: Record<string, unknown>, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return false
  const { enum: values, const: only } = schema
  return (Array.isArray(values) && !values.includes(value)) || (only !== undefined && only !== value)
}

function isOfType(value: unknown, type: unknown): boolean {
  return [type].flat().some(one => {
    if (one === 'integer') return typeof value === 'bigint' || Number.isInteger(value)
    if (one === 'number') return typeof value === 'bigint' || typeof value === 'number'
    if (one === 'array') return Array.isArray(value)
    if (one === 'object') return isObject(value)
    return one === 'null' ? value === null : typeof value === one
  })
}
