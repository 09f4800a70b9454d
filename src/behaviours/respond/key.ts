// Finds the record that a request means: by an id in its path or its body, and by the owners in the path, `/shelves/{shelf}/books`.

import { fieldNode } from '../../contract/field-node.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import type { Path } from '../../kernel/source.ts'
import type { Entry, Filter, Id } from '../../world/records/types.ts'
import { fieldIn, idIn, joinKey, withField } from '../../world/records/values.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { asId, isId, type Resource } from '../resource.ts'
import { type ActionConfig, isSeveral, isUnshown, type WithinConfig, withinsOf } from './config.ts'
import type { RecordMaker } from './record.ts'

/** Returns the resource with a name; `undefined` after reporting that there is none. */
export function resourceOf(name: string, key: string, site: Site): Resource | undefined {
  const resource = site.resources.get(name)
  if (resource === undefined) {
    site.error('unknown-resource', `there is no resource "${name}"`, [key], suggest(name, site.resources.keys()))
  }
  return resource
}

/** The owners in the path, by the field that holds each. */
type OwnersByField = ReadonlyMap<string, (exchange: Exchange) => Json>

type RecordKey = NonNullable<ReturnType<typeof compileKey>>

/**
 * Compiles the keys of records whose ids are unique only among those of the owners in the path. Returns `undefined` for ids
 * that are unique among all records. Reports a path that does not name all that an id is unique within.
 *
 * @param at the setting of `respond` that names the resource
 */
export function compileKey(
  { name, idField, within }: Resource,
  ownersInPath: OwnersByField | undefined,
  site: Site,
  at: Path = [],
) {
  if (within.length === 0) return undefined
  const owners = within.map(field => {
    const ownerOf = ownersInPath?.get(field)
    if (ownerOf === undefined) {
      const message = `an id of ${name} is unique within "${field}", and the path ${site.operation.path} does not name it`
      site.error('no-identifier', message, at, `within: { parameter: …, field: ${JSON.stringify(field)} }`)
    }
    return { shown: !isUnshown(field), ownerOf }
  })
  const hasCommon = owners.some(({ shown }) => !shown)
  const keyWith = (exchange: Exchange, id: Id, isCommon: boolean) =>
    joinKey([...owners.map(one => (isCommon && !one.shown ? undefined : one.ownerOf?.(exchange))), id])
  return {
    /** Returns the key that a record with this id has under the owners in the path. */
    of: (exchange: Exchange, id: Id): Id => keyWith(exchange, id, false),
    /** Returns the record with this id under the owners in the path, else one that belongs to every owner. */
    async find(exchange: Exchange, id: Id): Promise<Entry | undefined> {
      const collection = exchange.world.collection(name)
      const own = await collection.read(keyWith(exchange, id, false))
      return own ?? (hasCommon ? collection.read(keyWith(exchange, id, true)) : undefined)
    },
    /** Returns the id of a record, which is a part of its key. */
    nameOf: ({ value }: Entry) => idIn(idField, value) as Id,
  }
}

/** Compiles the owners that the path names; `undefined` if it names none. */
export function compileWithin(
  { within: config }: { readonly within?: WithinConfig | readonly WithinConfig[] },
  resource: Resource,
  site: Site,
) {
  if (config === undefined) return undefined
  const owners: Owner[] = []
  for (const [i, one] of withinsOf(config).entries()) {
    owners.push(compileOwner(one, resource, owners, site, isSeveral(config) ? ['within', i] : ['within']))
  }
  return {
    ownerOf: new Map(owners.map(({ field, ownerOf }) => [field, ownerOf])),
    filters: (exchange: Exchange): Filter[] =>
      owners.map(({ field, unshown, ownerOf }) => {
        const values = [ownerOf(exchange)]
        return unshown ? { field, values, orAbsent: true } : { field, values }
      }),
    /** Returns the refusal if an owner does not exist. */
    async orphan(exchange: Exchange): Promise<Reply | undefined> {
      for (const { resource: name, find, ownerOf } of owners) {
        if (find === undefined) continue
        const id = ownerOf(exchange) as Id
        if ((await find(exchange, id)) === undefined) {
          return refuse(problems.not_found, `there is no record ${id} in ${name}`)
        }
      }
      return undefined
    },
    /** Returns whether a record belongs to the owners in the path. An id may be a number here and a bigint there. */
    owns: (exchange: Exchange, record: JsonObject): boolean =>
      owners.every(({ field, unshown, ownerOf }) => {
        const own = fieldIn(field, record)
        return (unshown && own === undefined) || String(own) === String(ownerOf(exchange))
      }),
    /** Returns the fields of a record with its owners. */
    own: (exchange: Exchange, fields: JsonObject): JsonObject =>
      owners.reduce((record, { field, ownerOf }) => withField(field, ownerOf(exchange), record), fields),
  }
}

/** One owner in the path. */
interface Owner {
  readonly parameter: string
  readonly field: string
  readonly unshown: boolean
  readonly resource: string | undefined
  readonly ownerOf: (exchange: Exchange) => Json
  /** Finds the owner's record, if the configuration names its resource. */
  readonly find: ((exchange: Exchange, id: Id) => Promise<Entry | undefined>) | undefined
}

