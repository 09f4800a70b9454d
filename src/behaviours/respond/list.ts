// Lists the records of a resource: filters, sorts, pages and wraps them. Independent of storage engines.

import { describeField } from '../../contract/answer/field.ts'
import { isJson, responseFor, successStatus } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json } from '../../kernel/json.ts'
import { JSON_HEADERS, type Reply } from '../../kernel/reply.ts'
import type { Path } from '../../kernel/source.ts'
import { placeholders } from '../../kernel/template.ts'
import type { Comparison, Filter, Page, Query } from '../../world/collection.ts'
import { excessOf } from '../../world/search.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { boundsOf } from './bounds.ts'
import { branchesWithin, schemaBelow } from './branch.ts'
import { compileEnvelope } from './envelope.ts'
import type { ListConfig, LocateParameter } from './list-config.ts'
import { compileItem } from './list-item.ts'
import { compileOtherTime } from './other-times.ts'
import { compilePaging, lostCursor } from './paging.ts'
import { type Resource, resourceOf } from './resource.ts'
import { compileShownList } from './shown.ts'
import { compileSort, sortSchema } from './sort.ts'
import { compileWithin } from './within.ts'

/** The keys of `respond` that go with `list`. */
export const listSchema = {
  filter: {
    type: 'array',
    items: {
      type: ['string', 'object'],
      required: ['parameter'],
      additionalProperties: false,
      properties: {
        parameter: { type: 'string', description: 'The name of the query parameter.' },
        field: {
          type: 'string',
          description: 'The field that is compared with it. Default: the field of the same name.',
        },
        is: {
          enum: ['equal', 'at-least', 'at-most', 'more-than', 'less-than', 'not', 'contains'],
          description: 'How the field must compare with the parameter. Default: equal.',
        },
        all: { type: 'string', description: 'A value of the parameter that filters nothing, such as `all`.' },
      },
    },
    description: 'With `list`: query parameters that filter by the field of the same name, or as an entry says.',
  },
  search: {
    type: 'string',
    description: 'With `list`: the query parameter with words to search for in the texts of the records.',
  },
  item: {
    description: 'With `list`: an item of the list, with ${record.value} filled in. Default: the record.',
  },
  limit: { type: 'string', description: 'With `list`: the query parameter with the size of the page.' },
  offset: { type: 'string', description: 'With `list`: the query parameter with the number of records to skip.' },
  page: { type: 'string', description: 'With `list`: the query parameter with the number of the page.' },
  cursor: {
    type: 'string',
    description: 'With `list`: the query parameter with the id of the record after which the page begins.',
  },
  sort: sortSchema,
  by: {
    type: 'string',
    description: 'With `list`: the default order, such as `-id`. Default: the id.',
  },
  order: { type: 'string', description: 'With `sort`: the query parameter with `asc` or `desc`.' },
  links: {
    type: 'boolean',
    description: 'With `list`: whether pages carry `Link` with rel="next", "prev", "first" and "last" (RFC 8288).',
  },
} as const

export function compileList(config: ListConfig, site: Site): Handler | undefined {
  const resource = resourceOf(config.list, 'list', site)
  if (resource === undefined) return undefined
  const { parameters } = site.operation
  const { invalid } = site
  const query = parameters.filter(one => one.in === 'query').map(({ name }) => name)
  const locate: LocateParameter = (name, path) => {
    if (!query.includes(name)) {
      const message = `the operation ${site.operation.id} has no query parameter "${name}"`
      site.error('unknown-parameter', message, path, suggest(name, query))
    }
    return parameters.findIndex(one => one.in === 'query' && one.name === name)
  }
  const within = config.within && compileWithin(config.within, resource, site)
  const select = compileFilters(config, resource, site, locate)
  const search = config.search === undefined ? -1 : locate(config.search, ['search'])
  const sortBy = compileSort(config, resource, site, locate)
  const paging = compilePaging(config, resource, parameters as readonly Parameter[], locate)
  const envelope = compileEnvelope(config, site, paging.counts)
  const status = successStatus(site.operation, 200)
  const items = itemsNode(config, status, site)
  const item = compileItem(config.item, items, site)
  const shown = compileShownList(item === undefined ? items : item.record, resource, site, item?.write)
  checkBare(config, status, site)
  return async exchange => {
    if (within !== undefined) {
      const orphan = await within.orphan(exchange)
      if (orphan !== undefined) return orphan
    }
    const sort = sortBy?.(exchange)
    if (sort !== undefined && 'rule' in sort) return invalid([sort])
    const window = paging.window(exchange)
    if ('rule' in window) return invalid([window])
    const sought = search === -1 ? undefined : exchange.values[search]
    const words = sought === undefined ? undefined : String(sought)
    const excess = excessOf(words)
    if (excess !== undefined)
      return invalid([{ in: 'query', path: config.search as string, rule: 'maxLength', message: excess }])
    const { filters, comparisons } = select(exchange)
    const { limit, offset, after } = window
    // Every field is written, needed or not: conditional spreads cost 2 µs of a request that costs 15.
    const asked: Query = {
      limit,
      offset,
      after,
      sort,
      comparisons,
      filters: within === undefined ? filters : [...within.filters(exchange), ...filters],
      search: words,
      count: envelope.counts,
    }
    const kept = await exchange.world.collection(config.list).list(asked)
    const page = shown === undefined ? kept : showAs(shown(kept.text), kept)
    if (page.lost) return invalid([lostCursor(config.cursor as string)])
    return envelope.wrap === undefined
      ? bare(status, page)
      : envelope.wrap(status, page, paging.links(exchange, page, window), exchange)
  }
}

