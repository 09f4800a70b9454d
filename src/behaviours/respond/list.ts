// Lists the records of a resource: filters, sorts, pages and wraps them. Independent of storage engines.

import { isJson, responseFor, successStatus } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { describeField } from '../../contract/schema/field.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'
import { JSON_HEADERS, type Reply } from '../../kernel/reply.ts'
import type { Path } from '../../kernel/source.ts'
import { compileTemplate, JsonText, placeholders, unfilled } from '../../kernel/template.ts'
import type { Comparison, Filter, Page, Query, SortOrder } from '../../world/collection.ts'
import { excessOf } from '../../world/search.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import type { Resource } from '../resource.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import type { ListConfig, LocateParameter } from './config.ts'
import { compileWithin, resourceOf } from './key.ts'
import { compileEnvelope, compilePaging, lostCursor } from './pages.ts'
import { compileShownList } from './reply.ts'
import { branchesWithin, recordPath, schemaBelow } from './shape.ts'
import { compileOtherTime } from './values.ts'

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

// Wraps each record of a list: `{ customer: {…} }`.

export interface ListItem {
  /** The schema of the record in the item. */
  readonly record: Node | undefined
  /** Returns the text of the item with a record. */
  write(record: JsonObject): string
}

/**
 * @param template an item with `${record.value}`; `undefined` for items that are the records
 * @param node the schema of an item
 */
export function compileItem(template: Json | undefined, node: Node | undefined, site: Site): ListItem | undefined {
  if (template === undefined) return undefined
  const { contract } = site
  for (const { path, part, message, hint } of unfilled({ item: template }, ['record.value'])) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const whole = node === undefined ? template : completeTemplate(template, node, contract, NOTHING_KNOWN)
  return {
    record: schemaBelow(node, recordPath(template), contract),
    write: compileTemplate<JsonObject>(whole, 'record', { value: record => new JsonText(stringifyJson(record)) }),
  }
}

// Reads a query parameter that is an object of bounds: `created[gte]=10&created[lt]=20` is `{ gte: 10, lt: 20 }`.

const BOUNDS: ReadonlyMap<string, Comparison['is']> = new Map([
  ['gt', 'more-than'],
  ['gte', 'at-least'],
  ['lt', 'less-than'],
  ['lte', 'at-most'],
  ['after', 'more-than'],
  ['before', 'less-than'],
  ['from', 'at-least'],
  ['to', 'at-most'],
  ['min', 'at-least'],
  ['max', 'at-most'],
])

/**
 * Returns the comparisons that an object of bounds asks for; `undefined` for a value that is not such an object.
 * @param convert converts a limit to the form that the records have
 */
export function boundsOf(
  field: string,
  value: Json,
  convert: (limit: Json) => Json = limit => limit,
): Comparison[] | undefined {
  if (!isObject(value)) return undefined
  return Object.entries(value).flatMap(([key, limit]) => {
    const is = BOUNDS.get(key)
    return is === undefined ? [] : [{ field, is, value: convert(limit as Json) }]
  })
}

// Reads the sort order of a request: `name`, `-name`, `+name`, `name:desc`, `name,-id`, `name,desc`, or an `order`
// parameter.

/** @returns the request's order, `undefined` for the order of ids, or the broken rule */
export function compileSort(
  { sort, order, by }: ListConfig,
  { schema, name }: Resource,
  site: Site,
  locate: LocateParameter,
): ((exchange: Exchange) => readonly SortOrder[] | BrokenRule | undefined) | undefined {
  const fields = [...schema.shape.properties.keys()]
  const standing = compileStanding(by, fields, site)
  if (sort === undefined) {
    if (order !== undefined) site.error('idle-key', '"order" has no effect without "sort"', ['order'], undefined, 'key')
    return standing && (() => standing)
  }
  const { parameter, unknownFields = 'refuse' } = typeof sort === 'string' ? { parameter: sort } : sort
  const at = locate(parameter, typeof sort === 'string' ? ['sort'] : ['sort', 'parameter'])
  const usual = site.operation.parameters[at]?.default
  const orderAt = order === undefined ? -1 : locate(order, ['order'])
  return exchange => {
    const { values } = exchange
    const value = values[at]
    if (value === undefined) return standing
    const reversed = /^desc/i.test(String(values[orderAt] ?? ''))
    const words = [value].flat().flatMap(text => String(text).split(','))
    const orders: SortOrder[] = []
    const unknown: string[] = []
    for (const word of words.map(text => text.trim())) {
      if (word === '') continue
      const parsed = parseOrder(word, fields)
      if (parsed !== undefined) orders.push({ ...parsed, descending: parsed.descending !== reversed })
      else if (/^(?:asc|desc)(?:ending)?$/i.test(word) && orders.length > 0) {
        const last = orders.at(-1) as SortOrder
        orders[orders.length - 1] = { ...last, descending: /^desc/i.test(word) }
      } else if (unknownFields === 'ignore') unknown.push(word)
      else {
        const message = `must name a field of ${name}, not ${JSON.stringify(word)}`
        return { in: 'query', path: parameter, rule: 'sort', message }
      }
    }
    // A request without the parameter has its default, which is no mistake of the client.
    if (unknown.length > 0 && value !== usual) exchange.warn(`${parameter}: no field of ${name}: ${unknown.join(', ')}`)
    return orders.length === 0 ? standing : orders
  }
}

/** The default order; `undefined` is the order of ids, which needs no sorting. */
function compileStanding(
  by: string | undefined,
  fields: readonly string[],
  site: Site,
): readonly SortOrder[] | undefined {
  return by?.split(',').flatMap(word => {
    const order = parseOrder(word.trim(), fields)
    if (order === undefined) {
      site.error(
        'unknown-field',
        `${JSON.stringify(word)} does not name a field to order by`,
        ['by'],
        suggest(word, fields),
      )
    }
    return order ?? []
  })
}

function parseOrder(word: string, fields: readonly string[]): SortOrder | undefined {
  if (fields.includes(word)) return { field: word, descending: false }
  const signed = /^([+-])(.+)$/.exec(word)
  if (signed !== null && fields.includes(signed[2] as string)) {
    return { field: signed[2] as string, descending: signed[1] === '-' }
  }
  const suffixed = /^(.+?)[ :._|](asc|desc)(?:ending)?$/i.exec(word)
  if (suffixed === null || !fields.includes(suffixed[1] as string)) return undefined
  return { field: suffixed[1] as string, descending: /^desc/i.test(suffixed[2] as string) }
}
