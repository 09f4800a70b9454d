// The usual meanings of a list's parameters and of the properties around it, by their names and types.

import type { Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import type { Shape } from '../../contract/schema/shape.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/plain-name.ts'
import { choicesOf } from './choices.ts'
import { type FieldNames, fieldNamesOf, wordFormOf } from './paths.ts'
import { rangeOf } from './range.ts'
import { type Listed, nest } from './reply.ts'
import type { SchemaReader } from './schema.ts'

/** Common names of query parameters, by their meaning. */
const ROLES: Readonly<Record<string, readonly string[]>> = {
  limit: [
    'limit',
    'perpage',
    'pagesize',
    'size',
    'count',
    'maxresults',
    'maxitems',
    'top',
    'first',
    'take',
    'pagelimit',
  ],
  offset: ['offset', 'skip', 'start', 'startindex', 'pageoffset'],
  page: ['page', 'pagenumber', 'pageno', 'pageindex', 'currentpage'],
  cursor: [
    'cursor',
    'after',
    'startingafter',
    'pagetoken',
    'nexttoken',
    'continuationtoken',
    'nextpagetoken',
    'marker',
  ],
  sort: ['sort', 'sortby', 'orderby', 'sortfield'],
  order: ['order', 'direction', 'sortorder', 'sortdirection', 'sortdir'],
  search: ['q', 'query', 'search', 'searchterm', 'filter'],
}

/** The keys of `respond` that the query parameters of a list suggest. */
export function listKeys(
  { parameters }: Operation,
  { properties }: Shape,
  schemas: SchemaReader,
  given?: ReadonlySet<string>,
): Record<string, Json> {
  // A required parameter whose field no request sets does not filter, since its value is unknown.
  const isKnown = (parameter: Parameter, field: string) =>
    !parameter.required || given === undefined || given.has(plainName(field))
  const out: Record<string, Json> = {}
  const names = fieldNamesOf(properties.keys())
  const query = parameters.filter(one => one.in === 'query')
  const filter: Json[] = []
  for (const parameter of query) {
    const { name, schema } = parameter
    const field = properties.get(name)
    if (field !== undefined && schemas.isScalar(field)) {
      const choices = isKnown(parameter, name) ? choicesOf(parameter, field, schemas) : undefined
      if (choices !== undefined) {
        filter.push({ parameter: name, all: choices.all })
        continue
      }
      if (isKnown(parameter, name) && isFilter(parameter, field, schemas)) filter.push(name)
      continue
    }
    const spelt = names.bySpelling.get(plainName(name)) ?? []
    const other = spelt.length === 1 && field === undefined ? properties.get(spelt[0] as string) : undefined
    if (other !== undefined && schemas.isScalar(other) && isFilter(parameter, other, schemas)) {
      if (isKnown(parameter, spelt[0] as string)) filter.push({ parameter: name, field: spelt[0] as string })
      continue
    }
    const inside = listFilter(parameter, properties, names, schemas)
    if (inside !== undefined) {
      filter.push({ parameter: name, field: inside, is: 'contains' })
      continue
    }
    const role = Object.keys(ROLES).find(key => ROLES[key]?.includes(plainName(name)))
    const range = rangeOf(parameter, properties, names, schemas)
    if (range !== undefined && (role === undefined || range.certain)) {
      filter.push({ parameter: name, field: range.field, is: range.is })
      continue
    }
    const numeric = role === 'limit' || role === 'offset' || role === 'page'
    const isNumber = schema.types.has('integer') || schema.types.has('number')
    if (role === undefined || out[role] !== undefined || (numeric && !isNumber)) continue
    // A parameter with a default, such as `filter=all`, is not a search: a request without it must not search.
    if (role === 'search' && parameter.default !== undefined) continue
    const setting = role === 'sort' ? sortSetting(parameter, properties, schemas) : name
    if (setting !== undefined) out[role] = setting
  }
  if (out.order !== undefined && out.sort === undefined) delete out.order
  const starts = ['page', 'offset', 'cursor'].filter(key => out[key] !== undefined)
  for (const key of starts.slice(1)) delete out[key]
  return { ...(filter.length > 0 ? { filter } : {}), ...out, ...(starts.length > 0 ? { links: true } : {}) }
}

/**
 * Whether a parameter filters by the field of its name. It does not if its default, such as `all`, is not a value of the
 * field, or if its format differs: `origin` is a station's UUID in the query and its name in a trip.
 */
function isFilter({ default: fallback, schema }: Parameter, field: Node, schemas: SchemaReader): boolean {
  const format = schema.types.has('string') ? schemas.format(schema.node) : undefined
  if (format !== undefined && format !== schemas.format(field)) return false
  if (fallback === undefined) return true
  const values = schemas.enumOf(field)
  return values.length > 0 && values.includes(fallback as Json)
}

/** The field whose list a parameter searches: `tags` by the texts or the names of a record's tags. */
function listFilter(
  { name, schema }: Parameter,
  properties: ReadonlyMap<string, Node>,
  names: FieldNames,
  schemas: SchemaReader,
): string | undefined {
  const own = names.byWord.get(wordFormOf(name))
  const field = own === undefined ? undefined : properties.get(own)
  const items = field && schemas.shape(field).items
  if (items === undefined || !(schema.types.has('array') || schema.types.has('string'))) return undefined
  if (schemas.isScalar(items)) return schemas.types(items).has('string') ? own : undefined
  const inner = schemas.shape(items).properties
  const named = ['name', 'slug', 'key', 'value'].find(one => {
    const node = inner.get(one)
    return node !== undefined && schemas.types(node).has('string')
  })
  return named === undefined ? undefined : `${own}.${named}`
}

/** The setting for a sort parameter; `undefined` if no value of its enum is a field. No value that the contract allows is refused. */
function sortSetting(
  { name, schema }: Parameter,
  properties: ReadonlyMap<string, Node>,
  schemas: SchemaReader,
): Json | undefined {
  const { items } = schemas.shape(schema.node)
  const values = schemas.enumOf(items ?? schema.node)
  const fields = values.filter(value => properties.has(String(value).replace(/^[-+]|:.*$|[ ,].*$/g, '')))
  if (values.length > 0 && fields.length === values.length) return name
  return values.length > 0 && fields.length === 0 ? undefined : { parameter: name, unknownFields: 'ignore' }
}

/** Common names of an envelope's other properties, by their meaning. */
const PAGE_WORDS: Readonly<Record<string, readonly string[]>> = {
  total: ['total', 'totalcount', 'totalitems', 'totalresults', 'totalelements', 'totalrecords'],
  count: ['count', 'numberofelements', 'size'],
  pages: ['pages', 'totalpages', 'pagecount', 'lastpage'],
  number: ['page', 'currentpage', 'pagenumber', 'number'],
  limit: ['limit', 'perpage', 'pagesize'],
  offset: ['offset', 'skip', 'start'],
  more: ['hasmore', 'more', 'hasnext', 'hasnextpage'],
  cursor: ['nextcursor', 'cursor', 'nextpagetoken', 'nexttoken', 'endcursor'],
  next: ['next', 'nextpage', 'nexturl', 'nextlink'],
  prev: ['prev', 'previous', 'prevpage', 'previouspage', 'prevurl'],
}
const NUMBERS = new Set(['total', 'count', 'pages', 'number', 'limit', 'offset'])
/** Placeholders of the neighbours where the contract has their numbers, not their addresses. */
const NEIGHBOURS: Readonly<Record<string, string>> = { next: 'nextNumber', prev: 'prevNumber' }

/** The templates around the records of a list, and around each of them. */
export function wrapping({ whole, keys, inside }: Listed, schemas: SchemaReader): Readonly<Record<string, Json>> {
  const item: Readonly<Record<string, Json>> = inside === undefined ? {} : { item: { [inside]: '${record.value}' } }
  return keys.length === 0 ? item : { body: template(whole, keys, schemas), ...item }
}

function template(node: Node, keys: readonly string[], schemas: SchemaReader): Json {
  const { properties } = schemas.shape(node)
  const [own, ...inner] = keys
  const out: Record<string, Json> = {}
  for (const [name, child] of properties) {
    if (name === own) {
      out[name] = inner.length === 0 ? '${page.items}' : { ...(template(child, inner, schemas) as object) }
      continue
    }
    const word = Object.keys(PAGE_WORDS).find(one => PAGE_WORDS[one]?.includes(plainName(name)))
    const types = schemas.types(child)
    const fits =
      word !== undefined &&
      (NUMBERS.has(word)
        ? types.has('integer') || types.has('number')
        : word === 'more'
          ? types.has('boolean')
          : // At either end there is no neighbour: only what may be null can say so.
            schemas.isNullable(child))
    const numbered = types.has('integer') || types.has('number') ? NEIGHBOURS[word ?? ''] : undefined
    if (fits)
      out[name] = `\${page.${numbered ?? (word === 'pages' && isPositive(child, schemas) ? 'pagesOrOne' : word)}}`
    else if (schemas.isRecord(child) && !schemas.shape(child).properties.has(name)) {
      const nested = template(child, [], schemas)
      if (Object.keys(nested as object).length > 0) out[name] = nested
    }
  }
  return own === undefined || own in out ? out : { ...(nest(keys, '${page.items}') as object), ...out }
}

/** Whether a number is at least 1. */
const isPositive = (node: Node, schemas: SchemaReader): boolean =>
  schemas.contract.use(node).check(0) !== undefined && schemas.contract.use(node).check(1) === undefined
