// Schemas as values: what is not needed left out, what is repeated shared. Knows no validator.

import type { Schema } from './schema.ts'

/**
 * The same schema for values that have no other members than these, wherever: what it says of all others need not be
 * compiled. That they are known stays, and so do their descriptions.
 */
export function narrow(schema: Schema, names: ReadonlySet<string>): Schema {
  // What was one object stays one: see `shareRepeated`.
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

/** The same schema, with the parts that occur in it more than once compiled once: behind references. */
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