/** Returns the page with another text for its records. */
const showAs = (text: string, page: Page): Page =>
  text === page.text ? page : { ...page, text, bytes: Buffer.byteLength(text) }

/** Returns the schema of a record in the list: at the template's items, else in the whole reply. */
function itemsNode({ body }: ListConfig, status: number, { operation, contract }: Site): Node | undefined {
  const path = [...placeholders(body, 'page')].find(([, name]) => name === 'items')?.[0] ?? []
  const media = [...(responseFor(operation, status)?.content ?? [])].find(([type]) => isJson(type))?.[1]
  const list = schemaBelow(media?.schema?.node, path.map(String), contract)
  return list && contract.shapeOf(list).items
}

const bare = (status: number, { text, bytes }: Page): Reply => ({ status, headers: JSON_HEADERS, body: text, bytes })

type Selected = { readonly filters: readonly Filter[]; readonly comparisons?: readonly Comparison[] | undefined }
const NO_FILTERS: readonly Filter[] = []

/** The filters of a list. Equality uses an index; other comparisons look at every record. */
function compileFilters(
  { filter = [], list }: ListConfig,
  resource: Resource,
  site: Site,
  locate: LocateParameter,
): (exchange: Exchange) => Selected {
  const compiled = filter.map((entry, i) => {
    const { parameter, field = parameter, is = 'equal', all } = typeof entry === 'string' ? { parameter: entry } : entry
    const { properties } = resource.schema.shape
    const path = (key: string): Path => (typeof entry === 'string' ? ['filter', i] : ['filter', i, key])
    const index = locate(parameter, path('parameter'))
    // A name that is neither a parameter nor a field is one mistake.
    if (!knowsField(field, resource, site) && (index !== -1 || field !== parameter)) {
      const message = `the records of ${list} have no field "${field}"`
      const at = typeof entry === 'string' || entry.field === undefined ? path('parameter') : path('field')
      site.error('unknown-field', message, at, suggest(field, properties.keys()))
    }
    if (is === 'equal') site.index(list, field)
    const sent = site.operation.parameters[index]
    const takesBounds = is === 'equal' && sent?.schema.types.has('object') === true
    // If every request has to select, a record without the field is in every selection; not by a status or another enum.
    const orAbsent = site.operation.parameters[index]?.required === true && !hasChoices(field, resource, site)
    const node = properties.get(field)
    const timed =
      node === undefined || sent === undefined
        ? undefined
        : compileOtherTime(typesOfLimits(sent, site), describeField(field, site.contract.use(node)))
    return { field, is, all, at: index, takesBounds, orAbsent, timed }
  })
  return ({ values }) => {
    let filters = NO_FILTERS
    let comparisons: Comparison[] | undefined
    for (const { field, is, all, at, takesBounds, orAbsent, timed } of compiled) {
      const given = values[at] as Json | undefined
      if (given === undefined || (all !== undefined && [given].flat().includes(all))) continue
      const bounds = takesBounds ? boundsOf(field, given, timed) : undefined
      const value = timed === undefined ? given : timed(given)
      if (bounds !== undefined) comparisons = [...(comparisons ?? []), ...bounds]
      else if (is === 'equal') {
        const values = Array.isArray(value) ? value : [value]
        filters = [...filters, orAbsent ? { field, values, orAbsent } : { field, values }]
      } else comparisons = [...(comparisons ?? []), { field, is, value }]
    }
    return { filters, comparisons }
  }
}

/** Returns the types of a parameter's value; of an object of bounds, those of its properties. */
function typesOfLimits({ schema }: Parameter, { contract }: Site): ReadonlySet<string> {
  if (!schema.types.has('object')) return schema.types
  return new Set([...schema.shape.properties.values()].flatMap(node => [...contract.use(node).types]))
}

/** Returns whether an enum limits the values of a field. */
function hasChoices(field: string, { schema }: Resource, { contract }: Site): boolean {
  const node = schema.shape.properties.get(field)
  return node !== undefined && describeField(field, contract.use(node)).choices !== undefined
}

/** Whether records have a field, which may be nested, also in lists and unions: `tags.name`. */
function knowsField(field: string, { schema }: Resource, { contract }: Site): boolean {
  if (schema.shape.properties.has(field)) return true
  const below = (nodes: readonly Node[], key: string): readonly Node[] =>
    nodes
      .flatMap(node => branchesWithin(node, contract))
      .flatMap(node => {
        const { properties, items } = contract.shapeOf(node)
        const own = properties.get(key)
        return own === undefined ? (items === undefined ? [] : below([items], key)) : [own]
      })
  return field.includes('.') && field.split('.').reduce(below, [schema.node]).length > 0
}

/** Reports a list without an envelope whose reply schema is not an array. */
function checkBare({ body }: ListConfig, status: number, site: Site): void {
  const [media] = [...(responseFor(site.operation, status)?.content.values() ?? [])]
  const sample = body === undefined ? media?.schema?.shape : undefined
  if (sample === undefined || sample.types.length === 0 || sample.types.includes('array')) return
  const lists = [...sample.properties].filter(([, { value }]) => isObject(value) && value.type === 'array')
  const hint = `wrap it, for instance: body: { ${lists[0]?.[0] ?? 'data'}: "\${page.items}" }`
  const message = `the contract documents the reply of ${site.operation.id} as ${sample.types.join(' or ')}, not as an array`
  site.error('unwrapped-list', message, ['list'], hint)
}
