// The usual meanings of a list's parameters and of the properties around it, by their names and types.

import { pagePlaceholder } from '../../behaviours/respond/pages.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import type { Node } from '../../contract/documents.ts'
import { describeField } from '../../contract/schema/field.ts'
import type { Json } from '../../kernel/json.ts'
import { plainName } from '../../kernel/names.ts'
import { FIRST, type Listed, nest } from './records.ts'
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

/** The keys of `respond` that the query parameters of a list suggest. */
export function listKeys(
  { parameters }: Operation,
  record: FieldReader,
  given?: ReadonlySet<string>,
): Record<string, Json> {
  const { properties, schemas } = record
  // A required parameter whose field no request sets does not filter, since its value is unknown.
  const isKnown = (parameter: Parameter, field: string) =>
    !parameter.required || given === undefined || given.has(plainName(field))
  const out: Record<string, Json> = {}
  const query = parameters.filter(one => one.in === 'query')
  const filter: Json[] = []
  for (const parameter of query) {
    const { name, schema } = parameter
    const spelt = record.spelt(plainName(name))
    const isSame = properties.has(name)
    const own = isSame || spelt.length !== 1 ? name : (spelt[0] as string)
    const field = properties.get(own)
    if (field !== undefined && schemas.isScalar(field)) {
      const choices = isSame ? choicesOf(parameter, field, schemas) : undefined
      const filters = choices !== undefined || isFilter(parameter, field, schemas)
      const setting = isSame ? name : { parameter: name, field: own }
      if (filters && isKnown(parameter, own)) filter.push(choices ? { parameter: name, all: choices.all } : setting)
      if (filters || isSame) continue
    }
    const inside = innerFilter(parameter, record)
    if (inside !== undefined) {
      filter.push({ parameter: name, ...inside })
      continue
    }
    const role = roleOf(name)
    const range = boundedField(parameter, record)
    if (range !== undefined && (role === undefined || range.certain)) {
      filter.push({ parameter: name, field: range.field, is: range.is })
      continue
    }
    const numeric = role === 'limit' || role === 'offset' || role === 'page'
    const isNumber = isNumeric(schema.types)
    if (role === undefined || out[role] !== undefined || (numeric && !isNumber)) continue
    // A parameter with a default, such as `filter=all`, is not a search: a request without it must not search.
    if (role === 'search' && parameter.default !== undefined) continue
    const setting = role === 'sort' ? sortSetting(parameter, record) : name
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

interface InnerFilter extends Readonly<Record<string, Json>> {
  readonly field: string
}

/**
 * The field inside which a parameter searches: `tag` by the texts or the names of a record's `tags` or `tagList`, `author` by the
 * name of its author.
 */
function innerFilter({ name, schema }: Parameter, record: FieldReader): InnerFilter | undefined {
  const { properties, schemas } = record
  const own = record.called(name) ?? record.called(`${name}List`)
  const field = own === undefined ? undefined : properties.get(own)
  const items = field && schemas.items(field)
  if (own === undefined || field === undefined || !(schema.types.has('array') || schema.types.has('string')))
    return undefined
  if (items !== undefined && schemas.isScalar(items))
    return schemas.isText(items) ? { field: own, is: 'contains' } : undefined
  const inner = schemas.fields(items ?? field)
  const named = (items === undefined ? ['username', 'login', 'slug'] : ['name', 'slug', 'key', 'value']).find(one => {
    const node = inner.get(one)
    return node !== undefined && schemas.isText(node)
  })
  if (named === undefined) return undefined
  return { field: `${own}.${named}`, ...(items === undefined ? {} : { is: 'contains' }) }
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

/** The templates around the records of a list, and around each of them. */
export function wrapping(
  { whole, keys, inside }: Listed,
  { basePaths, path }: Operation,
  schemas: SchemaReader,
): Readonly<Record<string, Json>> {
  const item: Readonly<Record<string, Json>> = inside === undefined ? {} : { item: { [inside]: '${record.value}' } }
  const at = `${basePaths[0] ?? ''}${path}`
  return keys.length === 0 ? item : { body: template(whole, keys, at, schemas), ...item }
}

function template(node: Node, keys: readonly string[], path: string, schemas: SchemaReader): Json {
  const [own, ...inner] = keys
  if (own === FIRST) return [template(schemas.items(node) ?? node, inner, path, schemas)]
  const properties = schemas.fields(node)
  const out: Record<string, Json> = {}
  for (const [name, child] of properties) {
    if (name === own) {
      out[name] = inner.length === 0 ? '${page.items}' : { ...(template(child, inner, path, schemas) as object) }
      continue
    }
    const known = pagePlaceholder(describeField(name, schemas.contract.use(child)), [...properties.keys()], path)
    if (known !== undefined) out[name] = `\${${known}}`
    else if (schemas.isRecord(child) && !schemas.fields(child).has(name)) {
      const nested = template(child, [], path, schemas)
      if (Object.keys(nested as object).length > 0) out[name] = nested
    }
  }
  return own === undefined || own in out ? out : { ...(nest(keys, '${page.items}') as object), ...out }
}

/** The values of a parameter that select by a field, and the one that selects everything. */
export interface Choices {
  readonly values: readonly Json[]
  readonly all: string
}

const ALL = /^(?:all|any|both|everything|\*)$/i

/**
 * Returns the choices of a parameter for the field of its name; `undefined` without a value for everything. That is the one
 * which the field cannot have; for a field without an enum, one that is called so.
 */
export function choicesOf(
  { schema, default: usual }: Parameter,
  field: Node,
  schemas: SchemaReader,
): Choices | undefined {
  const named = namedValues(schema, schemas)
  const own = schemas.enumOf(field)
  const isText = schemas.isText(field)
  const rest = named.filter(value => (own.length > 0 ? !own.includes(value) : isText && ALL.test(String(value))))
  const [all] = rest
  const values = named.filter(value => value !== all)
  const isKnown = usual === undefined || [usual].flat().every(one => named.includes(one as Json))
  return rest.length === 1 && typeof all === 'string' && values.length > 0 && isKnown ? { values, all } : undefined
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
  'at-least': 'from since gte ge min start begin minimum',
  'at-most': 'to until lte le max end maximum',
}
/** WordTable beside a bound that say no more than that it is a time. */
const TIMES = 'date time datetime at on timestamp day'.split(' ')
/** The fields that a bound without a field's name is about, the likeliest first. */
const USUAL = 'date created createdat createdon createddate timestamp time startdate updatedat'.split(' ')

/** The field that a parameter bounds, and how; `undefined` where it bounds none. */
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
  const spoken = rest.filter(word => !TIMES.includes(word)).join('')
  const endings = ['', 'at', 'on', 'date', 'time', 'd', 'dat']
  const wanted = spoken === '' ? USUAL : [rest.join(''), ...endings.map(ending => spoken + ending)]
  for (const candidate of wanted) {
    const field = record.spelt(candidate)[0]
    const node = field === undefined ? undefined : properties.get(field)
    const isDate = /^date/.test(schemas.format(schema.node) ?? '')
    if (field === undefined || node === undefined || !isComparable(schema.types, isDate, node, schemas)) continue
    if (spoken === '' && !isDate && rest.length === 0 && !/^(?:from|to|since|until)$/.test(words[at] as string))
      continue
    return { field, is, certain: isDate || spoken !== '' || rest.length > 0 }
  }
  return undefined
}

/** Whether a parameter and a field are both numbers, or both times; a date may be compared with seconds since 1970. */
function isComparable(types: ReadonlySet<string>, isDate: boolean, field: Node, schemas: SchemaReader): boolean {
  const known = schemas.types(field)
  if (isNumeric(types)) return isNumeric(known)
  if (isDate && isNumeric(known)) return true
  return types.has('string') && known.has('string') && /^date/.test(schemas.format(field) ?? '')
}
