// Finds the record that a request means, by an id in its path or its body and by the owners in the path, `/shelves/{shelf}/books`;
// and the records that refer to others. A referenced record must exist when the field is written. A deletion is planned
// completely before anything is deleted.

import { fieldNode, type Operation, responseFor } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { type BrokenRule, NO_HEADERS, problems, type Reply, refuse } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, pointer } from '../../kernel/json.ts'
import { allows, type Entry, type Filter, type Id, type Query } from '../../world/records/types.ts'
import { fieldIn, idIn, joinKey, withField } from '../../world/records/values.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { asId, inBody, isId, type Resource, readPage } from '../resource.ts'
import { isUnshown, ownerField, type RespondConfig, type WithinConfig, withinsOf } from './config.ts'
import type { RecordMaker } from './record.ts'
import { pathParameter } from './shape.ts'

/** Returns the resource that a setting names; `undefined` after reporting that there is none, or if it is unset. */
export function resourceOf(name: string | undefined, at: Path, { resources, error }: Site): Resource | undefined {
  const resource = resources.get(name ?? '')
  if (name !== undefined && resource === undefined) {
    error('unknown-resource', `there is no resource "${name}"`, at, suggest(name, resources.keys()))
  }
  return resource
}

/** Reports a field that the records of a resource do not have. */
export function reportField({ name, schema }: Resource, field: string, at: Path, { error }: Site): void {
  const hint = suggest(field, schema.shape.properties.keys())
  error('unknown-field', `the records of ${name} have no field "${field}"`, at, hint)
}

export const missingRecord = ({ name }: Resource, id: Id): Reply =>
  refuse(problems.not_found, `there is no record ${id} in ${name}`)

export type Conflict = (detail: string) => Reply

/** Compiles the refusal of requests that the state forbids: with 409, or with 422 or 400 where only that is documented. */
export function compileConflict(operation: Operation): Conflict {
  const status = [409, 422, 400].find(fitting => responseFor(operation, fitting) !== undefined)
  return detail => refuse(problems.conflict, detail, NO_HEADERS, status)
}

/** Refuses a write that changes a record's state along no configured edge. */
export function refuseTransition(
  { name, states }: Resource,
  before: JsonObject,
  after: JsonObject,
  conflict: Conflict,
): Reply | undefined {
  if (states === undefined) return undefined
  const { field, from } = states
  if (allows(states, before[field], after[field])) return undefined
  const edges = (from.get(String(before[field])) ?? []).map(({ to }) => `"${to}"`)
  const ways = edges.length === 0 ? 'this state is final' : `it can become ${edges.join(', ')}`
  const detail = `this record of ${name} is "${before[field]}" and cannot become "${after[field]}"; ${ways}`
  return conflict(detail)
}

type OwnerOf = (exchange: Exchange) => Json
type FindRecord = (exchange: Exchange, id: Id) => Promise<Entry | undefined>

/**
 * Compiles the keys of records whose ids are unique only among those of the owners in the path. Returns `undefined` for ids
 * that are unique among all records. Reports a path that does not name all that an id is unique within.
 *
 * @param ownersInPath the owners by the field that holds each
 * @param at the setting of `respond` that names the resource
 */
export function compileKey(
  { name, idField, within }: Resource,
  ownersInPath: ReadonlyMap<string, OwnerOf> | undefined,
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
    return ownerOf
  })
  const keyOf = (exchange: Exchange, id: Id): Id => joinKey([...owners.map(ownerOf => ownerOf?.(exchange)), id])
  // A seed need not say an owner that no reply shows: it belongs to every such owner.
  const shown = within.map((field, i) => (isUnshown(field) ? undefined : owners[i]))
  const everyonesKeyOf = (exchange: Exchange, id: Id): Id => joinKey([...shown.map(owner => owner?.(exchange)), id])
  const others = within.some(isUnshown) ? [everyonesKeyOf] : []
  return {
    /** Returns the key that a record with this id has under the owners in the path. */
    of: keyOf,
    /** Return the keys of such a record, and of one that belongs to every owner. */
    all: [keyOf, ...others],
    /** Returns the record with this id under the owners in the path, else one that belongs to every owner. */
    async find(exchange: Exchange, id: Id): Promise<Entry | undefined> {
      const collection = exchange.records(name)
      const entry = await collection.read(keyOf(exchange, id))
      return entry !== undefined || others.length === 0 ? entry : collection.read(everyonesKeyOf(exchange, id))
    },
    /** Returns the id of a record, which is a part of its key. */
    nameOf: ({ value }: Entry) => idIn(idField, value) as Id,
  }
}

