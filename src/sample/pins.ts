// Pins: fields that a generated value copies from the value that was sent, so that a reply takes the same branch of a union
// as the request. Independent of requests: it receives the value.

import { keyOf } from '../kernel/schema/schema.ts'
import { Decimal, isObject, type Json } from '../kernel/value/json.ts'
import { isListed } from './listed.ts'
import { type Definitions, entries, objectOf, type SchemaObject } from './schema-parts.ts'

/** A schema that chooses between branches: its properties, and those that name a branch. */
export interface Fork {
  readonly properties: ReadonlyMap<string, readonly unknown[]>
  readonly discriminators: ReadonlySet<string>
}

/** Properties that wrap a record: the value that was sent may be repeated inside one of them. */
const WRAPPERS = /^(?:data|result|item|record|entity|payload|response|value)$/i

/** The maximum depth and number of pins: properties that name a branch are near the top. */
const MOST = 40
const DEEPEST = 3

/** Returns the union of objects that a value of the schema must choose from; `undefined` if there is none. */
export function forkOf(schema: unknown, definitions: Definitions): Fork | undefined {
  const properties = new Map<string, unknown[]>()
  const discriminators = new Set<string>()
  const seen = new Set<unknown>()
  let forked = false
  const visit = (at: unknown): void => {
    if (!isObject(at) || seen.has(at)) return
    seen.add(at)
    const { $ref, allOf, anyOf, oneOf, discriminator } = at
    if (typeof $ref === 'string') visit(definitions[keyOf($ref)])
    if (isObject(discriminator) && typeof discriminator.propertyName === 'string')
      discriminators.add(discriminator.propertyName)
    else if (typeof discriminator === 'string') discriminators.add(discriminator)
    for (const [name, part] of entries(at.properties)) properties.set(name, [...(properties.get(name) ?? []), part])
    if (Array.isArray(allOf)) allOf.forEach(visit)
    for (const union of [anyOf, oneOf]) {
      if (!Array.isArray(union)) continue
      if (union.filter(branch => objectOf(branch).type !== 'null').length > 1) forked = true
      union.forEach(visit)
    }
  }
  visit(schema)
  return forked && properties.size > 0 ? { properties, discriminators } : undefined
}

/** Finds the properties of a schema that are unions and may repeat the value that was sent. */
export function wrappedForks(schema: unknown, definitions: Definitions): readonly (readonly [string, Fork])[] {
  const found: [string, Fork][] = []
  const seen = new Set<unknown>()
  const visit = (at: unknown): void => {
    if (!isObject(at) || seen.has(at)) return
    seen.add(at)
    if (typeof at.$ref === 'string') visit(definitions[keyOf(at.$ref)])
    if (Array.isArray(at.allOf)) at.allOf.forEach(visit)
    for (const [name, part] of entries(at.properties)) {
      const fork = forkOf(part, definitions)
      if (fork !== undefined) found.push([name, fork])
    }
  }
  visit(schema)
  return found
}

/**
 * Returns a schema for values that repeat the fields that were sent, if the union knows them.
 *
 * @param all whether to repeat all scalars, or only the properties that name a branch
 * @returns `undefined` if there is nothing to repeat
 */
export function pinsOf(
  sent: Json,
  fork: Fork,
  all: boolean,
  hidden: (schema: unknown) => boolean,
): SchemaObject | undefined {
  if (!isObject(sent)) return undefined
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const [name, value] of Object.entries(sent as Record<string, Json>).slice(0, MOST)) {
    const declared = fork.properties.get(name)
    if (declared === undefined || declared.some(hidden)) continue
    const decides = fork.discriminators.has(name)
    if (!decides && !all) continue
    const pin = pinOf(value, 0)
    if (pin === undefined) continue
    Object.defineProperty(properties, name, { value: pin, enumerable: true })
    if (decides) required.push(name)
  }
  return Object.keys(properties).length === 0 ? undefined : { properties, required }
}

/** The same for a record that is repeated inside a wrapper, or inside the property that it was sent in. */
export function wrappedPins(
  sent: Json,
  forks: readonly (readonly [string, Fork])[],
  all: boolean,
  hidden: (schema: unknown) => boolean,
): SchemaObject | undefined {
  for (const [name, fork] of forks) {
    const own = isObject(sent) ? (sent as Record<string, Json>)[name] : undefined
    const value = own ?? (WRAPPERS.test(name) ? sent : undefined)
    const pins = value === undefined ? undefined : pinsOf(value, fork, all, hidden)
    if (pins !== undefined) return { properties: { [name]: pins } }
  }
  return undefined
}

function pinOf(value: Json, depth: number): SchemaObject | undefined {
  if (typeof value === 'bigint' || value instanceof Decimal || Array.isArray(value)) return undefined
  if (!isObject(value)) return { const: value }
  if (depth >= DEEPEST) return undefined
  const inside = Object.entries(value as Record<string, Json>).slice(0, MOST)
  const pins = inside
    .map(([name, one]) => [name, pinOf(one, depth + 1)] as const)
    .filter(([, pin]) => pin !== undefined)
  return pins.length === 0 ? undefined : { properties: Object.fromEntries(pins) }
}

/** Collects the scalars of pins by name, at any depth. A branch with other values contradicts them. */
export function pinnedValues(pins: unknown, into: Map<string, Json> = new Map()): ReadonlyMap<string, Json> {
  for (const [name, pin] of entries(objectOf(pins).properties)) {
    const { const: value } = objectOf(pin)
    if (value === undefined) pinnedValues(pin, into)
    else into.set(name, value as Json)
  }
  return into
}

/** Returns whether a branch has other values for one of the pinned properties. */
export function denies(
  branch: unknown,
  pinned: ReadonlyMap<string, Json>,
  definitions: Definitions,
  depth = 0,
): boolean {
  if (!isObject(branch) || depth > 4) return false
  const { $ref, allOf, properties } = branch
  for (const [name, value] of pinned) {
    const { enum: choices, const: only } = objectOf(objectOf(properties)[name])
    if (Array.isArray(choices) && !isListed(choices, value)) return true
    if (only !== undefined && only !== value) return true
  }
  if (typeof $ref === 'string' && denies(definitions[keyOf($ref)], pinned, definitions, depth + 1)) return true
  return Array.isArray(allOf) && allOf.some(part => denies(part, pinned, definitions, depth + 1))
}
