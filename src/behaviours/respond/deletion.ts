// The effects of a deletion on the records that refer to the deleted one. A deletion is planned completely before anything is
// deleted.

import type { Json, JsonObject } from '../../kernel/json.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn, indexKeyOf } from '../../world/records/values.ts'
import type { World } from '../../world/world.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { isId, type Resource, readPage } from '../resource.ts'
import { queryOfReferring, type Referrer, referrersOf, referringTo } from './key.ts'

/** A plan asks for the records that refer to a record, and ends with the deletion, or with a sentence that says what forbids it. */
type DeletionPlan = Generator<readonly [owner: Id, referrer: Referrer], string | Deletion, readonly JsonObject[]>

/** Plans a deletion by the records of a request. */
export async function planDeletion(plan: DeletionPlan, exchange: Exchange): Promise<string | Deletion> {
  let next = plan.next([])
  while (!next.done) {
    const [owner, referrer] = next.value
    next = plan.next(await referringTo([owner], referrer, exchange))
  }
  return next.value
}

/**
 * Compiles the plan of a deletion with its effects on the records that refer to the deleted one; `undefined` without references
 * to it.
 */
export function compileDeletion(resource: Resource, site: Site): ((deleted: RecordName) => DeletionPlan) | undefined {
  const referrers = new Map<string, readonly Referrer[]>()
  const reached = new Set([resource.name])
  for (const name of reached) {
    const own = referrersOf(name, site)
    referrers.set(name, own)
    for (const one of own) {
      if (!one.many) site.index(one.resource.name, one.field)
      if (one.onDelete === 'cascade') reached.add(one.resource.name)
    }
  }
  if (referrers.get(resource.name)?.length === 0) return undefined
  return function* (deleted): DeletionPlan {
    const doomed = new Map([[`${resource.name} ${deleted.key}`, { name: resource.name, ...deleted }]])
    const named: Named[] = []
    for (const { name, id: owner } of doomed.values()) {
      for (const referrer of referrers.get(name) ?? []) {
        const { name: by, idField, within } = referrer.resource
        for (const record of yield [owner, referrer]) {
          const id = idIn(idField, record)
          const key = indexKeyOf(record, idField, within)
          if (!isId(id) || key === undefined) continue
          named.push({ id, key, referrer, owner })
          if (referrer.onDelete === 'cascade') doomed.set(`${by} ${key}`, { name: by, id, key })
        }
      }
    }
    const left = named.filter(({ referrer, key }) => !doomed.has(`${referrer.resource.name} ${key}`))
    const forbidding = left.filter(({ referrer }) => referrer.onDelete === 'restrict')
    const [first] = forbidding
    if (first !== undefined) {
      const { resource: by, field } = first.referrer
      const more = forbidding.length > 1 ? `, and ${forbidding.length - 1} more` : ''
      return `the record ${first.owner} is still referenced by /${field} of the record ${first.id} in ${by.name}${more}`
    }
    doomed.delete(`${resource.name} ${deleted.key}`)
    return { dependent: [...doomed.values()], left }
  }
}

/** The id of a record, and its key, which differs where ids are unique only among those of the same owners. */
interface RecordName {
  readonly id: Id
  readonly key: Id
}

/** A record that refers to an owner that is deleted. */
interface Named extends RecordName {
  readonly referrer: Referrer
  readonly owner: Id
}

/** The effects of a deletion: the records that are deleted too, and those whose reference is emptied. */
interface Deletion {
  readonly dependent: readonly (RecordName & { readonly name: string })[]
  readonly left: readonly Named[]
}

/** Does the effects of a deletion. */
export async function settle({ dependent, left }: Deletion, exchange: Exchange): Promise<void> {
  for (const { name, key } of dependent) await exchange.records(name).remove(key)
  for (const { referrer, key, owner } of left) {
    const collection = exchange.records(referrer.resource.name)
    const entry = await collection.read(key)
    if (entry !== undefined) await collection.replace(key, emptied(entry.value, referrer, owner))
  }
}

/**
 * Compiles a deletion with its effects without a wait in it, within a world. It returns a sentence if one forbids it, and nothing is
 * deleted then.
 */
export function compileDeletionAtOnce(
  resource: Resource,
  site: Site,
): (deleted: RecordName, world: World) => string | undefined {
  const plan = compileDeletion(resource, site)
  return (deleted, world) => {
    const steps = plan?.(deleted)
    let next = steps?.next([])
    while (next !== undefined && !next.done) {
      const [owner, referrer] = next.value
      const { text } = world.collection(referrer.resource.name).listAtOnce(queryOfReferring([owner], referrer))
      next = steps?.next(readPage(text))
    }
    const planned = next?.value
    if (typeof planned === 'string') return planned
    world.collection(resource.name).removeAtOnce(deleted.key)
    for (const { name, key } of planned?.dependent ?? []) world.collection(name).removeAtOnce(key)
    for (const { referrer, key, owner } of planned?.left ?? []) {
      const collection = world.collection(referrer.resource.name)
      const entry = collection.find(key)
      if (entry !== undefined) collection.replaceAtOnce(key, emptied(entry.value, referrer, owner))
    }
    return undefined
  }
}

/** Returns a record without its reference to an owner. */
function emptied(record: JsonObject, { field, many, nullable }: Referrer, owner: Id): JsonObject {
  const { [field]: value, ...rest } = record
  const others = many && Array.isArray(value) ? value.filter(id => String(id) !== String(owner)) : undefined
  const next: Json | undefined = others ?? (nullable ? null : undefined)
  return next === undefined ? rest : { ...rest, [field]: next }
}
