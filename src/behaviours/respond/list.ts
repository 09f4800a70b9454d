// Lists the records of a resource: filters, sorts, pages and wraps them. Independent of storage engines.

import { headersOf, responseFor, successStatus } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { describeField, type Field } from '../../contract/schema/field.ts'
import { compileFilling, JsonText } from '../../expression/template.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import type { Path } from '../../kernel/file/source.ts'
import { type BrokenRule, JSON_HEADERS } from '../../kernel/http.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import type { Comparison, Filter, Page, Query, SortOrder } from '../../world/records/types.ts'
import { excessOf, fieldIn, LONGEST_SEARCH } from '../../world/records/values.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { isId, type Resource, readPage, withoutOwners } from '../resource.ts'
import type { Responder } from '../responder.ts'
import { type FilterConfig, listKeys, type RespondConfig } from './config.ts'
import { compileWithin, type Referring, referrersOf, referringTo, reportField, resourceOf } from './key.ts'
import { compileEnvelope, type LocateParameter, lostCursor, Paging } from './pages.ts'
import { compileHeaders, compileNegotiated, compileShownList } from './reply.ts'
import { completeTemplate, pathOfPlaceholder, recordPath, schemaBelow, shownBranches, successSchema } from './shape.ts'
import { compileOtherTime } from './values.ts'

export const list: Responder<RespondConfig> = {
  kind: 'list',
  keys: listKeys,
  records: 'many',
  changes: false,
  compile(config, site) {
    const resource = resourceOf(config.list, ['list'], site)
    if (resource === undefined) return undefined
    const status = successStatus(site.operation, 200)
    return compileHeaders(compileNegotiated(compileList(config, resource, site), status, site), false, site)
  },
}

function compileList(written: RespondConfig, resource: Resource, site: Site): Handler {
  const { operation, contract, invalid } = site
  const response = responseFor(operation, successStatus(operation, 200))
  const isLinked = response !== undefined && headersOf(response).some(({ name }) => /^link$/i.test(name))
  const config = isLinked ? { links: true, ...written } : written
  const { parameters } = operation
  const locate = parameterLocator(site)
  const within = compileWithin(config, resource, site)
  const select = compileFilters(config, resource, site, locate)
  const search = locate(config.search, ['search'])
  const sortBy = compileSort(config, resource, site, locate)
  const paging = new Paging(config, resource, parameters, locate)
  const envelope = compileEnvelope(config, site, paging.counts)
  const expand = compileExpand(config, resource, site)
  const status = successStatus(operation, 200)
  const list = schemaBelow(successSchema(operation, 200)?.node, pathOfPlaceholder(config.body, 'page.items'), contract)
  const items = list && contract.shapeOf(list).items
  const record = config.item === undefined ? items : schemaBelow(items, recordPath(config.item), contract)
  const shown = compileShownList(record, resource, site, compileItem(config.item, items, site))
  checkBare(config, status, site)
  return async exchange => {
    const orphan = within && (await within.orphan(exchange))
    if (orphan !== undefined) return orphan
    const sort = sortBy?.(exchange)
    if (sort !== undefined && 'rule' in sort) return invalid([sort])
    const window = paging.window(exchange)
    if ('rule' in window) return invalid([window])
    const sought = search === -1 ? undefined : exchange.values[search]
    const words = sought === undefined ? undefined : String(sought)
    const excess = words && excessOf(words)
    if (excess) {
      return invalid([{ in: 'query', path: config.search as string, rule: 'maxLength', message: excess }])
    }
    const selected = select?.(exchange) ?? NOTHING
    if ('rule' in selected) return invalid([selected])
    const { filters, comparisons } = selected
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
    const kept = await exchange.records(resource.name).list(asked)
    const added = expand === undefined ? [] : await expand(exchange, kept.text)
    const whole = added.length === 0 ? kept.text : stringifyJson(added)
    const text = shown?.(whole) ?? whole
    const page: Page = text === kept.text ? kept : { ...kept, text, bytes: Buffer.byteLength(text) }
    if (page.lost) return invalid([lostCursor(config.cursor as string)])
    const wrapped = envelope.wrap?.(status, page, paging.links(exchange, page, window), exchange)
    return wrapped ?? { status, headers: JSON_HEADERS, body: page.text, bytes: page.bytes }
  }
}

