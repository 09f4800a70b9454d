// Reads the parts of a schema: the keys of its references, the schemas of its properties, and its patterns.

import type { Schema } from '../kernel/schema/schema.ts'
import { compilePattern } from '../kernel/text/pattern.ts'
import { isObject } from '../kernel/value/json.ts'

export type SchemaObject = Readonly<Record<string, unknown>>
/** Schemas by key: `#/$defs/KEY`. */
export type Definitions = Readonly<Record<string, Schema>>

/** Returns the schemas for one property: by name, by pattern, else `additionalProperties`. */
export function propertySchemas(schema: SchemaObject, name: string): unknown[] {
  const { properties, patternProperties, additionalProperties } = schema
  const out: unknown[] = []
  if (isObject(properties) && Object.hasOwn(properties, name)) out.push(properties[name])
  for (const [pattern, part] of entries(patternProperties)) if (regExpOf(pattern)?.test(name) !== false) out.push(part)
  if (out.length === 0 && additionalProperties !== undefined) out.push(additionalProperties)
  return out
}

export const objectOf = (value: unknown): SchemaObject => (isObject(value) ? value : {})

export const entries = (value: unknown): [string, unknown][] => (isObject(value) ? Object.entries(value) : [])

const expressions = new Map<string, RegExp | undefined>()

/** Compiles a pattern as the validator does; `undefined` for an invalid one, which then matches everything. */
export function regExpOf(pattern: string): RegExp | undefined {
  if (!expressions.has(pattern)) {
    if (expressions.size > 2000) expressions.clear()
    expressions.set(pattern, compilePattern(pattern))
  }
  return expressions.get(pattern)
}
