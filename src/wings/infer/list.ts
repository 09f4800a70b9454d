// The usual meanings of a list's parameters and of the properties around it, by their names and types.

import { pagePlaceholder } from '../../behaviours/respond/pages.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { describeField } from '../../contract/schema/field.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import { type Listed, nest } from './records.ts'
import { type FieldReader, isNumeric, type SchemaReader } from './schema.ts'

/** Words by their meaning, with blanks between them. */
type WordTable = Readonly<Record<string, string>>

const meaningOf = (word: string, words: WordTable): string | undefined =>
  Object.keys(words).find(key => words[key]?.split(' ').includes(word))

/** Common names of query parameters, by their meaning. */
const ROLES: WordTable = {
  limit: 'limit perpage pagesize size count maxresults maxitems top first take pagelimit',
  offset: 'offset skip start startindex pageoffset',
  page: 'page pagenumber pageno pageindex currentpage',
  cursor: 'cursor after startingafter pagetoken nexttoken continuationtoken nextpagetoken marker',
  sort: 'sort sortby orderby sortfield',
  order: 'order direction sortorder sortdirection sortdir',
  search: 'q query search searchterm filter',
}

/** Returns the usual meaning of a query parameter, by its name: `limit`, `offset`, `page`, `cursor`, `sort`, `order` or `search`. */
export const roleOf = (name: string): string | undefined => meaningOf(plainName(name), ROLES)

/**
 * Returns the keys of `respond` that the query parameters of a list suggest.
 *
 * @param given the fields that a request to create a record may have; `undefined` if any
 */
export function listKeys(
  { parameters }: Operation,
  record: FieldReader,
  given?: ReadonlySet<string>,
): Record<string, Json> {
  const keys: Record<string, Json> = {}
  const filter: Json[] = []
  for (const parameter of parameters.filter(({ in: place }) => place === 'query')) {
    const selected = selectedField(parameter, record)
    if (selected !== undefined) {
      // A required parameter whose field no request sets does not filter, since its value is unknown.
      const isKnown = !parameter.required || given === undefined || given.has(plainName(selected.field))
      if (selected.setting !== undefined && isKnown) filter.push(selected.setting)
      continue
    }
    const role = roleOf(parameter.name)
    const range = boundedField(parameter, record)
    if (range !== undefined && (role === undefined || range.certain)) {
      filter.push({ parameter: parameter.name, field: range.field, is: range.is })
      continue
    }
    const setting = role === undefined || keys[role] !== undefined ? undefined : roleSetting(role, parameter, record)
    if (role !== undefined && setting !== undefined) keys[role] = setting
  }
  const { order, ...others } = keys
  if (order !== undefined && keys.sort !== undefined) {
    const { sort } = keys
    others.sort = typeof sort === 'string' ? { parameter: sort, order } : { ...(sort as JsonObject), order }
  }
  const starts = ['page', 'offset', 'cursor'].filter(key => others[key] !== undefined)
  for (const key of starts.slice(1)) delete others[key]
  return { ...(filter.length > 0 ? { filter } : {}), ...others, ...(starts.length > 0 ? { links: true } : {}) }
}

/** Returns the field that a parameter selects by, with the entry of `filter`, which is unset where its values do not filter. */
function selectedField(
  parameter: Parameter,
  record: FieldReader,
): { readonly field: string; readonly setting?: Json } | undefined {
  const { name, schema } = parameter
  const { properties, schemas } = record
  const spelt = record.spelt(plainName(name))
  const field = properties.has(name) || spelt.length !== 1 ? name : (spelt[0] as string)
  const node = properties.get(field)
  if (node !== undefined && schemas.isScalar(node)) {
    const all = field === name ? everythingOf(parameter, node, schemas) : undefined
    if (all !== undefined) return { field, setting: { parameter: name, all } }
    if (isFilter(parameter, node, schemas))
      return { field, setting: field === name ? name : { parameter: name, field } }
    return field === name ? { field } : undefined
  }
  // `tag` selects by one of the `tags` or of the `tagList`, or by the name of one.
  const list = record.called(name) ?? record.called(`${name}List`)
  const items = list === undefined ? undefined : schemas.items(properties.get(list) as Node)
  const takesText = schema.types.has('array') || schema.types.has('string')
  if (list === undefined || items === undefined || !takesText) return undefined
  const inside = schemas.isScalar(items) && schemas.isText(items) ? list : undefined
  const named = inside ?? (schemas.fields(items).has('name') ? `${list}.name` : undefined)
  return named === undefined ? undefined : { field: named, setting: { parameter: name, field: named, is: 'contains' } }
}

