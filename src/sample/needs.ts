// Finds the definitions that every value of a schema must contain, even if all optional parts are omitted. A generator uses
// this to see a cycle before it enters one.

import { keyOf } from '../kernel/schema/schema.ts'
import { isObject } from '../kernel/value/json.ts'
import type { Definitions } from './schema-parts.ts'

const NOTHING: ReadonlySet<string> = new Set()

/** Needs further inside are not looked for: no generated value is as deep. */
const DEEPEST = 64

export class Needs {
  readonly #definitions: Definitions
  readonly #known = new WeakMap<object, ReadonlySet<string>>()

  constructor(definitions: Definitions) {
    this.#definitions = definitions
  }

  /** Returns the keys of the definitions that every value of this schema uses. */
  of(schema: unknown, depth = 0): ReadonlySet<string> {
    if (!isObject(schema) || depth > DEEPEST) return NOTHING
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    // On re-entry (a cycle) return the empty set; the outer call completes it.
    this.#known.set(schema, NOTHING)
    const out = new Set<string>()
    const add = (part: unknown) => {
      for (const key of this.of(part, depth + 1)) out.add(key)
    }
    const { $ref, allOf, anyOf, oneOf, required, properties, items, minItems } = schema
    if (typeof $ref === 'string') {
      out.add(keyOf($ref))
      add(this.#definitions[keyOf($ref)])
    }
    if (Array.isArray(allOf)) allOf.forEach(add)
    for (const union of [anyOf, oneOf]) {
      if (!Array.isArray(union) || union.length === 0) continue
      const [first, ...others] = union.map(branch => this.of(branch, depth + 1))
      for (const key of first ?? NOTHING) if (others.every(one => one.has(key))) out.add(key)
    }
    if (items !== undefined && typeof minItems === 'number' && minItems > 0) add(items)
    if (Array.isArray(required) && isObject(properties)) for (const name of required) add(properties[String(name)])
    this.#known.set(schema, out)
    return out
  }
}
