// Which branch of a union a value comes closest to, at first sight: by its type, the properties that are required, and
// those that name a branch. Looks at no more than the value's own properties; knows no validator.

import { isObject } from './json.ts'

/** The schema that a reference names. */
export type Lookup = (reference: string) => unknown

export interface Closest {
  readonly index: number
  /** How many branches take a value of this type. */
  readonly candidates: number
}

/** What a mistake of each kind weighs. A property that names a branch tells most. */
const NAMED_OTHERWISE = 5
const MISSING = 2
const MISTYPED = 2
const REFUSED = 1
const UNKNOWN = 0.25
/** A branch is looked at this far, and this many branches: the rest would tell nobody more. */
const MOST_PARTS = 60
const MOST_BRANCHES = 400
const MOST_PROPERTIES = 100

/** `undefined` where no branch takes a value of this type. */
export function closestBranch(branches: readonly unknown[], value: unknown, lookup: Lookup): Closest | undefined {
  let index = -1
  let least = Number.POSITIVE_INFINITY
  let candidates = 0
  for (const [at, branch] of branches.slice(0, MOST_BRANCHES).entries()) {
    const weight = weighBranch(branch, value, lookup)
    if (weight === Number.POSITIVE_INFINITY) continue
    candidates += 1
    if (weight < least) {
      least = weight
      index = at
    }
  }
  return index === -1 ? undefined : { index, candidates }
}

/** The types that the branches take; empty where one of them takes any. */
export function typesOfBranches(branches: readonly unknown[], lookup: Lookup): string[] {
  const types = branches.map(branch => {
    const named = partsOf(branch, lookup).flatMap(({ type }) => (type === undefined ? [] : [type].flat().map(String)))
    return [...new Set(named)]
  })
  return types.some(named => named.length === 0) ? [] : [...new Set(types.flat())]
}

/** The parts of a schema that hold of the same value, references followed; unions are left aside. */
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

function weighBranch(schema: unknown, value: unknown, lookup: Lookup): number {
  if (schema === false) return Number.POSITIVE_INFINITY
  const parts = partsOf(schema, lookup)
  if (parts.some(({ type }) => type !== undefined && !isOfType(value, type))) return Number.POSITIVE_INFINITY
  if (!isObject(value)) return parts.some(part => excludes(part, value)) ? NAMED_OTHERWISE : 0
  let weight = 0
  const declared = new Set<string>()
  for (const part of parts) {
    const properties = isObject(part.properties) ? part.properties : {}
    for (const name of Array.isArray(part.required) ? part.required : []) {
      if (!Object.hasOwn(value, String(name))) weight += MISSING
    }
    const names = Object.keys(value).slice(0, MOST_PROPERTIES)
    for (const name of names) {
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
  return weight + UNKNOWN * Object.keys(value).filter(name => !declared.has(name)).length
}

/** Whether the values that a schema lists do not have this one; only scalars are looked for. */
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
