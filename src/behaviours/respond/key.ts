// Finds a record by the id in a request, which may be unique only among the records of the owners in the path.

import { fieldNode } from '../../contract/field-node.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import { type Entry, type Filter, type Id, idIn } from '../../world/collection.ts'
import { joinKey } from '../../world/key.ts'
import { fieldIn, withField } from '../../world/record-field.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { asId, type Resource } from '../resource.ts'
import { type ActionConfig, isList, isUnshown, type WithinConfig, withinsOf } from './config.ts'
import type { Draft } from './record.ts'
import { isId } from './references.ts'

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

// A nested collection: the records that belong to the owners in the path, `/shelves/{shelf}/books`.

export interface Within {
  filters(exchange: Exchange): readonly Filter[]
  /** The refusal if an owner does not exist. */
  orphan(exchange: Exchange): Promise<Reply | undefined>
  /** Returns whether a record belongs to the owners in the path. */
  owns(exchange: Exchange, record: JsonObject): boolean
  /** Returns the fields of a record with its owners. */
  own(exchange: Exchange, fields: JsonObject): JsonObject
  /** The owner in the path that a field holds; `undefined` at load if the path names none. */
  readonly ownerOf: ReadonlyMap<string, (exchange: Exchange) => Json>
}

export function compileWithin(config: WithinConfig | readonly WithinConfig[], resource: Resource, site: Site): Within {
  const at = (i: number) => (isList(config) ? [i] : [])
  const named = withinsOf(config).map((one, i) => compileOne(one, resource, site, at(i)))
  const all = named.map((one, i) => ({ ...one, orphan: compileOrphan(named, i, site, at(i)) }))
  const ownerOf = new Map(all.map(one => [one.field, one.ownerOf]))
  const [first, second] = all
  if (first !== undefined && second === undefined) return { ...first, filters: one => [first.filter(one)], ownerOf }
  return {
    filters: exchange => all.map(one => one.filter(exchange)),
    async orphan(exchange) {
      for (const one of all) {
        const refusal = await one.orphan(exchange)
        if (refusal !== undefined) return refusal
      }
      return undefined
    },
    owns: (exchange, record) => all.every(one => one.owns(exchange, record)),
    own: (exchange, fields) => all.reduce((record, one) => one.own(exchange, record), fields),
    ownerOf,
  }
}

/** One owner in the path. */
interface Owner {
  readonly parameter: string
  readonly field: string
  readonly resource: string | undefined
  readonly ownerOf: (exchange: Exchange) => Json
}

function compileOne(
  { parameter, field = parameter, resource: owners }: WithinConfig,
  resource: Resource,
  site: Site,
  at: readonly number[],
) {
  const { operation, resources, contract } = site
  const path = (key: string) => ['within', ...at, key]
  const names = expressionsOf(operation.path)
  if (!names.includes(parameter)) {
    const message = `the path ${operation.path} has no {${parameter}}`
    site.error('unknown-parameter', message, path('parameter'), suggest(parameter, names))
  }
  const { shape } = resource.schema
  const node = fieldNode(shape, field, contract)
  const unshown = isUnshown(field)
  if (node === undefined && !unshown) {
    const message = `the records of ${resource.name} have no field "${field}"`
    site.error('unknown-field', message, path('field'), suggest(field, shape.properties.keys()))
  }
  if (owners !== undefined && !resources.has(owners)) {
    const hint = suggest(owners, resources.keys())
    site.error('unknown-resource', `there is no resource "${owners}"`, path('resource'), hint)
  }
  site.index(resource.name, field)
  const index = operation.parameters.findIndex(one => one.in === 'path' && one.name === parameter)
  const numeric = node !== undefined && contract.shapeOf(node).types.includes('integer')
  const ownerOf = ({ values, segments }: Exchange): Json =>
    asId((index === -1 ? segments[names.indexOf(parameter)] : values[index]) as Id, numeric ? 'integer' : 'text')
  return {
    parameter,
    field,
    resource: owners,
    ownerOf,
    filter: (exchange: Exchange): Filter =>
      unshown ? { field, values: [ownerOf(exchange)], orAbsent: true } : { field, values: [ownerOf(exchange)] },
    // Compared as text, because an id may be a number in one place and a bigint in another.
    owns(exchange: Exchange, record: JsonObject): boolean {
      const own = fieldIn(field, record)
      return (unshown && own === undefined) || String(own) === String(ownerOf(exchange))
    },
    own: (exchange: Exchange, fields: JsonObject): JsonObject => withField(field, ownerOf(exchange), fields),
  }
}

