// Finds the record that a request means, by an id in its path or its body and by the owners in the path, `/shelves/{shelf}/books`;
// and the records that refer to others. A referenced record must exist when the field is written. A deletion is planned
// completely before anything is deleted.

import { fieldNode } from '../../contract/contract.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { type BrokenRule, problems, type Reply, refuse } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import { hashOf } from '../../sample/chance.ts'
import type { Entry, Filter, Id } from '../../world/records/types.ts'
import { fieldIn, idIn, joinKey, withField, withId } from '../../world/records/values.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { asId, fieldsOf, inBody, isId, type Resource, readPage, withoutOwners } from '../resource.ts'
import { askingIn, asSomeone, flagsOff, NAME } from './caller.ts'
import { isUnshown, type RespondConfig, type WithinConfig, withinsOf } from './config.ts'
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

type OwnerOf = (exchange: Exchange) => Json
type FindRecord = (exchange: Exchange, id: Id) => Promise<Entry | undefined>

/**
 * Compiles the keys of records whose ids are unique only among those of the owners in the path. Returns `undefined` for ids
 * that are unique among all records. Reports a path that does not name all that an id is unique within.
 *
 * @param ownersInPath the owners by the field that holds each
 * @param at the setting of `respond` that names the resource
 * @param isCreate whether the request creates a record
 */
export function compileKey(
  { name, idField, within }: Resource,
  ownersInPath: ReadonlyMap<string, OwnerOf> | undefined,
  site: Site,
  at: Path = [],
  isCreate = false,
) {
  if (within.length === 0) return undefined
  const owners = within.map(field => {
    const ownerOf = ownersInPath?.get(field)
    // A record that is created without such an owner belongs to every owner.
    if (ownerOf === undefined && !(isCreate && isUnshown(field))) {
      const message = `an id of ${name} is unique within "${field}", and the path ${site.operation.path} does not name it`
      site.error('no-identifier', message, at, `within: { parameter: …, field: ${JSON.stringify(field)} }`)
    }
    return { shown: !isUnshown(field), ownerOf }
  })
  // A record may lack any of the owners that no reply shows: it belongs to every one of those.
  let common: (readonly object[])[] = [[]]
  for (const one of owners) if (!one.shown) common = [...common, ...common.map(set => [...set, one])]
  const keyWith = (exchange: Exchange, id: Id, lacking: readonly object[]) =>
    joinKey([...owners.map(one => (lacking.includes(one) ? undefined : one.ownerOf?.(exchange))), id])
  return {
    /** Returns the key that a record with this id has under the owners in the path. */
    of: (exchange: Exchange, id: Id): Id => keyWith(exchange, id, []),
    /** Returns the record with this id under the owners in the path, else one that belongs to every owner. */
    async find(exchange: Exchange, id: Id): Promise<Entry | undefined> {
      const collection = exchange.records(name)
      for (const lacking of common) {
        const entry = await collection.read(keyWith(exchange, id, lacking))
        if (entry !== undefined) return entry
      }
      return undefined
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
    /** Adds to the fields of the owners that count these records. */
    async count(exchange: Exchange, by: number): Promise<void> {
      for (const { owner, find, counted, ownerOf } of owners) {
        if (owner === undefined || counted === undefined) continue
        for (;;) {
          const entry = await find?.(exchange, ownerOf(exchange) as Id)
          const next = entry && withAdded(entry.value, { [counted]: by })
          const collection = exchange.records(owner.name)
          if (next === undefined || (await collection.replace(entry?.id as Id, next, entry?.revision)) !== 'stale')
            break
        }
      }
    },
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
  /** Its field with the number of the records. */
  readonly counted: string | undefined
}

/** Returns a record with more or less in some of its numbers, which stay positive. */
export function withAdded(record: JsonObject, numbers: Readonly<Record<string, number>>): JsonObject {
  const sums = Object.entries(numbers).map(([field, by]) => [field, Math.max(0, Number(record[field] ?? 0) + by)])
  return { ...record, ...Object.fromEntries(sums) }
}

function compileOwner(
  { parameter, field = parameter, resource: ownerName, count: counted, id }: WithinConfig,
  resource: Resource,
  before: readonly Owner[],
  site: Site,
  at: Path,
): Owner {
  const { operation, contract, error } = site
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
  if (owner !== undefined && counted !== undefined && !owner.schema.shape.properties.has(counted)) {
    reportField(owner, counted, [...at, 'count'], site)
  }
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
    counted,
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

/** The example of a schema, else a generated record: the same for the same id. */
const generatedFor = (id: Id, schema: Resource['schema']): JsonObject =>
  fieldsOf(schema.validSample({ seed: hashOf(String(id)) >>> 0 }))

/** Compiles what a record that `from` adds is made of: one of another resource, else a generated one. */
export function compileSource(
  { from }: RespondConfig,
  { schema }: Resource,
  owners: readonly Owner[],
  site: Site,
): ((exchange: Exchange, id: Id) => Promise<JsonObject>) | undefined {
  const source = resourceOf(from, ['from'], site)
  if (source === undefined) return undefined
  const find = compileOwnerFind(source, owners.slice(-source.within.length), site, ['from'])
  return async (exchange, id) => {
    const found = await find(exchange, asId(id, source.ids))
    return found === undefined ? generatedFor(id, schema) : withoutOwners(source.unshown, found.value)
  }
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
  const made = resource.every ? compileMade(resource, key, within?.own, site) : undefined
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
      const entry = await find(exchange, id).then(found => made?.(exchange, id, found) ?? found)
      if (entry === undefined && create !== undefined) return exchange.precondition?.(entry) ?? create(exchange, id)
      if (entry === undefined || within?.owns(exchange, entry.value) === false) return missingRecord(resource, id)
      const orphan = within && (await within.orphan(exchange))
      if (orphan !== undefined) return orphan
      return exchange.precondition?.(entry) ?? entry
    },
  }
}

/** The revision of a generated record, until a request writes it. */
export const UNWRITTEN = -1

/**
 * Compiles the records of a resource that has one for every id: the stored one, else one that is generated, with flags off. That
 * of the caller's name has the fields of the caller.
 */
function compileMade(
  { schema, idField }: Resource,
  key: ReturnType<typeof compileKey>,
  own: ((exchange: Exchange, fields: JsonObject) => JsonObject) | undefined,
  { resources }: Site,
) {
  const asking = askingIn(resources)
  return async (exchange: Exchange, id: Id, entry: Entry | undefined): Promise<Entry | undefined> => {
    const someone = await asking?.(exchange)
    const isCaller = someone && Object.entries(someone).some(([field, value]) => NAME.test(field) && value === id)
    if (entry !== undefined && !isCaller) return entry
    let value = entry?.value
    if (value === undefined) {
      const sample = generatedFor(id, schema)
      const whole = [flagsOff(sample), sample].map(one => withId(idField, id, one)).find(one => schema.fits(one))
      if (whole === undefined) return undefined
      value = own?.(exchange, whole) ?? whole
    }
    const known = { id: key?.of(exchange, id) ?? id, revision: UNWRITTEN, ...entry }
    const shown = isCaller ? asSomeone(value, someone) : value
    return { ...known, value: shown, text: stringifyJson(shown) }
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
export async function referringTo(owners: readonly Id[], { resource, field, many }: Referring, exchange: Exchange) {
  const { text } = await exchange.records(resource.name).list({
    filters: many ? [] : [{ field, values: owners }],
    comparisons: many ? [{ field, is: 'contains', value: owners[0] as Id }] : undefined,
    limit: Number.POSITIVE_INFINITY,
  })
  return readPage(text)
}
