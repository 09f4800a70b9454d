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
import { asId, type Resource } from './resource.ts'

export interface WithinConfig {
  readonly parameter: string
  readonly field?: string
  readonly resource?: string
}

const oneWithin = {
  type: 'object',
  required: ['parameter'],
  additionalProperties: false,
  properties: {
    parameter: { type: 'string', description: 'The path parameter with the id of the owner.' },
    field: {
      type: 'string',
      description:
        'The field of a record with the id of its owner, such as `metadata.namespace`. A field in braces, `{repo}`, is stored with the record but not shown in replies; a record without it belongs to every owner. Default: the name of the parameter.',
    },
    resource: {
      type: 'string',
      description: 'The resource of the owners; a request for an owner that does not exist gets 404.',
    },
  },
} as const

export const withinSchema = {
  ...oneWithin,
  type: ['object', 'array'],
  description: 'With a resource: only the records of the owner in the path; a list if the path has several owners.',
  items: oneWithin,
  minItems: 1,
} as const

/** Whether a field is kept with a record and is not a part of it: `{repo}`. */
export const isUnshown = (field: string): boolean => field.startsWith('{')

/** The owners that a configuration names, of which there may be one or several. */
export const withinsOf = (config: WithinConfig | readonly WithinConfig[] | undefined): readonly WithinConfig[] =>
  config === undefined ? [] : isList(config) ? config : [config]

const isList = (config: WithinConfig | readonly WithinConfig[]): config is readonly WithinConfig[] =>
  Array.isArray(config)

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
  const all = withinsOf(config).map((one, i) => compileOne(one, resource, site, isList(config) ? [i] : []))
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
    field,
    ownerOf,
    filter: (exchange: Exchange): Filter =>
      unshown ? { field, values: [ownerOf(exchange)], orAbsent: true } : { field, values: [ownerOf(exchange)] },
    async orphan(exchange: Exchange): Promise<Reply | undefined> {
      if (owners === undefined) return undefined
      const id = ownerOf(exchange) as Id
      if ((await exchange.world.collection(owners).read(id)) !== undefined) return undefined
      return refuse(problems.not_found, `there is no record ${id} in ${owners}`)
    },
    // Compared as text, because an id may be a number in one place and a bigint in another.
    owns(exchange: Exchange, record: JsonObject): boolean {
      const own = fieldIn(field, record)
      return (unshown && own === undefined) || String(own) === String(ownerOf(exchange))
    },
    own: (exchange: Exchange, fields: JsonObject): JsonObject => withField(field, ownerOf(exchange), fields),
  }
}