function compileOwner(
  { parameter, field = parameter, resource: owners }: WithinConfig,
  resource: Resource,
  before: readonly Owner[],
  site: Site,
  at: Path,
): Owner {
  const { operation, resources, contract } = site
  const names = expressionsOf(operation.path)
  if (!names.includes(parameter)) {
    const message = `the path ${operation.path} has no {${parameter}}`
    site.error('unknown-parameter', message, [...at, 'parameter'], suggest(parameter, names))
  }
  const { shape } = resource.schema
  const node = fieldNode(shape, field, contract)
  const unshown = isUnshown(field)
  if (node === undefined && !unshown) {
    const message = `the records of ${resource.name} have no field "${field}"`
    site.error('unknown-field', message, [...at, 'field'], suggest(field, shape.properties.keys()))
  }
  if (owners !== undefined && !resources.has(owners)) {
    const hint = suggest(owners, resources.keys())
    site.error('unknown-resource', `there is no resource "${owners}"`, [...at, 'resource'], hint)
  }
  site.index(resource.name, field)
  const index = operation.parameters.findIndex(one => one.in === 'path' && one.name === parameter)
  const numeric = node !== undefined && contract.shapeOf(node).types.includes('integer')
  const segment = names.indexOf(parameter)
  return {
    parameter,
    field,
    unshown,
    resource: owners,
    ownerOf: ({ values, segments }) =>
      asId((index === -1 ? segments[segment] : values[index]) as Id, numeric ? 'integer' : 'text'),
    find: compileOwnerFind(resources.get(owners ?? ''), before, site, [...at, 'resource']),
  }
}

/**
 * An owner's id may be unique within its own owners: those of the same field or parameter in the path, else those before it,
 * in order.
 */
function compileOwnerFind(owner: Resource | undefined, before: readonly Owner[], site: Site, at: Path): Owner['find'] {
  if (owner === undefined) return undefined
  const ownerOf = new Map(
    owner.within.flatMap((field, i) => {
      const bare = field.replace(/^\{(.*)\}$/, '$1')
      const found =
        before.find(one => one.field === field || one.parameter === bare) ??
        (before.length === owner.within.length ? before[i] : undefined)
      return found === undefined ? [] : [[field, found.ownerOf] as const]
    }),
  )
  return compileFind(owner, compileKey(owner, ownerOf, site, at))
}

const compileFind = ({ name }: Resource, key: RecordKey | undefined) =>
  key?.find ?? ((exchange: Exchange, id: Id) => exchange.world.collection(name).read(id))

/**
 * Finds the one record that a request reads, changes or deletes.
 *
 * @param maker of the record, if the request writes it
 */
export function compileFinder(resource: Resource, config: ActionConfig, site: Site, maker?: RecordMaker) {
  const within = compileWithin(config, resource, site)
  const identify = compileId(resource, site, config, maker)
  const key = compileKey(resource, within?.ownerOf, site)
  const find = compileFind(resource, key)
  return {
    within,
    /** Returns the id in the request; `undefined` for a body without one. */
    identify,
    /** Returns the record; `foreign` if it belongs to another owner, and counts as missing. */
    find:
      within === undefined
        ? find
        : async (exchange: Exchange, id: Id): Promise<Entry | 'foreign' | undefined> => {
            const entry = await find(exchange, id)
            return entry === undefined || within.owns(exchange, entry.value) ? entry : 'foreign'
          },
    /** Returns the refusal for an id that no record has. */
    missing: (id: Id) => refuse(problems.not_found, `there is no record ${id} in ${resource.name}`),
  }
}

/** The last parameter of the path identifies the record; without one, the body of a write does. */
function compileId(
  { name, idField, ids }: Resource,
  { operation, error }: Site,
  { id }: ActionConfig,
  maker: RecordMaker | undefined,
): (exchange: Exchange) => Id | undefined {
  if (id !== undefined) return () => asId(id, ids)
  const names = expressionsOf(operation.path)
  const last = names.length - 1
  if (last === -1 && maker?.namesRecord === true) {
    return exchange => {
      const sent = maker.sent(exchange)
      const own = isObject(sent) ? idIn(idField, sent as JsonObject) : undefined
      return isId(own) ? asId(own, ids) : undefined
    }
  }
  if (last === -1) {
    const message = `the path ${operation.path} has no parameter for the id of a record of ${name}`
    error('no-identifier', message + (maker === undefined ? '' : `, and its body has no writable ${idField}`))
  }
  const at = operation.parameters.findIndex(one => one.in === 'path' && one.name === names[last])
  // A path parameter that is undeclared, or declared as text, may contain a number. A record has one address: 01 is not 1.
  return ({ values, segments }) => {
    const sent = segments[last] as string
    if (ids === 'integer' && NOT_CANONICAL.test(sent)) return sent
    return asId((at === -1 ? sent : values[at]) as Id, ids)
  }
}

/** An integer with a sign or leading zeros. */
const NOT_CANONICAL = /^(?:-?0\d|\+|-0$)/
