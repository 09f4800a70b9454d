// Records made from the schema of their resource, the same for the same seed. Their ids are made first, for all resources,
// so that references have something to point at, in circles too.

import { type Resource, recordMistakes } from '../../behaviours/resource.ts'
import type { Contract } from '../../contract/contract.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/value/json.ts'
import { Chance, hashOf } from '../../sample/chance.ts'
import { drawUuid } from '../../world/draws.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn, withId } from '../../world/records/values.ts'

export interface WantedRecords {
  readonly resource: Resource
  readonly count: number
  /** Ids that no record may have. */
  readonly taken: ReadonlySet<unknown>
}

export interface Generated {
  readonly records: readonly JsonObject[]
  /** The fields that could not point at anything: the resource they name has no records. */
  readonly unowned: readonly string[]
}

/** How often an invalid record is generated again. */
const ATTEMPTS = 4
/** Comparisons of values with schemas, after which records are made of fields of those before: a second or two. */
const MOST_WORK = 300_000
/** The number of records that are made in full at any cost. */
const FEWEST = 10
/** How many values a record may have where there are many records. */
const LEAN = 60
const MANY = 100

/**
 * @param resources all of them, with the seeds that the others have
 * @param seed the same seed, the same records
 */
export function generateRecords(
  wanted: readonly WantedRecords[],
  resources: ReadonlyMap<string, Resource>,
  contract: Contract,
  seed: number,
): ReadonlyMap<string, Generated> {
  const ids = new Map<string, readonly Id[]>(wanted.map(one => [one.resource.name, idsOf(one, seed)]))
  const idsIn = (name: string): readonly Id[] => {
    const owners = resources.get(name)
    return ids.get(name) ?? owners?.seeds.map(record => idIn(owners.idField, record) as Id) ?? []
  }
  return new Map(
    wanted.map(one => [one.resource.name, recordsOf(one, ids.get(one.resource.name) ?? [], idsIn, contract, seed)]),
  )
}

function recordsOf(
  { resource, count }: WantedRecords,
  ids: readonly Id[],
  idsIn: (name: string) => readonly Id[],
  contract: Contract,
  seed: number,
): Generated {
  const { name, schema, idField, references } = resource
  const sampler = schema.sampler
  const unowned = new Set<string>()
  const links = [...references].flatMap(([field, { to }]) => {
    const node = schema.shape.properties.get(field)
    if (node === undefined) return []
    const { types } = contract.use(node)
    return [{ field, to, many: types.has('array'), nullable: types.has('null'), owners: idsIn(to) }]
  })
  const budget = count > MANY ? LEAN : undefined
  const bodies: JsonObject[] = []
  const begun = sampler.work
  /** The record but for its id and its references. */
  const body = (index: number, attempt: number, chance: Chance): JsonObject | undefined => {
    if (sampler.work - begun < MOST_WORK || (bodies.length < FEWEST && index < 2 * FEWEST)) {
      const options = { seed: chance.between(1, 2 ** 30), dynamic: index + attempt > 0, name, budget }
      const { value, fits } = sampler.sample(schema.key, options)
      if (!isObject(value)) return undefined
      if (fits) bodies.push(value as JsonObject)
      return value as JsonObject
    }
    if (bodies.length === 0) return undefined
    const [one, other] = [chance.pick(bodies), chance.pick(bodies)]
    // Some fields may belong together: then it is one body as it is.
    if (attempt > 1) return one
    const mixed = Object.entries(one).map(([field, said]): [string, Json] => {
      return [field, Object.hasOwn(other, field) && chance.next() < 0.5 ? (other[field] as Json) : said]
    })
    return Object.fromEntries(mixed)
  }
  const make = (index: number, attempt: number): JsonObject | undefined => {
    const chance = new Chance(hashOf(`${name}\n${seed}\n${index}\n${attempt}`))
    const value = body(index, attempt, chance)
    if (value === undefined) return undefined
    const members = new Map<string, Json>(Object.entries(withId(idField, ids[index] as Id, value)))
    for (const { field, to, many, nullable, owners } of links) {
      // A record refers to an earlier one of its kind, so that trees have a root.
      const from = to === name ? owners.slice(0, index) : owners
      if (many) members.set(field, from.length === 0 ? [] : [...new Set([chance.pick(from), chance.pick(from)])])
      else if (from.length > 0) members.set(field, chance.pick(from))
      else if (!schema.shape.required.has(field)) members.delete(field)
      else if (nullable) members.set(field, null)
      else if (to === name) members.set(field, ids[index] as Id)
      else unowned.add(field)
    }
    const record = Object.fromEntries(members)
    return recordMistakes(resource, record) === undefined ? record : undefined
  }
  const records = ids.flatMap((_, index) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const record = make(index, attempt)
      if (record !== undefined) return [record]
    }
    return []
  })
  return { records, unowned: [...unowned] }
}

function idsOf({ resource, count, taken }: WantedRecords, seed: number): Id[] {
  const { name, schema, idField, ids: kind, assign, newId } = resource
  const used = new Set<unknown>(taken)
  const sampler = schema.sampler
  const natural = assign === 'client' && kind === 'text' ? sampler.within(schema.key, [idField]) : undefined
  const ids: Id[] = []
  for (let ordinal = 1; ids.length < count && ordinal <= count + used.size * 2 + MANY; ordinal++) {
    const own = natural && naturalId(natural, ordinal)
    const drawn = assign === 'uuid' ? drawUuid(seed, name, ordinal) : newId?.(ordinal)
    const choices = kind === 'integer' ? [ordinal] : [own, drawn]
    const id = choices.find(one => one !== undefined && !used.has(one))
    if (id === undefined) continue
    used.add(id)
    ids.push(id)
  }
  return ids

  /** A key that a client would have chosen: a name, a code. */
  function naturalId(parts: readonly unknown[], ordinal: number): string | undefined {
    const chance = hashOf(`${name} id\n${seed}\n${ordinal}`)
    const { value, fits } = sampler.sampleAll(parts, { seed: chance, dynamic: ordinal > 1, name: idField })
    return fits && typeof value === 'string' && value !== '' ? value : undefined
  }
}
