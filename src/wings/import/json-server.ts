// json-server: a db.json, each of whose members is a collection of records or one object.

import { Buffer } from 'node:buffer'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { singular } from '../../kernel/names.ts'
import type { ForeignFile, ImportedRecords, ImportKind } from '../project/imported.ts'
import { schemaOfValues } from '../project/schema-of.ts'

type Member = readonly [name: string, value: unknown]

const isCollection = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isObject)

/** The members of a file but the address of its schema; none of a file that is no object of lists and objects. */
function dbMembers(value: unknown): Member[] {
  const members = isObject(value) ? Object.entries(value).filter(([name]) => name !== '$schema') : []
  return members.every(([, one]) => isObject(one) || Array.isArray(one)) ? members : []
}

export const jsonServer: ImportKind = {
  name: 'json-server',
  what: 'a db.json of json-server',
  recognises: value => dbMembers(value).some(([, one]) => isCollection(one) && one.length > 0),
  // A file of single objects may be of any tool.
  admits: value => dbMembers(value).length > 0,
  read(files, report) {
    const records = files.flatMap(file => {
      const members = dbMembers(file.source.value)
      const dialect = dialectOf(file, members)
      const lists = new Map(members.filter((member): member is [string, JsonObject[]] => isCollection(member[1])))
      return members.flatMap(([name, value]): ImportedRecords[] => {
        const place = file.source.locate([name])
        const path = `/${name}`
        const lose = (what: string, hint: string) => report.warning('not-imported', what, place, hint)
        if (!/^[\p{L}\p{N}_.~-]+$/u.test(name)) {
          lose(`${JSON.stringify(name)} cannot be a part of a path, and is left out`, 'give it a name of letters')
          return []
        }
        if (isObject(value)) {
          const isPosted = dialect === ZERO
          return [{ name, place, path, idField: '', records: [value as JsonObject], isPosted }]
        }
        const given = lists.get(name)
        if (given === undefined) {
          lose(`the items of "${name}" are no objects, and are left out`, 'write objects')
          return []
        }
        const own = withIds(given, dialect)
        if (own.some(({ id }, i) => String(id) !== String(given[i]?.id))) {
          lose(`records of "${name}" have no id of their own, and get one`, 'give each one')
        }
        const owners = ownersNamed(given, lists.keys())
        const references = owners.map(one => [one.field, { to: one.resource, onDelete: dialect.onDelete }])
        return [
          {
            name,
            place,
            path,
            idField: 'id',
            records: own,
            owners,
            references: Object.fromEntries(references) as JsonObject,
            ...collectionSettings(dialect, own),
          },
        ]
      })
    })
    return { title: 'Imported from json-server', routes: [], records, settings: {} }
  },
}

/** The differences of a version, or of another tool. */
export interface Dialect {
  /** The ends of the names of parameters that compare. */
  readonly operators: readonly string[]
  /** The query parameters beside those of fields. */
  readonly parameters: string
  readonly list: JsonObject
  /** The keys for requests with a page. */
  readonly page?: JsonObject
  readonly onDelete?: string | null
}

/** The parameter with the number of the page. */
const PAGE = '_page'
const sort = { parameter: '_sort', unknownFields: 'ignore' }

const ZERO: Dialect = {
  operators: ['_gte', '_lte', '_ne', '_like'],
  parameters: 'q _sort _order _page _limit _start _embed _expand',
  list: {
    search: 'q',
    sort: { ...sort, order: '_order' },
    page: { parameter: '_page', size: 10 },
    limit: '_limit',
    offset: '_start',
    expand: ['_embed', '_expand'],
    links: true,
    headers: { 'x-total-count': '${page.total}' },
  },
  onDelete: 'cascade',
}

const ONE: Dialect = {
  operators: [
    ':in',
    ':contains',
    ...[':', '_'].flatMap(one => ['gt', 'gte', 'lt', 'lte', 'ne'].map(word => one + word)),
  ],
  parameters: '_sort _page _per_page _embed',
  list: { sort, expand: ['_embed'] },
  page: {
    page: { parameter: PAGE, size: 10 },
    limit: '_per_page',
    body: {
      first: 1,
      prev: '${page.prevNumber}',
      next: '${page.nextNumber}',
      last: '${page.pagesOrOne}',
      pages: '${page.pagesOrOne}',
      items: '${page.total}',
      data: '${page.items}',
    },
  },
  onDelete: null,
}

