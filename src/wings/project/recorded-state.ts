// Reads an API's state off recorded exchanges: its records before the recording and at its end, the values that the server gives
// new ones, and how its lists are sorted, filtered and wrapped.

import { type Resource, recordMistakes } from '../../behaviours/resource.ts'
import { isUnshown, ownerField, type RespondConfig, withinsOf } from '../../behaviours/respond/config.ts'
import { RECORD_KINDS } from '../../behaviours/respond/on-record.ts'
import { pathOfPlaceholder, recordPath } from '../../behaviours/respond/shape.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json, type JsonObject, mapValues, memberAt, put, stringifyJson } from '../../kernel/json.ts'
import { getOrMake } from '../../kernel/memo.ts'
import { plainName } from '../../kernel/names.ts'
import { respondBlock } from '../../load/seed/seed.ts'
import type { Plan, PlannedOperation } from '../../plan/plan.ts'
import type { ResourceFile } from '../../plan/simulation-file.ts'
import { compareJson, fieldIn, idIn, indexKeyOf, withField } from '../../world/records/values.ts'
import type { RecordedExchange } from './har.ts'
import { plainTemplate } from './imported.ts'
import { decodeSegment, jsonOfMessage, valueOfRequest } from './messages.ts'

/** A recorded exchange with the operation that it is for. */
export interface MatchedExchange {
  readonly exchange: RecordedExchange
  readonly planned: PlannedOperation
  readonly respond: RespondConfig | undefined
  /** The path with the base path of the contract. */
  readonly path: string
  /** The values in the path, decoded. */
  readonly given: ReadonlyMap<string, string>
}

/** Finds the operation for a recorded path, which may lack the base path of the contract. */
export function findRecorded(method: string, sent: string, plan: Plan) {
  for (const base of ['', ...plan.contract.basePaths]) {
    const found = plan.find(method, base + sent)
    if (found !== undefined) return { ...found, path: base + sent }
  }
  return undefined
}

/** Finds the operation of an exchange; `undefined` if the contract has none. */
export function matchExchange(exchange: RecordedExchange, plan: Plan): MatchedExchange | undefined {
  const found = findRecorded(exchange.method, exchange.path, plan)
  if (found === undefined) return undefined
  const { planned } = found.target
  const { operation } = planned
  const values = found.segments.map(decodeSegment)
  const given = new Map(expressionsOf(operation.path).map((name, i) => [name, values[i] ?? '']))
  return { exchange, planned, respond: respondBlock(operation, plan.simulation.file), path: found.path, given }
}

/** The records of one resource, by their keys. */
const emptyRecords = () => ({
  before: new Map<string, JsonObject>(),
  now: new Map<string, JsonObject>(),
  /** The keys of those that were not there before, or are there no more. */
  changed: new Set<string>(),
  /** The fields that requests have changed, by key. */
  written: new Map<string, Set<string>>(),
  /** The texts of the values that the server gave new records, by field. */
  made: new Map<string, Set<string>>(),
})

