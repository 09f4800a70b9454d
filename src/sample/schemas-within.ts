// Finds the schemas of a nested value: follows a path of names and positions through references and compositions.

import { keyOf } from '../kernel/schema/schema.ts'
import { isObject } from '../kernel/value/json.ts'
import { type Definitions, propertySchemas } from './schema-parts.ts'

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
    const { $ref, allOf, anyOf, oneOf, items, prefixItems } = schema
    if (typeof $ref === 'string') visit(definitions[keyOf($ref)])
    found.push(...propertySchemas(schema, step))
    if (/^\d+$/.test(step)) {
      const place = Array.isArray(prefixItems) ? prefixItems[Number(step)] : undefined
      if (place !== undefined || items !== undefined) found.push(place ?? items)
    }
    // The first alternative that has the property is enough: the whole value is checked afterwards.
    for (const parts of [allOf, anyOf, oneOf]) {
      for (const part of Array.isArray(parts) ? parts : []) {
        if (parts !== allOf && found.length > 0) break
        visit(part)
      }
    }
  }
  schemas.forEach(visit)
  return found.filter(isObject)
}