/** The version that `package.json` names; without one 1, if all ids are texts, as that version makes them. */
function dialectOf({ readBeside }: ForeignFile, members: readonly Member[]): Dialect {
  const [, version] = /"json-server":\s*"\D*(\d)/.exec(Buffer.from(readBeside('package.json')).toString()) ?? []
  const ids = members.flatMap(([, one]) => (isCollection(one) ? one.map(({ id }) => id) : []))
  const areTexts = ids.length > 0 && ids.every(id => typeof id === 'string')
  return version === '0' || (version === undefined && !areTexts) ? ZERO : ONE
}

/** Returns records that all have ids of one type, which are texts since version 1. */
function withIds(records: readonly JsonObject[], dialect: Dialect): JsonObject[] {
  const isText = dialect === ONE || records.some(({ id }) => typeof id === 'string')
  const taken = new Set<string>()
  // After a number that is no safe integer there is no next one.
  let last = records.reduce((most, { id }) => Math.max(most, /^\d{1,15}$/.test(`${id}`) ? Number(id) : 0), 0)
  return records.map(record => {
    const { id: given } = record
    const isOwn = (typeof given === 'string' || Number.isSafeInteger(given)) && !taken.has(`${given}`)
    const id = isOwn ? given : ++last
    taken.add(`${id}`)
    return { ...record, id: isText ? String(id) : (id as number) }
  })
}

/** The collections that a field names a record of: `postId` one of `posts`. */
const ownersNamed = (records: readonly JsonObject[], names: Iterable<string>) =>
  [...names]
    .map(resource => ({ field: `${singular(resource)}Id`, resource }))
    .filter(({ field }) => records.some(record => field in record))

/** The fields of records that lists filter by, with the types of their values: `author.name`. */
function filterFields(records: readonly JsonObject[], prefix = ''): (readonly [field: string, type: Json])[] {
  const fields = new Set(records.flatMap(record => Object.keys(record)))
  return [...fields].flatMap((field): (readonly [string, Json])[] => {
    // A field with a point in its name cannot be told from one of an object.
    if (!/^[^\s.\p{Cc}]+$/u.test(field)) return []
    const values = records.flatMap(record => (record[field] == null ? [] : [record[field] as Json]))
    const { type } = schemaOfValues(values)
    const objects = prefix.length > 100 ? [] : values.filter((value): value is JsonObject => isObject(value))
    const isSingle = typeof type === 'string' && !/^(?:array|object)$/.test(type)
    return [...(isSingle ? [[prefix + field, type] as const] : []), ...filterFields(objects, `${prefix}${field}.`)]
  })
}

/** The settings of a collection and its query parameters. */
export function collectionSettings({ operators, parameters, list, page }: Dialect, records: readonly JsonObject[]) {
  const fields = filterFields(records)
  const parameter = (name: string, type: Json, isList: boolean) => {
    const schema: JsonObject = isList ? { type: 'array', items: { type } } : { type }
    // `id:in=1,2` is one parameter.
    return { name, in: 'query', schema, ...(name.endsWith(':in') ? { explode: false } : {}) }
  }
  const compared = fields.flatMap(([field, type]) =>
    operators.flatMap(suffix => {
      const isOfText = /like|contains/.test(suffix)
      const isList = /(?:ne|eq|in)$/.test(suffix)
      if (type !== 'string' && (isOfText || (type === 'boolean' && !isList))) return []
      return [parameter(field + suffix, type, isList)]
    }),
  )
  const others = parameters
    .split(' ')
    .map(name => parameter(name, /page|limit|start|end/.test(name) ? 'integer' : 'string', /^_e[mx]/.test(name)))
  const { expand } = list
  const filters = [...fields.map(([field, type]) => parameter(field, type, true)), ...compared]
  const keys = { filter: filters.map(({ name }) => name), ...list }
  return {
    respond: { list: keys, ...(expand ? { read: { expand } } : {}), ...(page ? {} : { delete: { body: {} } }) },
    query: { list: [...filters, ...others], read: others.filter(({ schema }) => schema.items) },
    ...(page ? { pages: { when: `has(request.query.${PAGE})`, respond: { ...keys, ...page } } } : { takesIds: true }),
  }
}
