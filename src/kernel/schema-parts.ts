// Reduces schemas: removes parts that are not needed and shares repeated ones. Independent of validators.

import type { Schema } from './schema.ts'

/**
 * Returns the schema for values that have only these members, at any depth. The schemas of all other members are removed;
 * their names and descriptions stay, so that they are still known.
 */
export function narrow(schema: Schema, names: ReadonlySet<string>): Schema {
  // One object in, one object out: `shareRepeated` relies on it.
  const narrowed = new Map<object, unknown>()
  const copy = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    let made = narrowed.get(value)
    if (made === undefined) {
      made = Array.isArray(value) ? value.map(copy) : mapMembers(value, member)
      narrowed.set(value, made)
    }
    return made
  }
  const member = (value: unknown, keyword: string): unknown => {
    if (keyword !== 'properties') return copy(value)
    return mapMembers(value as object, (property, name) =>
      names.has(name) ? copy(property) : { description: (property as { description?: string }).description },
    )
  }
  return copy(schema) as Schema
}

const mapMembers = (object: object, change: (value: unknown, key: string) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** Returns the schema with each repeated part moved behind a reference, so that it is compiled once. */
export function shareRepeated(schema: Schema): Schema {
  const seen = new Map<object, number>()
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const times = (seen.get(value) ?? 0) + 1
    seen.set(value, times)
    if (times === 1) for (const item of Object.values(value)) count(item)
  }
  count(schema)
  const $defs: Record<string, unknown> = {}
  const names = new Map<object, string>()
  const share = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(share)
    const copy = () => mapMembers(value, share)
    if (seen.get(value) === 1 || !('properties' in value)) return copy()
    let name = names.get(value)
    if (name === undefined) {
      name = `shared${names.size}`
      names.set(value, name)
      $defs[name] = copy()
    }
    return { $ref: `#/$defs/${name}` }
  }
  return { ...(share(schema) as object), $defs }
}
