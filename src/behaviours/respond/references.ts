// References: fields with the ids of other resources' records. A referenced record must exist when the field is written. A
// deletion is planned completely before anything is deleted.

import { isObject, type Json, type JsonObject, pointer } from '../../kernel/json.ts'
import { parseJson } from '../../kernel/parse-json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn } from '../../world/records/values.ts'
import type { World } from '../../world/world.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { inBody, isId, type Resource } from '../resource.ts'

/** Returns a function that finds fields with missing records; `undefined` for a resource without references. */
export function compileDangling({
  references,
}: Resource): ((fields: JsonObject, exchange: Exchange) => Promise<readonly BrokenRule[]>) | undefined {
  if (references.size === 0) return undefined
  return async (fields, { world }) => {
    const broken: BrokenRule[] = []
    for (const [field, { to }] of references) {
      const value = fields[field]
      if (value === undefined || value === null) continue
      for (const [i, id] of (Array.isArray(value) ? value : [value]).entries()) {
        const found = isId(id) ? await world.collection(to).read(id) : undefined
        if (found !== undefined) continue
        const at = pointer(Array.isArray(value) ? [field, i] : [field])
        broken.push(inBody(at, 'reference', `must be the id of a record in ${to}`))
      }
    }
    return broken
  }
}

/** Fills each empty reference with the id of the resource's first record. */
export async function supply(
  fields: JsonObject,
  supplied: readonly (readonly [field: string, resource: string])[],
  { world }: Exchange,
): Promise<JsonObject> {
  let out = fields
  for (const [field, resource] of supplied) {
    if (Object.hasOwn(out, field)) continue
    const { last } = await world.collection(resource).list({ filters: [], limit: 1 })
    if (last !== undefined) out = { ...out, [field]: last }
  }
  return out
}

/** A field with references to a resource. */
interface Referrer {
  readonly resource: Resource
  readonly field: string
  readonly onDelete: 'restrict' | 'cascade' | 'null'
  /** Whether the field holds a list of ids. */
  readonly many: boolean
  readonly nullable: boolean
}

/** Deletes the dependent records, and empties the references to the deleted one. */
type Settle = () => Promise<void>

/**
 * Plans the effects of a deletion on the records that refer to the deleted one.
 * @returns the further changes, or a sentence that says what forbids the deletion; `undefined` without references to it
 */
export function compileDeletion(
  resource: Resource,
  site: Site,
): ((id: Id, exchange: Exchange) => Promise<Settle | string>) | undefined {
  const referrers = new Map<string, readonly Referrer[]>()
  const reached = new Set([resource.name])
  for (const name of reached) {
    referrers.set(name, referrersOf(name, site))
    for (const one of referrers.get(name) ?? []) {
      if (!one.many) site.index(one.resource.name, one.field)
      if (one.onDelete === 'cascade') reached.add(one.resource.name)
    }
  }
  if (referrers.get(resource.name)?.length === 0) return undefined
  return async (id, { world }) => {
    const doomed = new Map([[`${resource.name} ${id}`, { name: resource.name, id }]])
    const named: { readonly referrer: Referrer; readonly id: Id; readonly owner: Id }[] = []
    for (const { name, id: owner } of doomed.values()) {
      for (const referrer of referrers.get(name) ?? []) {
        for (const one of await namersOf(referrer, owner, world)) {
          named.push({ referrer, id: one, owner })
          if (referrer.onDelete !== 'cascade') continue
          doomed.set(`${referrer.resource.name} ${one}`, { name: referrer.resource.name, id: one })
        }
      }
    }
    const left = named.filter(({ referrer, id }) => !doomed.has(`${referrer.resource.name} ${id}`))
    const forbidding = left.filter(({ referrer }) => referrer.onDelete === 'restrict')
    const [first] = forbidding
    if (first !== undefined) {
      const { resource: by, field } = first.referrer
      const more = forbidding.length > 1 ? `, and ${forbidding.length - 1} more` : ''
      return `the record ${first.owner} is still referenced by /${field} of the record ${first.id} in ${by.name}${more}`
    }
    return async () => {
      for (const { name, id: other } of doomed.values()) {
        if (name !== resource.name || other !== id) await world.collection(name).remove(other)
      }
      for (const one of left) await empty(one.referrer, one.id, one.owner, world)
    }
  }
}

const referrersOf = (name: string, { resources, contract }: Site): Referrer[] =>
  [...resources.values()].flatMap(resource =>
    [...resource.references].flatMap(([field, { to, onDelete }]) => {
      const node = resource.schema.shape.properties.get(field)
      if (to !== name || node === undefined) return []
      const { types } = contract.use(node)
      return [{ resource, field, onDelete, many: types.has('array'), nullable: types.has('null') }]
    }),
  )

/** Returns the ids of the records that refer to an owner. */
async function namersOf({ resource, field, many }: Referrer, owner: Id, world: World): Promise<Id[]> {
  const collection = world.collection(resource.name)
  const { text } = await collection.list({
    filters: many ? [] : [{ field, values: [owner] }],
    ...(many ? { comparisons: [{ field, is: 'contains', value: owner } as const] } : {}),
    limit: Number.POSITIVE_INFINITY,
  })
  const parsed = parseJson(text)
  const records = 'fault' in parsed || !Array.isArray(parsed.value) ? [] : parsed.value
  return records.flatMap(record => {
    const id = isObject(record) ? idIn(resource.idField, record as JsonObject) : undefined
    return isId(id) ? [id] : []
  })
}

async function empty({ resource, field, many, nullable }: Referrer, id: Id, owner: Id, world: World): Promise<void> {
  const collection = world.collection(resource.name)
  const entry = await collection.read(id)
  if (entry === undefined) return
  const { [field]: value, ...rest } = entry.value
  const others = Array.isArray(value) ? value.filter(one => String(one) !== String(owner)) : undefined
  const next: Json | undefined = many && others !== undefined ? others : nullable ? null : undefined
  await collection.replace(id, next === undefined ? rest : { ...rest, [field]: next })
}
