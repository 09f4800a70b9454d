// Generates objects: chooses the properties and their order, and invents names for further ones.

import { isObject, type Json, type JsonObject } from '../kernel/value/json.ts'
import { DEAD_END } from './dead-end.ts'
import type { Facets } from './facets.ts'
import { objectOf, propertySchemas } from './schema-parts.ts'
import { WITHIN_ITSELF } from './stopgap.ts'
import { word } from './words.ts'
import type { Writer } from './writer.ts'

export function writeObject(
  run: Writer,
  facets: Facets,
  owner: string | undefined,
  budget: number,
  depth: number,
  variant: number,
): Json {
  const { required, forbidden, maxProperties } = facets
  const declared = new Set<string>()
  const gather = () => {
    for (const { properties } of facets.schemas)
      if (isObject(properties)) for (const key in properties) declared.add(key)
    for (const key of required) declared.add(key)
  }
  gather()
  const schemasOf = (key: string) => facets.schemas.flatMap(schema => propertySchemas(schema, key))
  const chosen = new Map<string, readonly unknown[]>()
  const choose = (key: string, must: boolean): boolean => {
    if (chosen.has(key)) return true
    const schemas = schemasOf(key)
    if (schemas.includes(false) || forbidden.has(key)) {
      if (must && !run.settles) throw DEAD_END
      if (must) run.note('is required but not allowed', key)
      return false
    }
    chosen.set(key, schemas)
    return true
  }
  for (let round = 0; round < 8; round++) {
    const before = chosen.size
    for (const key of [...declared].filter(one => required.has(one))) choose(key, true)
    for (const schema of facets.schemas) {
      for (const [key, others] of Object.entries(objectOf(schema.dependentRequired))) {
        if (chosen.has(key) && Array.isArray(others)) for (const other of others) required.add(String(other))
      }
      for (const [key, part] of Object.entries(objectOf(schema.dependentSchemas))) if (chosen.has(key)) facets.add(part)
    }
    gather()
    if (round === 0 && variant % 4 !== 1 && budget >= 1) {
      for (const key of declared) {
        if (chosen.size >= maxProperties) break
        if (variant % 4 > 1 && run.chance.next() < 0.5) continue
        const schemas = schemasOf(key)
        if (schemas.some(schema => run.fitting.isMarked(schema, run.hidden)) || run.circles(schemas)) continue
        choose(key, false)
      }
    } else if (chosen.size === before) break
  }
  const wanted = Math.min(MOST_MEMBERS, Math.max(facets.minProperties, sampledEntries(run, facets, declared, budget)))
  for (let i = 0; chosen.size < Math.min(wanted, maxProperties) && i < wanted * 4 + 8; i++) {
    const key = i < declared.size && facets.minProperties > 0 ? [...declared][i] : writeKey(run, facets, i, depth)
    if (key === undefined) continue
    // If the pattern is not anchored at its end, a word is appended to make the name unique.
    choose(chosen.has(key) ? `${key}${word(run.chance)}` : key, false)
  }
  const amiss = chosen.size < facets.minProperties || chosen.size > maxProperties
  if (amiss && !run.settles) throw DEAD_END
  const order = [
    ...[...declared].filter(key => chosen.has(key)),
    ...[...chosen.keys()].filter(key => !declared.has(key)),
  ]
  const share = (budget - order.length) / Math.max(1, order.length)
  const out: [string, Json][] = []
  for (const key of order) {
    try {
      // A property `name` is generated for the object that contains it: an author's name is a person's.
      const name = key === 'name' && owner !== undefined ? `${owner} name` : key
      run.path.push(key)
      out.push([key, run.value(chosen.get(key) as unknown[], name, share, depth + 1)])
    } catch (error) {
      // An optional property without a valid value is omitted.
      if (error !== DEAD_END || (required.has(key) && !run.settles)) throw error
      if (required.has(key)) run.note(WITHIN_ITSELF)
    } finally {
      run.path.pop()
    }
  }
  if (out.length < facets.minProperties && !run.settles) throw DEAD_END
  // `fromEntries` defines properties and never assigns them, so that `__proto__` becomes an ordinary property.
  return Object.fromEntries(out) as JsonObject
}

/** An object that must have more members is not made. */
const MOST_MEMBERS = 10_000

/** The number of entries of a map: an object with a schema for its values and no declared properties. */
function sampledEntries(run: Writer, { schemas }: Facets, declared: ReadonlySet<string>, budget: number): number {
  if (declared.size > 0 || budget < 1) return 0
  const values = schemas.flatMap(({ additionalProperties, patternProperties }) => [
    ...(isObject(additionalProperties) && Object.keys(additionalProperties).length > 0 ? [additionalProperties] : []),
    ...Object.values(objectOf(patternProperties)),
  ])
  return values.length === 0 || run.circles(values) ? 0 : 2
}

/** Invents a name for another property. */
function writeKey(run: Writer, { schemas }: Facets, turn: number, depth: number): string | undefined {
  const names = schemas.flatMap(({ propertyNames }) => (propertyNames === undefined ? [] : [propertyNames]))
  const patterns = schemas.flatMap(({ patternProperties }) => Object.keys(objectOf(patternProperties)))
  if (names.length > 0 || (patterns.length > 0 && turn % 2 === 0)) {
    const pattern = names.length > 0 ? [] : [{ pattern: patterns[(turn >> 1) % patterns.length] }]
    try {
      return String(run.value([{ type: 'string' }, ...names, ...pattern], undefined, 0, depth + 1, turn))
    } catch (error) {
      if (error === DEAD_END) return undefined
      throw error
    }
  }
  return turn < 6 ? word(run.chance) : `${word(run.chance)}${turn}`
}
