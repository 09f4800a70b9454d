// Lists the records of a resource: which, in what order, how many. Knows no storage engine.

import { successStatus } from '../../contract/contract.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Json } from '../../kernel/json.ts'
import { JSON_HEADERS } from '../../kernel/reply.ts'
import type { Handler, Site } from '../behaviour.ts'
import { resourceOf } from './resource.ts'

export interface ListConfig {
  readonly list: string
  readonly filter?: readonly string[]
  readonly limit?: string
}

export function compileList({ list, filter = [], limit }: ListConfig, site: Site): Handler | undefined {
  const resource = resourceOf(list, 'list', site)
  if (resource === undefined) return undefined
  const { parameters } = site.operation
  const query = parameters.filter(one => one.in === 'query').map(({ name }) => name)
  const indexOf = (name: string, path: readonly (string | number)[]): number => {
    if (!query.includes(name)) {
      const message = `the operation ${site.operation.id} has no query parameter "${name}"`
      site.error('unknown-parameter', message, path, suggest(name, query))
    }
    return parameters.findIndex(one => one.in === 'query' && one.name === name)
  }
  const filters = filter.map((field, i) => {
    const { properties } = resource.schema.shape
    if (!properties.has(field)) {
      const message = `the records of ${list} have no field "${field}"`
      site.error('unknown-field', message, ['filter', i], suggest(field, properties.keys()))
    }
    site.index(list, field)
    return { field, at: indexOf(field, ['filter', i]) }
  })
  const limitAt = limit === undefined ? -1 : indexOf(limit, ['limit'])
  const status = successStatus(site.operation, 200)
  const none: readonly never[] = []
  return async ({ world, values }) => {
    let chosen: { field: string; values: readonly Json[] }[] | readonly never[] = none
    for (const { field, at } of filters) {
      const value = values[at] as Json | undefined
      if (value !== undefined) chosen = [...chosen, { field, values: Array.isArray(value) ? value : [value] }]
    }
    const cut = limitAt === -1 ? undefined : (values[limitAt] as number | bigint | undefined)
    const page = await world.collection(list).list({ filters: chosen, limit: Number(cut ?? Number.POSITIVE_INFINITY) })
    return { status, headers: JSON_HEADERS, body: page.text, bytes: page.bytes }
  }
}