/** Returns the check of one owner, which refuses a request if it does not exist. */
function compileOrphan(all: readonly Owner[], at: number, site: Site, path: readonly number[]) {
  const { resource: name, ownerOf } = all[at] as Owner
  const resource = name === undefined ? undefined : site.resources.get(name)
  const key = resource && compileOwnerKey(resource, all, at, site, path)
  return async (exchange: Exchange): Promise<Reply | undefined> => {
    if (key === undefined) return undefined
    const id = ownerOf(exchange) as Id
    return (await key.find(exchange, id)) === undefined
      ? refuse(problems.not_found, `there is no record ${id} in ${name}`)
      : undefined
  }
}

/**
 * The key of an owner whose id is unique within its own owners: those of the same field or parameter in the path, else those
 * before it, in order.
 */
function compileOwnerKey(
  resource: Resource,
  all: readonly Owner[],
  at: number,
  site: Site,
  path: readonly number[],
): RecordKey {
  const before = all.slice(0, at)
  const ownerOf = new Map(
    resource.within.flatMap((field, i) => {
      const bare = field.replace(/^\{(.*)\}$/, '$1')
      const found =
        before.find(one => one.field === field || one.parameter === bare) ??
        (before.length === resource.within.length ? before[i] : undefined)
      return found === undefined ? [] : [[field, found.ownerOf] as const]
    }),
  )
  return compileKey(resource, { ownerOf }, site, ['within', ...path, 'resource'])
}

// Finds the record that a request means: by the path, or by its body.

/** The last parameter of the path identifies the record; without one, the body of a write does. */
export function compileId(
  resource: Resource,
  site: Site,
  { id }: ActionConfig,
  draft?: Draft,
): (exchange: Exchange) => Id | undefined {
  const { operation } = site
  if (id !== undefined) return () => asId(id, resource.ids)
  const name = expressionsOf(operation.path).at(-1)
  const at = operation.parameters.findIndex(one => one.in === 'path' && one.name === name)
  const last = expressionsOf(operation.path).length - 1
  if (name === undefined && draft?.namesRecord === true) {
    return exchange => {
      const given = draft.sent(exchange)
      const said = isObject(given) ? idIn(resource.idField, given as JsonObject) : undefined
      return isId(said) ? asId(said, resource.ids) : undefined
    }
  }
  if (name === undefined) {
    const message = `the path ${operation.path} has no parameter for the id of a record of ${resource.name}`
    const body = draft === undefined ? '' : `, and its body has no writable ${resource.idField}`
    site.error('no-identifier', message + body)
  }
  // A path parameter that is undeclared, or declared as text, may contain a number. A record has one address: 01 is not 1.
  return ({ values, segments }) => {
    const sent = segments[last] as string
    if (resource.ids === 'integer' && NOT_CANONICAL.test(sent)) return sent
    return asId((at === -1 ? sent : values[at]) as Id, resource.ids)
  }
}

/** An integer with a sign or leading zeros. */
const NOT_CANONICAL = /^(?:-?0\d|\+|-0$)/

/** Returns the refusal for an id that no record has. */
export const missingReply = (resource: Resource) => {
  const singular = resource.name
  return (id: Id): Reply => refuse(problems.not_found, `there is no record ${id} in ${singular}`)
}

/** A record of another owner counts as missing. */
export const isMissing = (
  entry: Entry | undefined,
  exchange: Exchange,
  within: Within | undefined,
): entry is undefined => entry === undefined || (within !== undefined && !within.owns(exchange, entry.value))

/** Returns the resource with a name; `undefined` after reporting that there is none. */
export function resourceOf(name: string, key: string, site: Site): Resource | undefined {
  const resource = site.resources.get(name)
  if (resource === undefined) {
    site.error('unknown-resource', `there is no resource "${name}"`, [key], suggest(name, site.resources.keys()))
  }
  return resource
}