/** Returns the setting for a parameter with a usual meaning; `undefined` if its type or its values say that it has another. */
function roleSetting(role: string, parameter: Parameter, record: FieldReader): Json | undefined {
  const counts = role === 'limit' || role === 'offset' || role === 'page'
  if (counts && !isNumeric(parameter.schema.types)) return undefined
  // A parameter with a default, such as `filter=all`, is not a search: a request without it must not search.
  if (role === 'search' && parameter.default !== undefined) return undefined
  return role === 'sort' ? sortSetting(parameter, record) : parameter.name
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

/** The setting for a sort parameter; `undefined` if no value of its enum is a field. No value that the contract allows is refused. */
function sortSetting({ name, schema }: Parameter, { properties, schemas }: FieldReader): Json | undefined {
  const values = namedValues(schema, schemas)
  const fields = values.filter(value => properties.has(String(value).replace(/^[-+]|:.*$|[ ,].*$/g, '')))
  if (values.length > 0 && fields.length === values.length) return name
  return values.length > 0 && fields.length === 0 ? undefined : { parameter: name, unknownFields: 'ignore' }
}

/** The values that a parameter, or each item of its list, may have by its enum. */
const namedValues = ({ node }: Parameter['schema'], schemas: SchemaReader): readonly Json[] =>
  schemas.enumOf(schemas.items(node) ?? node)

/** Returns the template around the records of a list. */
export function wrapping(
  { whole, keys }: Listed,
  { basePaths, path }: Operation,
  schemas: SchemaReader,
): Readonly<Record<string, Json>> {
  const address = `${basePaths[0] ?? ''}${path}`
  return keys.length === 0 ? {} : { body: template(whole, keys, address, schemas) }
}

function template(node: Node, [listKey, ...inner]: readonly string[], path: string, schemas: SchemaReader): JsonObject {
  const properties = schemas.fields(node)
  const names = [...properties.keys()]
  const body: Record<string, Json> = {}
  for (const [name, child] of properties) {
    if (name === listKey) {
      body[name] = inner.length === 0 ? '${page.items}' : template(child, inner, path, schemas)
      continue
    }
    const placeholder = pagePlaceholder(describeField(name, schemas.contract.use(child)), names, path)
    if (placeholder !== undefined) body[name] = `\${${placeholder}}`
    else if (schemas.isRecord(child) && !schemas.fields(child).has(name)) {
      const nested = template(child, [], path, schemas)
      if (Object.keys(nested).length > 0) body[name] = nested
    }
  }
  return listKey === undefined || listKey in body
    ? body
    : { ...(nest([listKey, ...inner], '${page.items}') as JsonObject), ...body }
}

const ALL = /^(?:all|any|both|everything|\*)$/i

/**
 * Returns the value of a parameter that selects everything, as `all` of `?state=open|closed|all`: the only one that the field of
 * its name cannot have, or, for a field without an enum, that is called so. `undefined` without one.
 */
export function everythingOf(
  { schema, default: usual }: Parameter,
  field: Node,
  schemas: SchemaReader,
): string | undefined {
  const named = namedValues(schema, schemas)
  const values = schemas.enumOf(field)
  const isText = schemas.isText(field)
  const [all, ...others] = named.filter(value =>
    values.length > 0 ? !values.includes(value) : isText && ALL.test(String(value)),
  )
  const isKnown = usual === undefined || [usual].flat().every(value => named.includes(value as Json))
  return others.length === 0 && typeof all === 'string' && named.length > 1 && isKnown ? all : undefined
}

/** A query parameter that bounds a field: `from`, `to`, `createdAfter`, `min_price`, `created[gte]`. */
interface Range {
  readonly field: string
  readonly is: 'at-least' | 'at-most' | 'more-than' | 'less-than'
  /** Whether name and type are unambiguous: `after` may also be a cursor. */
  readonly certain: boolean
}

const BOUNDS: WordTable = {
  'more-than': 'after gt',
  'less-than': 'before lt',
  'at-least': 'from since gte ge min start',
  'at-most': 'to until lte le max end',
}
/** The ends of a field's name that a parameter's lacks: `created` of `created_after` is `createdAt`. */
const ENDINGS = ['', 'at', 'on', 'date', 'time', 'd', 'dat']
/** The fields that a bound without a field's name is about, the likeliest first. */
const USUAL = ['date', 'created', 'createdat', 'timestamp', 'updatedat']

/** Returns the field that a parameter bounds, and how; `undefined` where it bounds none. */
function boundedField({ name, schema }: Parameter, record: FieldReader): Range | undefined {
  const { properties, schemas } = record
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
  const at = words.findLastIndex(word => meaningOf(word, BOUNDS) !== undefined)
  const is = meaningOf(words[at] ?? '', BOUNDS) as Range['is'] | undefined
  if (is === undefined) return undefined
  const rest = words.filter((_, i) => i !== at)
  const spoken = rest.filter(word => word !== 'date' && word !== 'time').join('')
  const isDate = /^date/.test(schemas.format(schema.node) ?? '')
  // `end` or `max` alone may be about anything.
  if (rest.length === 0 && !isDate && !/^(?:from|to|since|until)$/.test(name)) return undefined
  const wanted = spoken === '' ? USUAL : [rest.join(''), ...ENDINGS.map(ending => spoken + ending)]
  for (const field of wanted.flatMap(candidate => record.spelt(candidate).slice(0, 1))) {
    const node = properties.get(field) as Node
    if (isComparable(schema.types, isDate, node, schemas)) return { field, is, certain: isDate || rest.length > 0 }
  }
  return undefined
}

/** Whether a parameter and a field are both numbers, or both times; a date may be compared with seconds since 1970. */
function isComparable(types: ReadonlySet<string>, isDate: boolean, field: Node, schemas: SchemaReader): boolean {
  if ((isNumeric(types) || isDate) && schemas.isNumber(field)) return true
  return types.has('string') && schemas.isText(field) && /^date/.test(schemas.format(field) ?? '')
}
