// A nested collection: the records that belong to the one in the path, `/shelves/{shelf}/books`.

import { expressionsOf } from '../../contract/paths.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import type { Filter, Id } from '../../world/collection.ts'
import type { Exchange, Site } from '../behaviour.ts'
import { asId, type Resource } from './resource.ts'

export interface WithinConfig {
  readonly parameter: string
  readonly field?: string
  readonly resource?: string
}

export const withinSchema = {
  type: 'object',
  description: 'With a resource: only the records that belong to the one that the path names.',
  required: ['parameter'],
  additionalProperties: false,
  properties: {
    parameter: { type: 'string', description: 'The path parameter that names the owner.' },
    field: { type: 'string', description: 'The field of a record that holds it. Default: the parameter’s name.' },
    resource: { type: 'string', description: 'The resource of the owners: an owner that does not exist is a 404.' },
  },
} as const

export interface Within {
  filter(exchange: Exchange): Filter
  /** The refusal if the owner does not exist. */
  orphan(exchange: Exchange): Promise<Reply | undefined>
  /** Returns whether a record belongs to the owner in the path. */
  owns(exchange: Exchange, record: JsonObject): boolean
  /** Returns the fields of a record with its owner. */
  own(exchange: Exchange, fields: JsonObject): JsonObject
}

export function compileWithin(
  { parameter, field = parameter, resource: owners }: WithinConfig,
  resource: Resource,
  site: Site,
): Within {
  const { operation, resources } = site
  const names = expressionsOf(operation.path)
  if (!names.includes(parameter)) {
    const message = `the path ${operation.path} has no {${parameter}}`
    site.error('unknown-parameter', message, ['within', 'parameter'], suggest(parameter, names))
  }
  const { properties } = resource.schema.shape
  if (!properties.has(field)) {
    const message = `the records of ${resource.name} have no field "${field}"`
    site.error('unknown-field', message, ['within', 'field'], suggest(field, properties.keys()))
  }
  if (owners !== undefined && !resources.has(owners)) {
    const hint = suggest(owners, resources.keys())
    site.error('unknown-resource', `there is no resource "${owners}"`, ['within', 'resource'], hint)
  }
  site.index(resource.name, field)
  const at = operation.parameters.findIndex(one => one.in === 'path' && one.name === parameter)
  const node = properties.get(field)
  const numeric = node !== undefined && site.contract.shapeOf(node).types.includes('integer')
  const ownerOf = ({ values, segments }: Exchange): Json =>
    asId((at === -1 ? segments[names.indexOf(parameter)] : values[at]) as Id, numeric ? 'integer' : 'text')
  return {
    filter: exchange => ({ field, values: [ownerOf(exchange)] }),
    async orphan(exchange) {
      if (owners === undefined) return undefined
      const id = ownerOf(exchange) as Id
      if ((await exchange.world.collection(owners).read(id)) !== undefined) return undefined
      return refuse(problems.not_found, `there is no record ${id} in ${owners}`)
    },
    // Compared as text, because an id may be a number in one place and a bigint in another.
    owns: (exchange, record) => String(record[field]) === String(ownerOf(exchange)),
    own: (exchange, fields) => ({ ...fields, [field]: ownerOf(exchange) }),
  }
}
