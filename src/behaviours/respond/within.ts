// A nested collection: the records that belong to the owners in the path, `/shelves/{shelf}/books`.

import { fieldNode } from '../../contract/field-node.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import type { Filter, Id } from '../../world/collection.ts'
import { fieldIn, withField } from '../../world/record-field.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { compileKey, type RecordKey } from './record-key.ts'
import { asId, type Resource } from './resource.ts'
import { isList, isUnshown, type WithinConfig, withinsOf } from './within-config.ts'

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
