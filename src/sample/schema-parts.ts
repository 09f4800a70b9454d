// Reads the parts of a schema: the targets of its references, the schemas of its properties, and its patterns.

import { isObject } from '../kernel/json.ts'
import { getOrMake } from '../kernel/memo.ts'
import { compilePattern } from '../kernel/pattern.ts'
import { entriesOf, keyOf, listOf, type Schema } from '../kernel/schema/schema.ts'

export type SchemaObject = Readonly<Record<string, unknown>>
/** Schemas by key: `#/$defs/KEY`. */
export type Definitions = Readonly<Record<string, Schema>>

export const objectOf = (value: unknown): SchemaObject => (isObject(value) ? value : {})

/** Returns the schema that a schema refers to. */
export const referredBy = ({ $ref }: SchemaObject, definitions: Definitions): Schema | undefined =>
  typeof $ref === 'string' ? definitions[keyOf($ref)] : undefined

/** Returns the schemas for one property: by name, by pattern, else `additionalProperties`. */
export function propertySchemas(schema: SchemaObject, name: string): unknown[] {
  const { properties, patternProperties, additionalProperties } = schema
  const out: unknown[] = []
  if (isObject(properties) && Object.hasOwn(properties, name)) out.push(properties[name])
  for (const [pattern, part] of entriesOf(patternProperties))
    if (regExpOf(pattern)?.test(name) !== false) out.push(part)
  if (out.length === 0 && additionalProperties !== undefined) out.push(additionalProperties)
  return out
}

const expressions = new Map<string, RegExp | undefined>()

/** Compiles a pattern as the validator does; `undefined` for an invalid one, which then matches everything. */
export function regExpOf(pattern: string): RegExp | undefined {
  if (expressions.size > 2000) expressions.clear()
  return getOrMake(expressions, pattern, () => compilePattern(pattern))
}

/** Returns what the schemas say about the value at `path` inside their value, from all branches of their unions. */
export const schemasWithin = (
  schemas: readonly unknown[],
  path: readonly string[],
  definitions: Definitions,
): readonly unknown[] => path.reduce<readonly unknown[]>((found, step) => inside(found, step, definitions), schemas)

function inside(schemas: readonly unknown[], step: string, definitions: Definitions): unknown[] {
  const found: unknown[] = []
  const seen = new Set<unknown>()
  const visit = (schema: unknown): void => {
    if (!isObject(schema) || seen.has(schema)) return
    seen.add(schema)
    const { allOf, anyOf, oneOf, items, prefixItems } = schema
    visit(referredBy(schema, definitions))
    found.push(...propertySchemas(schema, step))
    if (/^\d+$/.test(step)) found.push(listOf(prefixItems)[Number(step)] ?? items)
    listOf(allOf).forEach(visit)
    // The first alternative that has the property is enough: the whole value is checked afterwards.
    for (const part of [...listOf(anyOf), ...listOf(oneOf)]) if (found.length === 0) visit(part)
  }
  schemas.forEach(visit)
  return found.filter(isObject)
}

const NOTHING: ReadonlySet<string> = new Set()
/** Needs further inside are not looked for: no generated value is as deep. */
const DEEPEST = 64

/** Returns the keys of the definitions that every value of a schema uses, even if all optional parts are omitted. */
export type NeedsOf = (schema: unknown, depth?: number) => ReadonlySet<string>

/** Finds needs among definitions, so that a generator sees a cycle before it enters one. */
export function needsAmong(definitions: Definitions): NeedsOf {
  const known = new WeakMap<object, ReadonlySet<string>>()
  const needsOf = (schema: unknown, depth = 0): ReadonlySet<string> => {
    if (!isObject(schema) || depth > DEEPEST) return NOTHING
    const needs = known.get(schema)
    if (needs !== undefined) return needs
    // On re-entry (a cycle) return the empty set; the outer call completes it.
    known.set(schema, NOTHING)
    const out = new Set<string>()
    const add = (part: unknown) => {
      for (const key of needsOf(part, depth + 1)) out.add(key)
    }
    const { $ref, allOf, anyOf, oneOf, required, properties, items, minItems } = schema
    if (typeof $ref === 'string') out.add(keyOf($ref))
    for (const part of [referredBy(schema, definitions), ...listOf(allOf)]) add(part)
    for (const union of [listOf(anyOf), listOf(oneOf)]) {
      const [first = NOTHING, ...others] = union.map(branch => needsOf(branch, depth + 1))
      for (const key of first) if (others.every(one => one.has(key))) out.add(key)
    }
    if (typeof minItems === 'number' && minItems > 0) add(items)
    for (const name of listOf(required)) add(objectOf(properties)[String(name)])
    known.set(schema, out)
    return out
  }
  return needsOf
}
