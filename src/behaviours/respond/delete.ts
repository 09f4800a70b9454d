// `delete: books`: deletes a record, with its effects on those that refer to it.

import { responseFor, successStatus } from '../../contract/contract.ts'
import type { Json } from '../../kernel/json.ts'
import type { Id } from '../../world/records/types.ts'
import { idIn, indexKeyOf } from '../../world/records/values.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { isId, type Resource } from '../resource.ts'
import { deleteKeys, type RespondConfig } from './config.ts'
import { compileFinder, type Referrer, referrersOf, referringTo, refuseConflict } from './key.ts'
import { onRecord } from './on-record.ts'
import { type Give, withoutBody } from './reply.ts'

/** `delete` is a reserved word. */
export const deletion = onRecord('delete', deleteKeys, compileDelete, 204, 200)

function compileDelete(config: RespondConfig, resource: Resource, give: Give, site: Site): Handler {
  const { identify, get } = compileFinder(resource, config, site)
  const status = successStatus(site.operation, 204, 200)
  const gives = status !== 204 && (responseFor(site.operation, status)?.content.size ?? 0) > 0
  const consequences = compileDeletion(resource, site)
  return async exchange => {
    const id = identify(exchange) as Id
    for (;;) {
      const entry = await get(exchange, id)
      if ('status' in entry) return entry
      const settle = consequences && (await consequences({ id, key: entry.id }, exchange))
      if (typeof settle === 'string') return refuseConflict(site.operation, settle)
      const removed = await exchange.records(resource.name).remove(entry.id, entry.revision)
      if (removed !== 'removed') continue
      await settle?.()
      return gives ? give(entry, status, exchange) : withoutBody(status)
    }
  }
}

/**
 * Plans the effects of a deletion on the records that refer to the deleted one.
 *
 * @returns a function that deletes the dependent records and empties the references to the deleted one, or a sentence that says
 * what forbids the deletion; `undefined` without references to it
 */
export function compileDeletion(
  resource: Resource,
  site: Site,
): ((deleted: RecordName, exchange: Exchange) => Promise<string | (() => Promise<void>)>) | undefined {
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
  return async (deleted, exchange) => {
    const doomed = new Map([[`${resource.name} ${deleted.key}`, { name: resource.name, ...deleted }]])
    const named: (RecordName & { readonly referrer: Referrer; readonly owner: Id })[] = []
    for (const { name, id: owner } of doomed.values()) {
      for (const referrer of referrers.get(name) ?? []) {
        const { name: by, idField, within } = referrer.resource
        for (const record of await referringTo([owner], referrer, exchange)) {
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
    return async () => {
      for (const { name, key } of doomed.values()) {
        if (name !== resource.name || key !== deleted.key) await exchange.records(name).remove(key)
      }
      for (const one of left) await empty(one.referrer, one.key, one.owner, exchange)
    }
  }
}

/** The id of a record, and its key, which differs where ids are unique only among those of the same owners. */
interface RecordName {
  readonly id: Id
  readonly key: Id
}

async function empty(
  { resource, field, many, nullable }: Referrer,
  key: Id,
  owner: Id,
  exchange: Exchange,
): Promise<void> {
  const collection = exchange.records(resource.name)
  const entry = await collection.read(key)
  if (entry === undefined) return
  const { [field]: value, ...rest } = entry.value
  const others = many && Array.isArray(value) ? value.filter(one => String(one) !== String(owner)) : undefined
  const next: Json | undefined = others ?? (nullable ? null : undefined)
  await collection.replace(key, next === undefined ? rest : { ...rest, [field]: next })
}
