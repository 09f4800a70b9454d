// The branches of unions: their order, the ones that repeat the value that was sent, and the ones that overlap. A pin is a
// field that a generated value copies from the value that was sent, so that a reply takes the same branch as the request.

import { Decimal, isObject, type Json, type JsonObject, put } from '../kernel/json.ts'
import { entriesOf, listOf } from '../kernel/schema/schema.ts'
import type { Chance } from './chance.ts'
import { Facets } from './facets.ts'
import { type Fitting, isListed } from './fits.ts'
import { type Definitions, objectOf, propertySchemas, referredBy, type SchemaObject } from './schema-parts.ts'

/**
 * Sorts branches by rank, in the order of the document: 0 for values, 1 for `null`, 2 for those that begin a cycle, 3 for
 * those that contradict pins. `chance` rotates those of the first kind at random.
 */
export function orderBranches(
  branches: readonly unknown[],
  rankOf: (branch: unknown) => number,
  chance: Chance | undefined,
): readonly unknown[] {
  if (branches.length < 2) return branches
  const ranked = branches.map(branch => ({ branch, rank: rankOf(branch) })).sort((a, b) => a.rank - b.rank)
  const count = ranked.filter(({ rank }) => rank === 0).length
  const shift = chance === undefined || count === 0 ? 0 : chance.between(0, count - 1)
  const order = ranked.map(({ branch }) => branch)
  return [...order.slice(shift, count), ...order.slice(0, shift), ...order.slice(count)]
}

/** A schema that chooses between branches: its properties, and those that name a branch. */
export interface Fork {
  /** The property that has this schema; `undefined` for the root. */
  readonly name: string | undefined
  readonly properties: ReadonlyMap<string, readonly unknown[]>
  readonly discriminators: ReadonlySet<string>
  /** The branches of each union. */
  readonly unions: readonly (readonly unknown[])[]
}

/** Properties that wrap a record: the value that was sent may be repeated inside one of them. */
export const isWrapperName = (name: string): boolean =>
  /^(?:data|result|item|record|entity|payload|response|value)$/i.test(name)

/** The maximum depth and number of pins: properties that name a branch are near the top. */
const MOST = 40
const DEEPEST = 3

/** Returns the unions of objects that may repeat the value that was sent: the schema itself, and its properties. */
export function forksOf(schema: unknown, definitions: Definitions): readonly Fork[] {
  const forks = [forkOf(schema, definitions)]
  const seen = new Set<unknown>()
  const visit = (at: unknown): void => {
    if (!isObject(at) || seen.has(at)) return
    seen.add(at)
    for (const part of [referredBy(at, definitions), ...listOf(at.allOf)]) visit(part)
    for (const [name, part] of entriesOf(at.properties)) forks.push(forkOf(part, definitions, name))
  }
  visit(schema)
  return forks.filter(fork => fork !== undefined)
}

function forkOf(schema: unknown, definitions: Definitions, name?: string): Fork | undefined {
  const properties = new Map<string, unknown[]>()
  const discriminators = new Set<string>()
  const seen = new Set<unknown>()
  const unions: (readonly unknown[])[] = []
  const visit = (at: unknown): void => {
    if (!isObject(at) || seen.has(at)) return
    seen.add(at)
    const { allOf, anyOf, oneOf, discriminator } = at
    visit(referredBy(at, definitions))
    const property = isObject(discriminator) ? discriminator.propertyName : discriminator
    if (typeof property === 'string') discriminators.add(property)
    for (const [name, part] of entriesOf(at.properties)) properties.set(name, [...(properties.get(name) ?? []), part])
    listOf(allOf).forEach(visit)
    for (const union of [listOf(anyOf), listOf(oneOf)]) {
      if (union.filter(branch => objectOf(branch).type !== 'null').length > 1) unions.push(union)
      union.forEach(visit)
    }
  }
  visit(schema)
  if (unions.length === 0 || properties.size === 0) return undefined
  return { name, properties, discriminators, unions }
}

/** Returns the value of a fork's place that was sent. A record may be repeated inside a wrapper. */
const sentTo = (place: string | undefined, sent: Json): unknown =>
  place === undefined ? sent : (objectOf(sent)[place] ?? (isWrapperName(place) ? sent : undefined))

/**
 * Returns whether a value of a reply takes a branch that the value that was sent takes too, at each union that knows a field of
 * it. A value that was sent and takes no branch agrees with all.
 *
 * @param request fits values that are sent
 */
export const takesSameBranches = (
  value: Json,
  sent: Json,
  forks: readonly Fork[],
  reply: Fitting,
  request: Fitting,
): boolean =>
  forks.every(({ name, properties, unions }) => {
    const said = sentTo(name, sent)
    const shown = name === undefined ? value : (objectOf(value)[name] as Json | undefined)
    if (!isObject(said) || !isObject(shown) || !Object.keys(said).some(key => properties.has(key))) return true
    return unions.every(union => {
      const taken = union.filter(branch => request.fits(branch, said as JsonObject))
      return taken.length === 0 || taken.some(branch => reply.fits(branch, shown as JsonObject))
    })
  })

/**
 * Returns a schema for values that repeat the fields that were sent, if one of the unions knows them. A record may be
 * repeated inside a wrapper, or inside the property that it was sent in.
 *
 * @param all whether to repeat all scalars, or only the properties that name a branch
 * @returns `undefined` if there is nothing to repeat
 */