/**
 * Compiles the text of a list's item: `{ customer: {…} }`.
 *
 * @param template an item with `${record.value}`; `undefined` for items that are the records
 * @param node the schema of an item
 */
function compileItem(
  template: Json | undefined,
  node: Node | undefined,
  { contract, error }: Site,
): ((record: JsonObject) => string) | undefined {
  if (template === undefined) return undefined
  const whole = node === undefined ? template : completeTemplate(template, node, contract)
  const { write } = compileFilling<{ readonly record: JsonObject; readonly scope?: never }>(whole, ['item'], error, {
    known: ['record.value'],
    field: name => (name === 'record.value' ? ({ record }) => new JsonText(stringifyJson(record)) : undefined),
  })
  return record => write({ record })
}

/** Returns a function that finds a query parameter of an operation, if a setting names one, and reports that there is none. */
export function parameterLocator({ operation: { id, parameters }, error }: Site): LocateParameter {
  const names = parameters.map(one => (one.in === 'query' ? one.name : ''))
  return (name, path) => {
    if (name === undefined) return -1
    const at = names.indexOf(name)
    const message = `the operation ${id} has no query parameter "${name}"`
    if (at === -1) error('unknown-parameter', message, path, suggest(name, names.filter(Boolean)))
    return at
  }
}

/**
 * Compiles a function that returns the records of a list with those that a request adds; none if it adds none. Records are added
 * if they have an id in a field `own` of the others: a reference, or their id.
 */
export function compileExpand({ expand }: RespondConfig, resource: Resource, site: Site) {
  if (expand === undefined) return undefined
  const locate = parameterLocator(site)
  const at = expand.map((name, i) => locate(name, ['expand', i]))
  const { idField, references } = resource
  const relations = new Map<string, Referring & { readonly own: string }>()
  for (const one of referrersOf(resource.name, site)) relations.set(one.resource.name, { ...one, own: idField })
  for (const [own, { to }] of references) {
    const target = site.resources.get(to)
    // The mistake is reported where the resource is read.
    if (target === undefined) continue
    // `authorId` and `{author_id}` name an author, `tagIds` tags.
    const name = own.replace(/[{}]|_?[iI]d(?=s?}?$)/g, '')
    relations.set(name, { resource: target, field: target.idField, many: false, own })
  }
  for (const { resource: other, field, many } of relations.values()) {
    if (!many) site.index(other.name, field)
    const source = other.source ?? resource.source
    if (source !== undefined) site.error('unread-base', `"expand" does not read ${source.owner}`, ['expand'])
  }
  return async (exchange: Exchange, text: string): Promise<readonly JsonObject[]> => {
    const words = at.flatMap(i => String(exchange.values[i]).split(','))
    const wanted = [...relations].filter(([name]) => words.includes(name))
    const addTo = async (record: JsonObject) => {
      const whole: Record<string, Json> = { ...record }
      for (const [name, { own, ...other }] of wanted) {
        const value = fieldIn(own, record)
        const found = await referringTo([value].flat().filter(isId), other, exchange)
        const all = found.map(one => withoutOwners(other.resource.unshown, one))
        const shown = own === idField || Array.isArray(value) ? all : all[0]
        if (shown) whole[name] = shown
      }
      return whole
    }
    return wanted.length === 0 ? [] : Promise.all(readPage(text).map(addTo))
  }
}

type Selected = Pick<Query, 'filters' | 'comparisons'>
const NOTHING: Selected = { filters: [] }

