// Reduces schemas: removes parts that are not needed for the values to check, and shares repeated ones. Independent of
// validators.

import { isObject } from '../value/json.ts'

type Keywords = Readonly<Record<string, unknown>>
type AnySchema = boolean | Keywords

/**
 * Returns the schema for values that have only these members, at any depth. The schemas of all other members are removed;
 * their names and descriptions stay, so that they are still known.
 */
export function narrow(schema: AnySchema, names: ReadonlySet<string>): AnySchema {
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
  return copy(schema) as AnySchema
}

const mapMembers = (object: object, change: (value: unknown, key: string) => unknown): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** Returns the schema with each repeated part moved behind a reference, so that it is compiled once. */
export function shareRepeated(schema: AnySchema): AnySchema {
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

/** Keywords whose schemas apply to the same value. */
const SAME = ['not', 'if', 'then', 'else'] as const
const CONDITION = new Set<string>(['if', 'then'])
const SAME_LISTS = ['allOf', 'anyOf', 'oneOf'] as const
/** Keywords with one schema, with a list of schemas, and with schemas by name. */
const SINGLE = new Set<string>([
  ...SAME,
  ...['items', 'additionalProperties', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
])
const LISTS = new Set<string>([...SAME_LISTS, 'prefixItems'])
/** Keywords whose schema applies to any property. */
const EVERY_PROPERTY = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas'])

/**
 * Returns the definitions that a value reaches, which judge it as the whole ones do: its mistakes can be described without
 * compiling a large schema whole. The schemas of absent members, and of
 * members that fit, are `true` in them.
 *
 * @param fits whether a member is known to be valid
 * @param matches whether a property's name matches a pattern
 */
export function reachedBy(
  value: unknown,
  key: string,
  definitions: Keywords,
  fits: (schema: Keywords, value: unknown) => boolean,
  matches: (pattern: string, name: string) => boolean,
): Record<string, unknown> {
  /** The values that each kept schema judges. */
  const judged = new Map<object, Set<unknown>>()
  /** The valid values of schemas that are not reached otherwise; if a schema is reached, they are validated, too. */
  const fitting = new Map<object, unknown[]>()
  const keys = new Set<string>([key])

  const visitMember = (schema: unknown, member: unknown): void => {
    if (!isObject(schema)) return
    if (judged.has(schema) || !fits(schema, member)) visit(schema, member)
    else fitting.set(schema, [...(fitting.get(schema) ?? []), member])
  }
  const visit = (schema: unknown, at: unknown): void => {
    if (!isObject(schema)) return
    let values = judged.get(schema)
    if (values === undefined) {
      values = new Set()
      judged.set(schema, values)
      for (const other of fitting.get(schema) ?? []) visit(schema, other)
    }
    if (values.has(at)) return
    values.add(at)
    if (typeof schema.$ref === 'string') {
      keys.add(keyOf(schema.$ref))
      visit(definitions[keyOf(schema.$ref)], at)
    }
    // A discriminator may have a hundred conditions, and one that does not hold needs no consequence.
    const isIdle = schema.else === undefined && excludes(schema.if, at)
    for (const keyword of SAME) if (!isIdle || !CONDITION.has(keyword)) visit(schema[keyword], at)
    for (const keyword of SAME_LISTS) for (const part of listOf(schema[keyword])) visit(part, at)
    if (Array.isArray(at)) visitItems(schema, at)
    else if (isObject(at)) visitMembers(schema, at)
  }
  const visitItems = (schema: Keywords, items: readonly unknown[]): void => {
    const prefix = listOf(schema.prefixItems)
    for (const [index, item] of items.entries()) {
      visitMember(index < prefix.length ? prefix[index] : schema.items, item)
      visitMember(schema.contains, item)
      visitMember(schema.unevaluatedItems, item)
    }
  }
  const visitMembers = (schema: Keywords, object: Keywords): void => {
    const { properties, patternProperties, dependentSchemas } = schema
    const patterns = entriesOf(patternProperties)
    // A large object costs only what the schema says about its properties.
    const names =
      patterns.length > 0 || EVERY_PROPERTY.some(keyword => isObject(schema[keyword]))
        ? Object.keys(object)
        : [properties, dependentSchemas]
            .flatMap(entriesOf)
            .flatMap(([name]) => (Object.hasOwn(object, name) ? name : []))
    for (const name of names) {
      const member = object[name]
      if (isObject(properties) && Object.hasOwn(properties, name)) visitMember(properties[name], member)
      for (const [pattern, part] of patterns) if (matches(pattern, name)) visitMember(part, member)
      visitMember(schema.additionalProperties, member)
      visitMember(schema.unevaluatedProperties, member)
      visitMember(schema.propertyNames, name)
      if (isObject(dependentSchemas) && Object.hasOwn(dependentSchemas, name)) visit(dependentSchemas[name], object)
    }
  }
  visit(definitions[key], value)

  const copies = new Map<object, unknown>()
  const copy = (schema: unknown): unknown => {
    if (!isObject(schema)) return schema
    if (!judged.has(schema)) return true
    let made = copies.get(schema)
    if (made === undefined) {
      const isIdle = isObject(schema.if) && !judged.has(schema.if)
      made = Object.fromEntries(
        Object.entries(schema).map(([keyword, part]) => [
          keyword,
          isIdle && CONDITION.has(keyword) ? true : copyPart(keyword, part),
        ]),
      )
      copies.set(schema, made)
    }
    return made
  }
  const copyPart = (keyword: string, part: unknown): unknown => {
    if (SINGLE.has(keyword)) return copy(part)
    if (LISTS.has(keyword) && Array.isArray(part)) return part.map(copy)
    if (!MAPS.has(keyword) || !isObject(part)) return part
    return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, copy(one)]))
  }
  return Object.fromEntries([...keys].map(one => [one, copy(definitions[one] ?? true)]))
}

/** Whether a value lacks a property that a schema requires, or has a text in it that the schema does not list. */
function excludes(schema: unknown, value: unknown): boolean {
  if (!isObject(schema) || !isObject(value)) return false
  if (listOf(schema.required).some(name => typeof name === 'string' && !Object.hasOwn(value, name))) return true
  return entriesOf(schema.properties).some(
    ([name, one]) =>
      Object.hasOwn(value, name) &&
      typeof value[name] === 'string' &&
      isObject(one) &&
      Array.isArray(one.enum) &&
      !one.enum.includes(value[name]),
  )
}

/** Returns the key of a reference to a definition: `#/$defs/KEY`. */
export const keyOf = (reference: string): string => reference.slice('#/$defs/'.length)
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const entriesOf = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])