/** Compiles the owners that the path names; `undefined` if it names none. */
export function compileWithin({ within: config }: RespondConfig, resource: Resource, site: Site) {
  if (config === undefined) return undefined
  const owners: Owner[] = []
  for (const [i, one] of withinsOf(config).entries()) {
    owners.push(compileOwner(one, resource, owners, site, Array.isArray(config) ? ['within', i] : ['within']))
  }
  return {
    owners,
    ownerOf: new Map(owners.map(({ field, ownerOf }) => [field, ownerOf])),
    filters: (exchange: Exchange): Filter[] =>
      owners.map(({ field, unshown, ownerOf }) => ({ field, values: [ownerOf(exchange)], orAbsent: unshown })),
    /** Returns the refusal if an owner does not exist. */
    async orphan(exchange: Exchange): Promise<Reply | undefined> {
      for (const { owner, find, ownerOf } of owners) {
        const id = ownerOf(exchange) as Id
        if (owner !== undefined && (await find?.(exchange, id)) === undefined) return missingRecord(owner, id)
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
  readonly ownerOf: OwnerOf
  /** The resource of the owners and the search for one, if the configuration names it. */
  readonly owner: Resource | undefined
  readonly find: FindRecord | undefined
}

function compileOwner(config: WithinConfig, resource: Resource, before: readonly Owner[], site: Site, at: Path): Owner {
  const { operation, contract, error } = site
  const { parameter, resource: ownerName, id } = config
  const field = ownerField(config, resource)
  const names = expressionsOf(operation.path)
  if (id === undefined && !names.includes(parameter)) {
    const message = `the path ${operation.path} has no {${parameter}}`
    error('unknown-parameter', message, [...at, 'parameter'], suggest(parameter, names))
  }
  const node = fieldNode(resource.schema.shape, field, contract)
  const unshown = isUnshown(field)
  if (node === undefined && !unshown) reportField(resource, field, [...at, 'field'], site)
  const place = [...at, 'resource']
  const owner = resourceOf(ownerName, place, site)
  site.index(resource.name, field)
  const index = pathParameter(operation, parameter)
  const ids = node === undefined ? owner?.ids : contract.shapeOf(node).types.includes('integer') ? 'integer' : 'text'
  const segment = names.indexOf(parameter)
  const known = id === undefined ? undefined : asId(id, ids ?? 'text')
  return {
    parameter,
    field,
    unshown,
    owner,
    ownerOf: ({ values, segments }) =>
      known ?? asId((index === -1 ? segments[segment] : values[index]) as Id, ids ?? 'text'),
    find: owner && compileOwnerFind(owner, before, site, place),
  }
}

/**
 * An owner's id may be unique within its own owners: those of the same field or parameter in the path, else those before it,
 * in order.
 */
function compileOwnerFind(owner: Resource, before: readonly Owner[], site: Site, at: Path): FindRecord {
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

const compileFind = ({ name }: Resource, key: ReturnType<typeof compileKey>): FindRecord =>
  key?.find ?? ((exchange, id) => exchange.records(name).read(id))

/**
 * Finds the one record that a request reads, changes or deletes.
 *
 * @param maker of the record, if the request writes it
 */
export function compileFinder(resource: Resource, config: RespondConfig, site: Site, maker?: RecordMaker) {
  const within = compileWithin(config, resource, site)
  const key = compileKey(resource, within?.ownerOf, site)
  const find = compileFind(resource, key)
  return {
    within,
    /** Returns the id in the request; `undefined` for a body without one. */
    identify: compileId(resource, site, config, maker),
    /**
     * Returns the record, or the refusal of a request that must not have it. One that belongs to another owner counts as missing.
     *
     * @param create answers if no record has the id
     */
    async get(
      exchange: Exchange,
      id: Id,
      create?: (exchange: Exchange, id: Id) => Promise<Reply>,
    ): Promise<Entry | Reply> {
      const entry = await find(exchange, id)
      if (entry === undefined && create !== undefined) return exchange.precondition?.(entry) ?? create(exchange, id)
      if (entry === undefined || within?.owns(exchange, entry.value) === false) return missingRecord(resource, id)
      const orphan = within && (await within.orphan(exchange))
      if (orphan !== undefined) return orphan
      return exchange.precondition?.(entry) ?? entry
    },
  }
}

/** The last parameter of the path identifies the record; without one, the body of a write does. */
function compileId(
  { name, idField, ids }: Resource,
  { operation, error }: Site,
  { id }: RespondConfig,
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
  const at = pathParameter(operation, names[last])
  // A path parameter that is undeclared, or declared as text, may contain a number. A record has one address: 01 is not 1.
  return ({ values, segments }) => {
    const sent = segments[last] as string
    if (ids === 'integer' && NOT_CANONICAL.test(sent)) return sent
    return asId((at === -1 ? sent : values[at]) as Id, ids)
  }
}

/** An integer with a sign or leading zeros. */
const NOT_CANONICAL = /^(?:-?0\d|\+|-0$)/

/** Returns the rules that fields break which name no record. */
export async function danglingIn(
  { references }: Resource,
  fields: JsonObject,
  exchange: Exchange,
): Promise<readonly BrokenRule[]> {
  const broken: BrokenRule[] = []
  for (const [field, { to }] of references) {
    const value = isUnshown(field) ? [] : (fields[field] ?? [])
    for (const [i, id] of [value].flat().entries()) {
      if (isId(id) && (await exchange.records(to).read(id)) !== undefined) continue
      const at = pointer(Array.isArray(value) ? [field, i] : [field])
      broken.push(inBody(at, 'reference', `must be the id of a record in ${to}`))
    }
  }
  return broken
}

export interface Referring {
  readonly resource: Resource
  readonly field: string
  /** Whether the field holds a list of ids. */
  readonly many: boolean
}

/** A field with references to a resource. */
export interface Referrer extends Referring {
  readonly onDelete: 'restrict' | 'cascade' | 'null'
  readonly nullable: boolean
}

const NO_TYPES: ReadonlySet<string> = new Set()

export function referrersOf(name: string, { resources, contract }: Site): Referrer[] {
  const found: Referrer[] = []
  // Few resources refer to another one, and each deletion looks at all of them.
  for (const resource of resources.values()) {
    for (const [field, { to, onDelete }] of resource.references) {
      const node = to === name ? resource.schema.shape.properties.get(field) : undefined
      if (to !== name || (node === undefined && !isUnshown(field))) continue
      const types = node === undefined ? NO_TYPES : contract.use(node).types
      found.push({ resource, field, onDelete, many: types.has('array'), nullable: types.has('null') })
    }
  }
  return found
}

/** Returns the records that refer to one of some owners; to the first, if their field holds a list. */
export async function referringTo(owners: readonly Id[], referring: Referring, exchange: Exchange) {
  const { text } = await exchange.records(referring.resource.name).list(queryOfReferring(owners, referring))
  return readPage(text)
}

export const queryOfReferring = (owners: readonly Id[], { field, many }: Referring): Query => ({
  filters: many ? [] : [{ field, values: owners }],
  comparisons: many ? [{ field, is: 'contains', value: owners[0] as Id }] : undefined,
  limit: Number.POSITIVE_INFINITY,
})
