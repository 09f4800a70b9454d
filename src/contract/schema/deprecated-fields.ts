// Finds the deprecated fields of a schema once, and then looks for them in values by a short walk.

import { isObject, pointer } from '../../kernel/json.ts'
import type { SchemaUse } from './dialect.ts'

export interface DeprecatedField {
  /** As a JSON Pointer in which `*` stands for any item. */
  readonly label: string
  /** Returns whether a value has the field anywhere. */
  isIn(value: unknown): boolean
}

const MAX_DEPTH = 8
const ANY = '*'

/** Returns every field with `deprecated: true`, through references, unions and arrays. */
export function deprecatedFields(schema: SchemaUse): DeprecatedField[] {
  // Most contracts have none, and walking a large one takes long.
  if (!schema.marked('deprecated')) return []
  const { key, definitions } = schema
  const found = new Map<string, DeprecatedField>()
  const walk = (schema: unknown, path: readonly string[], seen: readonly string[]): void => {
    if (!isObject(schema) || path.length > MAX_DEPTH) return
    const { $ref, properties, items, allOf, anyOf, oneOf } = schema
    if (typeof $ref === 'string') {
      const target = $ref.slice($ref.lastIndexOf('/') + 1)
      // A recursive schema repeats the same fields; one round is enough.
      if (!seen.includes(target)) walk(definitions[target], path, [...seen, target])
    }
    if (schema.deprecated === true && path.length > 0) {
      const label = pointer(path)
      found.set(label, { label, isIn: value => has(value, path, 0) })
    }
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      walk(property, [...path, name], seen)
    }
    walk(items, [...path, ANY], seen)
    for (const branch of [allOf, anyOf, oneOf].flatMap(list => (Array.isArray(list) ? list : [])))
      walk(branch, path, seen)
  }
  walk(definitions[key], [], [key])
  return [...found.values()]
}

function has(value: unknown, path: readonly string[], at: number): boolean {
  if (at === path.length) return true
  const key = path[at] as string
  if (Array.isArray(value)) return key === ANY && value.some(item => has(item, path, at + 1))
  return isObject(value) && Object.hasOwn(value, key) && has(value[key], path, at + 1)
}