export function pinsOf(
  sent: Json,
  forks: readonly Fork[],
  all: boolean,
  hidden: (schema: unknown) => boolean,
): SchemaObject | undefined {
  for (const { name: place, properties, discriminators } of forks) {
    const inside = sentTo(place, sent)
    const pins: Record<string, unknown> = {}
    const required: string[] = []
    for (const [name, value] of entriesOf(inside).slice(0, MOST)) {
      const declared = properties.get(name)
      const decides = discriminators.has(name)
      if (declared === undefined || declared.some(hidden) || !(decides || all)) continue
      const pin = pinOf(value as Json, 0)
      if (pin === undefined) continue
      put(pins, name, pin)
      if (decides) required.push(name)
    }
    if (Object.keys(pins).length === 0) continue
    const pinned = { properties: pins, required }
    return place === undefined ? pinned : { properties: { [place]: pinned } }
  }
  return undefined
}

function pinOf(value: Json, depth: number): SchemaObject | undefined {
  if (typeof value === 'bigint' || value instanceof Decimal || Array.isArray(value)) return undefined
  if (!isObject(value)) return { const: value }
  if (depth >= DEEPEST) return undefined
  const pins = Object.entries(value as JsonObject)
    .slice(0, MOST)
    .map(([name, one]) => [name, pinOf(one, depth + 1)] as const)
    .filter(([, pin]) => pin !== undefined)
  return pins.length === 0 ? undefined : { properties: Object.fromEntries(pins) }
}

/** Collects the scalars of pins by name, at any depth. A branch with other values contradicts them. */
export function pinnedValues(pins: unknown, into: Map<string, Json> = new Map()): ReadonlyMap<string, Json> {
  for (const [name, pin] of entriesOf(objectOf(pins).properties)) {
    const { const: value } = objectOf(pin)
    if (value === undefined) pinnedValues(pin, into)
    else into.set(name, value as Json)
  }
  return into
}

/** Returns whether a branch has other values for one of the pinned properties, or is closed and does not have it. */
export function denies(
  branch: unknown,
  pinned: ReadonlyMap<string, Json>,
  definitions: Definitions,
  depth = 0,
): boolean {
  if (pinned.size === 0 || !isObject(branch) || depth > 4) return false
  for (const [name, value] of pinned) {
    const { enum: choices, const: only } = objectOf(objectOf(branch.properties)[name])
    if (Array.isArray(choices) && !isListed(choices, value)) return true
    if (only !== undefined && only !== value) return true
  }
  const { properties, patternProperties, additionalProperties } = branch
  const isClosed = additionalProperties === false && isObject(properties) && patternProperties === undefined
  if (isClosed && [...pinned.keys()].some(name => !Object.hasOwn(properties, name))) return true
  const parts = [referredBy(branch, definitions), ...listOf(branch.allOf)]
  return parts.some(part => denies(part, pinned, definitions, depth + 1))
}

/** One value of each type. */
const ODDITIES: readonly Json[] = ['none', 1, true, null, [], {}]

/** A branch of a union, with the schemas that it is made of. */
interface Rival {
  readonly schema: unknown
  readonly parts: readonly SchemaObject[]
}

/** A property with an unusual value. */
type Odd = readonly [name: string, value: Json]

/**
 * Returns an object that is valid for exactly one of several branches: it gets a property that only one of them allows, else
 * a property against each of the others. Branches without required properties and without closed objects cannot be
 * distinguished in any other way.
 */
export function tellApart(
  value: JsonObject,
  schemas: readonly unknown[],
  fitting: Fitting,
  fits: (value: Json) => boolean,
): Json | undefined {
  const branches: Rival[] = []
  /** The branches of each `oneOf` that are valid for the value: one too many. */
  const rivals: Rival[][] = []
  const pick = (all: readonly unknown[], facets: Facets): unknown => {
    if (all.length < 2) return all[0]
    const own = all.map((schema): Rival => ({ schema, parts: new Facets([schema], fitting.definitions).schemas }))
    branches.push(...own)
    const valid = own.filter(({ schema }) => fitting.fits(schema, value))
    if (valid.length > 1 && facets.schemas.some(({ oneOf }) => oneOf === all)) rivals.push(valid)
    return all[0]
  }
  new Facets(schemas, fitting.definitions, pick)
  const names = new Set(branches.flatMap(({ parts }) => parts.flatMap(part => Object.keys(objectOf(part.properties)))))
  const odds = [...names].flatMap(name => ODDITIES.map((odd): Odd => [name, odd]))
  const allows = ({ parts }: Rival, [name, odd]: Odd) =>
    parts.every(part => propertySchemas(part, name).every(schema => fitting.fits(schema, odd)))
  const isOpen = ({ parts }: Rival) => !parts.some(part => NARROWING.some(keyword => part[keyword] !== undefined))
  for (const odd of odds) {
    // Two branches that remain valid are one too many, so the whole need not be checked.
    const remains = (all: readonly Rival[]) => all.filter(one => isOpen(one) && allows(one, odd)).length > 1
    if (rivals.some(remains) || branches.every(one => allows(one, odd))) continue
    const next = { ...value, [odd[0]]: odd[1] }
    if (fits(next)) return next
  }
  for (const all of rivals) {
    for (const kept of all) {
      const against = all
        .filter(one => one !== kept)
        .map(one => odds.find(odd => !allows(one, odd) && allows(kept, odd)))
      if (against.includes(undefined)) continue
      const next = { ...value, ...Object.fromEntries(against as Odd[]) }
      if (fits(next)) return next
    }
  }
  return undefined
}

/** Keywords that may refuse a property besides its schemas. */
const NARROWING = ['unevaluatedProperties', 'propertyNames', 'maxProperties', 'dependentSchemas', 'dependentRequired']
