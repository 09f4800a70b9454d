// Which definitions a value for a schema cannot do without: what it must pass through, whatever else is left out. So that
// a generator sees, before it goes in, that a way leads in a circle.

import { isObject } from '../kernel/json.ts'
import { type Definitions, keyOf } from './fits.ts'

const NOTHING: ReadonlySet<string> = new Set()

export class Needs {
  readonly #definitions: Definitions
  readonly #known = new WeakMap<object, ReadonlySet<string>>()

  constructor(definitions: Definitions) {
    this.#definitions = definitions
  }

  /** The keys of the definitions that a value for this schema lies within, or has values of. */
  of(schema: unknown): ReadonlySet<string> {
    if (!isObject(schema)) return NOTHING
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    // Whoever comes back here while it is being found out needs nothing beyond what is found on the way.
    this.#known.set(schema, NOTHING)
    const out = new Set<string>()
    const add = (part: unknown) => {
      for (const key of this.of(part)) out.add(key)
    }
    const { $ref, allOf, anyOf, oneOf, required, properties, items, minItems } = schema
    if (typeof $ref === 'string') {
      out.add(keyOf($ref))
      add(this.#definitions[keyOf($ref)])
    }
    if (Array.isArray(allOf)) allOf.forEach(add)
    for (const union of [anyOf, oneOf]) {
      if (!Array.isArray(union) || union.length === 0) continue
      const [first, ...others] = union.map(branch => this.of(branch))
      for (const key of first ?? NOTHING) if (others.every(one => one.has(key))) out.add(key)
    }
    if (items !== undefined && typeof minItems === 'number' && minItems > 0) add(items)
    if (Array.isArray(required) && isObject(properties)) for (const name of required) add(properties[String(name)])
    this.#known.set(schema, out)
    return out
  }
}