export function createRecordedState({ collections }: Plan) {
  const all = new Map<string, ReturnType<typeof emptyRecords>>()
  const lists = new Map<string, ReturnType<typeof createRecordedList>>()
  /** The ids that operations without an id in their path answered with. */
  const ids = new Map<string, Json>()

  const add = (matched: MatchedExchange): void => {
    const { exchange, respond = {}, planned, given } = matched
    const { reply, request } = exchange
    const action = RECORD_KINDS.find(kind => respond[kind] !== undefined)
    const name = respond.list ?? (action && respond[action]) ?? ''
    const resource = collections.get(name)?.resource
    const isSuccess = reply.status < 300
    const isGone = isSuccess ? action === 'delete' : action === 'read' && /^4(?:04|10)$/.test(`${reply.status}`)
    if (resource === undefined || (!isSuccess && !isGone)) return
    const { before, now, changed, written, made } = getOrMake(all, name, emptyRecords)
    const { idField } = resource

    const see = (shown: JsonObject, sent?: unknown) => {
      const record = ownersAdded(shown, matched, resource)
      const key = recordedKey(record, resource)
      if (key === undefined) return
      if (respond.id !== undefined) ids.set(planned.operation.id, idIn(idField, record) as Json)
      if (action === 'create') changed.add(key)
      const known = now.get(key)
      // A query may ask for more than the record has: `?embed=comments`.
      const isOwn = ([name]: readonly [string, Json]) => exchange.query === '' || !known || Object.hasOwn(known, name)
      const own = Object.fromEntries(Object.entries(record).filter(isOwn))
      now.set(key, { ...known, ...own })
      if (changed.has(key)) return
      const set = getOrMake(written, key, () => new Set<string>())
      if (known === undefined) before.set(key, record)
      else if (action === undefined || action === 'read') {
        // A later reply may show more of what was there before. A field that a request has set since was there if all records have it.
        const older = ([name]: readonly [string, Json]) => !set.has(name) || resource.schema.shape.required.has(name)
        before.set(key, { ...Object.fromEntries(Object.entries(own).filter(older)), ...before.get(key) })
      } else for (const name of isObject(sent) ? Object.keys(sent) : []) set.add(name)
    }

    const value = jsonOfMessage(reply)
    if (action === undefined) {
      const items = value === undefined ? undefined : memberAt(value, pathOfPlaceholder(respond.body, 'page.items'))
      if (!Array.isArray(items)) return
      const records = items.map(item => memberAt(item, recordPath(respond.item))).filter(isObject) as JsonObject[]
      for (const one of records) see(one)
      getOrMake(lists, planned.operation.id, createRecordedList).see(exchange, value as Json, records)
      return
    }
    const below = recordPath(respond.body)
    const [shown, sent] = [value, valueOfRequest(request)].map(one =>
      one === undefined ? undefined : memberAt(one, below),
    )
    const at =
      action === 'create' ? reply.headers.location?.split(/[?#]/)[0]?.split('/').at(-1) : [...given.values()].at(-1)
    const isNumber = resource.ids === 'integer' && /^\d{1,15}$/.test(at ?? '')
    const id = respond.id ?? (isNumber ? Number(at) : at)
    const named: JsonObject = id === undefined || id === '' ? {} : { [idField]: id }
    if (isGone) {
      const key = recordedKey(ownersAdded(named, matched, resource), resource) ?? ''
      now.delete(key)
      changed.add(key)
      return
    }
    // A reply without the record: it is that of the request.
    const record = isObject(shown) ? shown : action === 'read' ? undefined : sent
    if (isObject(record)) see({ ...named, ...(record as JsonObject) }, sent)
    for (const [field, one] of action === 'create' && isObject(shown) ? Object.entries(shown as JsonObject) : []) {
      const isMade = !isUnshown(field) && memberAt(sent, [field]) === undefined
      if (isMade) getOrMake(made, field, () => new Set<string>()).add(stringifyJson(one))
    }
  }

  return {
    add,
    /**
     * The records as they were before the recording, and at its end; and how many do not fit their schema. `undefined` if the
     * recording does not show the resource.
     */
    recordsOf(name: string) {
      const shown = all.get(name)
      if (shown === undefined) return undefined
      const { before, now } = shown
      const resource = collections.get(name)?.resource as Resource
      const fit = (map: ReadonlyMap<string, JsonObject>) =>
        [...map.values()].filter(record => recordMistakes(resource, record) === undefined)
      const kept = fit(now)
      return { before: fit(before), now: kept, unfit: now.size - kept.length }
    },
    /** The block of a resource; its new records get the values that they always got. */
    describe(name: string, { filled = [], ...block }: ResourceFile): ResourceFile {
      const defaults: Record<string, Json> = { ...(block.defaults as JsonObject) }
      const { made } = all.get(name) ?? emptyRecords()
      const idField = collections.get(name)?.resource.idField
      for (const [field, [text = '', ...others]] of made) {
        const isConstant = field !== idField && others.length === 0 && !/^"\d{4}-\d\d-\d\dT/.test(text)
        if (isConstant) put(defaults, field, JSON.parse(text) as Json)
      }
      // A field that no reply to a create has is none of a new record.
      const left = filled.filter(field => !Object.hasOwn(defaults, field) && (made.size === 0 || made.has(field)))
      return {
        ...block,
        ...(left.length > 0 ? { filled: left } : {}),
        ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
      }
    },
    /** The block `respond` of an operation, with the id of its record, or what its list is like. */
    respond(id: string, respond: RespondConfig): RespondConfig {
      const idField = collections.get(respond.list ?? '')?.resource.idField ?? ''
      const named = ids.get(id)
      const own = lists.get(id)?.describe(respond, idField) ?? respond
      return named === undefined ? own : ({ ...own, id: named } as RespondConfig)
    },
  }
}

/** The key of a record, within its owners if ids are unique there only. */
function recordedKey(record: JsonObject, { idField, within }: Resource): string | undefined {
  const key = indexKeyOf(record, idField, within)
  return key === undefined || isObject(key) ? undefined : String(key)
}

/** Adds the owners that the path names and the record does not show. */
function ownersAdded(record: JsonObject, { respond, given }: MatchedExchange, resource: Resource): JsonObject {
  return withinsOf(respond?.within).reduce<JsonObject>((whole, config) => {
    const field = ownerField(config, resource)
    const owner = given.get(config.parameter)
    if (owner === undefined || fieldIn(field, whole) !== undefined) return whole
    return withField(field, /^\d{1,15}$/.test(owner) ? Number(owner) : owner, whole)
  }, record)
}

/** Reads pages of a list. */
function createRecordedList() {
  /** The orders that all pages are in: a field, `-` before one that falls. */
  let orders: readonly string[] | undefined
  /** By parameter, the fields that have its value in all items, and its values. */
  const filters = new Map<string, { readonly fields: readonly string[]; readonly values: Set<string> }>()
  /** The members around the items, as templates; `undefined` for one that differs from page to page. */
  const around = new Map<string, Json | undefined>()
  const both = (known: readonly string[] | undefined, next: readonly string[]) =>
    known?.filter(one => next.includes(one)) ?? next

  return {
    see({ origin, path, query }: RecordedExchange, whole: Json, records: readonly JsonObject[]): void {
      const fields = Object.keys(records[0] ?? {})
      const pairs = [...new URLSearchParams(query)]
      if (pairs.length === 0 && records.length > 1) {
        const rises = (field: string, sign: number) =>
          records.every((one, i) => i === 0 || sign * compareJson(one[field], records[i - 1]?.[field]) > 0)
        orders = both(orders, [
          ...fields.filter(one => rises(one, 1)),
          ...fields.filter(one => rises(one, -1)).map(one => `-${one}`),
        ])
      }
      for (const [name, value] of records.length === 0 ? [] : pairs) {
        const has = (one: Json | undefined) => [one].flat().some(item => String(item) === value)
        const known = filters.get(name)
        const having = fields.filter(field => records.every(one => has(one[field])))
        filters.set(name, { fields: both(known?.fields, having), values: new Set([...(known?.values ?? []), value]) })
      }
      const self = `${path}${query === '' ? '' : `?${query}`}`
      const templateOf = (value: Json): Json => {
        if (Array.isArray(value)) return value.map(templateOf)
        if (isObject(value)) return mapValues(value as JsonObject, templateOf)
        if (value === self) return '${page.self}'
        if (value === origin + self) return '${page.url}'
        return typeof value === 'string' ? plainTemplate(value) : value
      }
      for (const [key, value] of isObject(whole) ? Object.entries(whole as JsonObject) : []) {
        const template = value === records.length ? '${page.count}' : templateOf(value)
        const isSame = !around.has(key) || stringifyJson(around.get(key)) === stringifyJson(template)
        around.set(key, isSame ? template : undefined)
      }
    },
    /** The block `respond` with what was seen. */
    describe(respond: RespondConfig, idField: string): RespondConfig {
      const [by] = orders?.includes(idField) ? [] : (orders ?? [])
      const used = stringifyJson(respond)
      const found = [...filters].flatMap(([parameter, { fields, values }]) => {
        const named = fields.find(one => plainName(one).includes(plainName(parameter)))
        // One value is in a field by chance: `?v=1`.
        const field = named ?? (values.size > 1 ? fields[0] : undefined)
        if (field === undefined || used.includes(JSON.stringify(parameter))) return []
        return [field === parameter ? parameter : { parameter, field }]
      })
      const filter = [...(respond.filter ?? []), ...found]
      const wrapper = Object.fromEntries([...around].filter(([, template]) => template !== undefined))
      return {
        ...respond,
        ...(by === undefined ? {} : { sort: { ...sortBlock(respond), default: by } }),
        ...(filter.length > 0 ? { filter } : {}),
        ...(isObject(respond.body) ? { body: { ...wrapper, ...respond.body } } : {}),
      } as RespondConfig
    },
  }
}

/** Returns `sort` as a block. */
const sortBlock = ({ sort }: RespondConfig) => (typeof sort === 'string' ? { parameter: sort } : sort)