/** The filters of a list. Equality uses an index; other comparisons look at every record. */
export function compileFilters(
  { filter = [] }: RespondConfig,
  resource: Resource,
  site: Site,
  locate: LocateParameter,
): ((exchange: Exchange) => Selected | BrokenRule) | undefined {
  if (filter.length === 0) return undefined
  const compiled = filter.map((entry, i) => {
    const named = typeof entry === 'string' ? filterNamed(entry, resource, site) : entry
    const { parameter, field = parameter, is = 'equal', all } = named
    const { properties } = resource.schema.shape
    const path = (key: string): Path => (typeof entry === 'string' ? ['filter', i] : ['filter', i, key])
    const at = locate(parameter, path('parameter'))
    // A name that is neither a parameter nor a field is one mistake.
    if (!knowsField(field, resource, site) && (at !== -1 || field !== parameter)) {
      const key = typeof entry === 'string' || entry.field === undefined ? 'parameter' : 'field'
      reportField(resource, field, path(key), site)
    }
    if (is === 'equal') site.index(resource.name, field)
    const sent = site.operation.parameters[at]
    const node = properties.get(field)
    const described: Field | undefined = node && describeField(field, site.contract.use(node))
    return {
      parameter,
      field,
      is,
      all,
      at,
      takesBounds: is === 'equal' && sent?.schema.types.has('object') === true,
      // If every request has to select, a record without the field is in every selection; not by a status or another enum.
      orAbsent: sent?.required === true && described?.choices === undefined,
      convert: described && sent && compileConversion(typesOfLimits(sent, site), described),
    }
  })
  return ({ values }) => {
    const filters: Filter[] = []
    const comparisons: Comparison[] = []
    for (const { parameter, field, is, all, at, takesBounds, orAbsent, convert } of compiled) {
      const given = values[at] as Json | undefined
      if (given === undefined || (all !== undefined && [given].flat().includes(all))) continue
      if (takesBounds && isObject(given)) {
        for (const [key, limit] of Object.entries(given as JsonObject)) {
          const bound = BOUNDS.get(key)
          if (bound !== undefined) comparisons.push({ field, is: bound, value: convert?.(limit) ?? limit })
        }
        continue
      }
      const value = convert?.(given) ?? given
      if (is === 'contains' && typeof value === 'string' && value.length > LONGEST_SEARCH) {
        const message = `must have at most ${LONGEST_SEARCH} characters`
        return { in: 'query', path: parameter, rule: 'maxLength', message }
      }
      if (is !== 'equal') comparisons.push({ field, is, value })
      else filters.push({ field, values: Array.isArray(value) ? value : [value], orAbsent })
    }
    return { filters, comparisons: comparisons.length === 0 ? undefined : comparisons }
  }
}

/** Compiles how a parameter is read for a field of another type; `undefined` where it is compared as it is. */
function compileConversion(types: ReadonlySet<string>, field: Field): ((value: Json) => Json) | undefined {
  // `favorited=ada` selects what is favorited: it names the one who did it.
  const isFlag = String(field.types) === 'boolean' && types.has('string')
  return isFlag ? value => !/^(?:false|no|0)$/i.test(String(value)) : compileOtherTime(types, field)
}

/** Returns the types of a parameter's value; of an object of bounds, those of its properties. */
function typesOfLimits({ schema }: Parameter, { contract }: Site): ReadonlySet<string> {
  if (!schema.types.has('object')) return schema.types
  return new Set([...schema.shape.properties.values()].flatMap(node => [...contract.use(node).types]))
}

/** Whether records have a field, which may be nested, also in lists and unions: `tags.name`. */
function knowsField(field: string, { schema }: Resource, { contract }: Site): boolean {
  if (schema.shape.properties.has(field)) return true
  const below = (nodes: readonly Node[], key: string): readonly Node[] =>
    nodes
      .flatMap(node => shownBranches(node, contract))
      .flatMap(node => {
        const { properties, items } = contract.shapeOf(node)
        const own = properties.get(key)
        return own === undefined ? (items === undefined ? [] : below([items], key)) : [own]
      })
  return field.includes('.') && field.split('.').reduce(below, [schema.node]).length > 0
}

/** Returns what a name says: of `views_gte` or `views:gte` that it is a bound of `views`, unless there is a field of the whole name. */
function filterNamed(parameter: string, resource: Resource, site: Site): FilterConfig {
  const [, field = '', word = ''] = /^(.+?)[_:]+([a-z]+)$/.exec(parameter) ?? []
  const is = BOUNDS.get(word) ?? COMPARISONS.get(word)
  const isField = is === undefined || knowsField(parameter, resource, site) || !knowsField(field, resource, site)
  return isField ? { parameter } : { parameter, field, is }
}

const COMPARISONS = new Map<string, FilterConfig['is']>(
  Object.entries({ ne: 'not', eq: 'equal', in: 'equal', like: 'contains', contains: 'contains' }),
)

/** The limits of an object of bounds: `created[gte]=10&created[lt]=20` is `{ gte: 10, lt: 20 }`. */
const BOUNDS: ReadonlyMap<string, Comparison['is']> = new Map(
  Object.entries({
    gt: 'more-than',
    after: 'more-than',
    lt: 'less-than',
    before: 'less-than',
    lte: 'at-most',
    to: 'at-most',
    max: 'at-most',
    gte: 'at-least',
    from: 'at-least',
    min: 'at-least',
  }),
)

