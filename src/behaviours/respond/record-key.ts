// Finds a record by the id in a request, which may be unique only among the records of the owners in the path.

import type { Json, JsonObject } from '../../kernel/json.ts'
import { type Entry, type Id, idIn } from '../../world/collection.ts'
import { joinKey } from '../../world/key.ts'
import { withField } from '../../world/record-field.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { withoutOwners } from '../resource.ts'
import type { Resource } from './resource.ts'
import { isUnshown } from './within-config.ts'

export interface RecordKey {
  /** The key that a record with this id has under the owners in the path. */
  of(exchange: Exchange, id: Id): Id
  /** The record with this id under the owners in the path, else one that belongs to every owner. */
  find(exchange: Exchange, id: Id): Promise<Entry | undefined>
  /** The id of a record, which is a part of its key. */
  nameOf(entry: Entry): Id
}

/** The owners in the path, by the field that holds each. */
interface Owners {
  readonly ownerOf: ReadonlyMap<string, (exchange: Exchange) => Json>
}

/**
 * Reports a path that does not name all that an id is unique within.
 *
 * @param at the setting of `respond` that names the resource
 */
export function compileKey(
  resource: Resource,
  within: Owners | undefined,
  site: Site,
  at: readonly (string | number)[] = [],
): RecordKey {
  const { name, idField } = resource
  if (resource.within.length === 0) {
    return {
      of: (_, id) => id,
      find: (exchange, id) => exchange.world.collection(name).read(id),
      nameOf: ({ id }) => id,
    }
  }
  const owners = resource.within.map(field => {
    const ownerOf = within?.ownerOf.get(field)
    if (ownerOf === undefined) {
      const message = `an id of ${name} is unique within "${field}", and the path ${site.operation.path} does not name it`
      site.error('no-identifier', message, at, `within: { parameter: …, field: ${JSON.stringify(field)} }`)
    }
    return { shown: !isUnshown(field), ownerOf }
  })
  const of = (exchange: Exchange, id: Id) => joinKey([...owners.map(one => one.ownerOf?.(exchange)), id])
  const common = (exchange: Exchange, id: Id) =>
    joinKey([...owners.map(one => (one.shown ? one.ownerOf?.(exchange) : undefined)), id])
  const hasCommon = owners.some(({ shown }) => !shown)
  return {
    of,
    async find(exchange, id) {
      const collection = exchange.world.collection(name)
      const own = await collection.read(of(exchange, id))
      return own ?? (hasCommon ? collection.read(common(exchange, id)) : undefined)
    },
    nameOf: ({ value }) => idIn(idField, value) as Id,
  }
}

/** Returns the fields of a changed record with the unshown owners that it had. */
export function keepOwners({ unshown }: Resource, fields: JsonObject, old: JsonObject): JsonObject {
  if (unshown.length === 0) return fields
  const record = withoutOwners(unshown, fields)
  return unshown.reduce((all, field) => {
    const owner = old[field]
    return owner === undefined ? all : withField(field, owner, all)
  }, record)
}
