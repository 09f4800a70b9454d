// json-server: a db.json, each of whose members is a collection of records or one object.

import { isObject, type JsonObject } from '../../kernel/json.ts'
import { singular } from '../../kernel/names.ts'
import { type ImportedRecords, type ImportKind, RouteBook } from './imported.ts'

const isRecord = (value: unknown): value is JsonObject => isObject(value)
const isCollection = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isRecord)

export const jsonServer: ImportKind = {
  name: 'json-server',
  what: 'a db.json of json-server',
  // Nothing marks such a file: it is an object of lists of objects with ids.
  recognises: value =>
    isObject(value) &&
    Object.values(value).some(one => isCollection(one) && one.length > 0 && one.every(record => 'id' in record)) &&
    Object.values(value).every(one => isObject(one) || Array.isArray(one)),
  read(files, report) {
    const book = new RouteBook()
    const records: ImportedRecords[] = []
    for (const { source } of files) {
      for (const [name, value] of Object.entries(source.value as JsonObject)) {
        const place = source.locate([name])
        const lose = (what: string, hint: string) => report.warning('not-imported', what, place, hint)
        const path = `/${name}`
        if (isObject(value)) {
          records.push({ name, place, path, idField: '', records: [value as JsonObject], list: {}, query: [] })
        } else if (isCollection(value) && value.every(one => 'id' in one)) {
          const fields = [...new Set(value.flatMap(record => Object.keys(record)))]
          const filter = fields.filter(field =>
            value.every(record => !isObject(record[field]) && !Array.isArray(record[field])),
          )
          const bounds = filter.flatMap(field => boundsOf(field, value[0]?.[field]))
          const paging = {
            limit: '_limit',
            page: '_page',
            offset: '_start',
            sort: '_sort',
            order: '_order',
            search: 'q',
          }
          const pages = { links: true, headers: { 'x-total-count': '${page.total}' } }
          records.push({
            name,
            place,
            path,
            idField: 'id',
            records: value,
            list: { filter: [...filter, ...bounds], ...paging, ...pages },
            query: [...filter, ...bounds.map(({ parameter }) => parameter), ...Object.values(paging)],
            owners: ownersNamed(fields, Object.keys(source.value as JsonObject)),
          })
        } else {
          lose(`the items of "${name}" have no ids: it becomes a fixed reply`, 'give each an "id"')
          book.add('GET', path, report, {
            name: '',
            place,
            when: [],
            status: 200,
            headers: {},
            type: 'application/json',
            body: value as never,
            trial: { path, query: '', headers: {} },
          })
        }
      }
    }
    return { title: 'Imported from json-server', routes: book.routes, records, settings: {} }
  },
}

/** The filters of a field beside equality, by the type of its values: `views_gte`. */
const BOUNDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  number: { _gte: 'at-least', _lte: 'at-most' },
  string: { _ne: 'not' },
}
const boundsOf = (field: string, value: unknown) =>
  Object.entries(BOUNDS[typeof value] ?? {}).map(([suffix, is]) => ({ parameter: field + suffix, field, is }))

/** The collections that a field names a record of: `postId` one of `posts`. */
const ownersNamed = (fields: readonly string[], names: readonly string[]) =>
  names.flatMap(resource => {
    const field = `${singular(resource)}Id`
    return fields.includes(field) ? [{ resource, field }] : []
  })