/**
 * Compiles the sort order of a request: `name`, `-name`, `+name`, `name:desc`, `name,-id`, `name,desc`, or an `order` parameter.
 *
 * @returns the request's order, `undefined` for the order of ids, or the broken rule
 */
function compileSort(
  { sort = {} }: RespondConfig,
  { schema, name, idField, ids, within }: Resource,
  site: Site,
  locate: LocateParameter,
): ((exchange: Exchange) => readonly SortOrder[] | BrokenRule | undefined) | undefined {
  const fields = [...schema.shape.properties.keys()]
  // Keys that are made of owners and a number are texts, in which 10 comes before 9.
  const {
    parameter,
    order,
    default: written,
    unknownFields = 'refuse',
  } = typeof sort === 'string' ? { parameter: sort } : sort
  const by = written ?? (within.length > 0 && ids === 'integer' ? idField : undefined)
  // The default order; `undefined` is the order of ids, which needs no sorting.
  const standing = by?.split(',').flatMap(word => {
    const parsed = parseOrder(word.trim(), fields)
    if (parsed !== undefined) return [parsed]
    const message = `${JSON.stringify(word)} does not name a field to order by`
    site.error('unknown-field', message, ['sort', 'default'], suggest(word, fields))
    return []
  })
  if (parameter === undefined) {
    const message = '"order" has no effect without "parameter"'
    if (order !== undefined) site.error('idle-key', message, ['sort', 'order'], undefined, 'key')
    return standing && (() => standing)
  }
  const at = locate(parameter, typeof sort === 'string' ? ['sort'] : ['sort', 'parameter'])
  const usual = site.operation.parameters[at]?.default
  const orderAt = locate(order, ['sort', 'order'])
  return exchange => {
    const { values } = exchange
    const value = values[at]
    if (value === undefined) return standing
    const reversed = /^desc/i.test(String(values[orderAt] ?? ''))
    const orders: SortOrder[] = []
    const unknown: string[] = []
    for (const text of [value].flat().join(',').split(',')) {
      const word = text.trim()
      const last = orders.at(-1)
      const parsed = parseOrder(word, fields)
      if (parsed !== undefined) orders.push({ ...parsed, descending: parsed.descending !== reversed })
      else if (last !== undefined && /^(?:asc|desc)(?:ending)?$/i.test(word)) {
        orders[orders.length - 1] = { ...last, descending: /^desc/i.test(word) }
      } else if (word !== '' && unknownFields === 'ignore') unknown.push(word)
      else if (word !== '') {
        const message = `must name a field of ${name}, not ${JSON.stringify(word)}`
        return { in: 'query', path: parameter, rule: 'sort', message }
      }
    }
    // A request without the parameter has its default, which is no mistake of the client.
    if (unknown.length > 0 && value !== usual) exchange.warn(`${parameter}: no field of ${name}: ${unknown.join(', ')}`)
    return orders.length === 0 ? standing : orders
  }
}

function parseOrder(word: string, fields: readonly string[]): SortOrder | undefined {
  if (fields.includes(word)) return { field: word, descending: false }
  const [, sign, signed = ''] = /^([+-])(.+)$/.exec(word) ?? []
  if (fields.includes(signed)) return { field: signed, descending: sign === '-' }
  const [, suffixed = '', direction = ''] = /^(.+?)[ :._|](asc|desc)(?:ending)?$/i.exec(word) ?? []
  return fields.includes(suffixed) ? { field: suffixed, descending: /^desc/i.test(direction) } : undefined
}

/** Reports a list without an envelope whose reply schema is not an array. */
function checkBare({ body }: RespondConfig, status: number, site: Site): void {
  const [media] = [...(responseFor(site.operation, status)?.content.values() ?? [])]
  const sample = body === undefined ? media?.schema?.shape : undefined
  if (sample === undefined || sample.types.length === 0 || sample.types.includes('array')) return
  const list = [...sample.properties].find(([, { value }]) => isObject(value) && value.type === 'array')
  const hint = `wrap it, for instance: body: { ${list?.[0] ?? 'data'}: "\${page.items}" }`
  const message = `the contract documents the reply of ${site.operation.id} as ${sample.types.join(' or ')}, not as an array`
  site.error('unwrapped-list', message, ['list'], hint)
}
