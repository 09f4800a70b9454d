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

/** Returns the members of an object whose names are to be kept. */
const membersOf = (record: JsonObject, keeps: (name: string) => boolean): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => keeps(name)))

type RecordAction = (typeof RECORD_KINDS)[number]

/** The records of one resource, by their keys. */
class RecordedRecords {
  readonly resource: Resource
  readonly #before = new Map<string, JsonObject>()
  readonly #now = new Map<string, JsonObject>()
  /** The keys of those that were not there before, or are there no more. */
  readonly #changed = new Set<string>()
  /** The fields that requests have changed, by key. */
  readonly #written = new Map<string, Set<string>>()
  /** The texts of the values that the server gave new records, by field. */
  readonly #made = new Map<string, Set<string>>()

  /** The fields that were left out of records, because the contract lacks them. */
  readonly undocumented = new Set<string>()

  constructor(resource: Resource) {
    this.resource = resource
  }

  /** The records that were there before the recording and fit their schema. */
  get before(): JsonObject[] {
    return this.#fitting(this.#before)
  }

  /** The records that are there at its end and fit their schema. */
  get now(): JsonObject[] {
    return this.#fitting(this.#now)
  }

  /** How many records are there at its end. */
  get size(): number {
    return this.#now.size
  }

  #fitting(records: ReadonlyMap<string, JsonObject>): JsonObject[] {
    const fits = (record: JsonObject) => recordMistakes(this.resource, record) === undefined
    return [...records.values()].map(record => (fits(record) ? record : this.#documented(record))).filter(fits)
  }

  /** Returns a record without the fields that its schema lacks: a closed one refuses it with them. */
  #documented(record: JsonObject): JsonObject {
    const { idField, schema, unshown } = this.resource
    return membersOf(record, name => {
      const isDocumented = name === idField || schema.shape.properties.has(name) || unshown.includes(name)
      if (!isDocumented) this.undocumented.add(name)
      return isDocumented
    })
  }

  /**
   * Adds a record that a reply shows.
   *
   * @param action unset for a list
   * @param sent the value in the request
   * @param isOdd whether the reply may have more fields than the record: `?embed=comments`
   */
  see(record: JsonObject, action: RecordAction | undefined, sent: unknown, isOdd: boolean): void {
    const key = recordedKey(record, this.resource)
    if (key === undefined) return
    if (action === 'create') this.#changed.add(key)
    const existing = this.#now.get(key)
    const fields = isOdd && existing ? membersOf(record, name => Object.hasOwn(existing, name)) : record
    this.#now.set(key, { ...existing, ...fields })
    if (this.#changed.has(key)) return
    const written = getOrMake(this.#written, key, () => new Set<string>())
    if (existing === undefined) this.#before.set(key, record)
    else if (action === undefined || action === 'read') {
      // A later reply may show more of what was there before. A field that a request has set since was there if all records have it.
      const { required } = this.resource.schema.shape
      const older = membersOf(fields, name => !written.has(name) || required.has(name))
      this.#before.set(key, { ...older, ...this.#before.get(key) })
    } else for (const name of isObject(sent) ? Object.keys(sent) : []) written.add(name)
  }

  /** Removes a record that is there no more. */
  remove(record: JsonObject): void {
    const key = recordedKey(record, this.resource) ?? ''
    this.#now.delete(key)
    this.#changed.add(key)
  }

  /** Notes the values that the server gave a new record. */
  noteMade(shown: JsonObject, sent: unknown): void {
    for (const [field, value] of Object.entries(shown)) {
      const isMade = !isUnshown(field) && memberAt(sent, [field]) === undefined
      if (isMade) getOrMake(this.#made, field, () => new Set<string>()).add(stringifyJson(value))
    }
  }

  /** Returns the block of the resource; its new records get the values that they always got. */
  describe({ filled = [], ...block }: ResourceFile): ResourceFile {
    const made = this.#made
    const defaults: Record<string, Json> = { ...(block.defaults as JsonObject) }
    for (const [field, [text = '', ...others]] of made) {
      const isConstant = field !== this.resource.idField && others.length === 0 && !/^"\d{4}-\d\d-\d\dT/.test(text)
      if (isConstant) put(defaults, field, JSON.parse(text) as Json)
    }
    // A field that no reply to a create has is none of a new record.
    const left = filled.filter(field => !Object.hasOwn(defaults, field) && (made.size === 0 || made.has(field)))
    return {
      ...block,
      ...(left.length > 0 ? { filled: left } : {}),
      ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
    }
  }
}

export class RecordedState {
  readonly #collections: Plan['collections']
  readonly #records = new Map<string, RecordedRecords>()
  readonly #lists = new Map<string, RecordedList>()
  /** The ids that operations without an id in their path answered with. */
  readonly #ids = new Map<string, Json>()

  constructor({ collections }: Pick<Plan, 'collections'>) {
    this.#collections = collections
  }

  add(matched: MatchedExchange): void {
    const { exchange, respond = {} } = matched
    const { status } = exchange.reply
    const action = RECORD_KINDS.find(kind => respond[kind] !== undefined)
    const name = respond.list ?? (action && respond[action]) ?? ''
    const resource = this.#collections.get(name)?.resource
    const isGone = status < 300 ? action === 'delete' : action === 'read' && (status === 404 || status === 410)
    if (resource === undefined || (status >= 300 && !isGone)) return
    const records = getOrMake(this.#records, name, () => new RecordedRecords(resource))
    if (action === undefined) this.#addList(matched, records)
    else if (isGone) records.remove(ownersAdded(namedRecord(matched, action, resource), matched, resource))
    else this.#addRecord(matched, action, records)
  }

  #addList({ exchange, planned, respond, given }: MatchedExchange, records: RecordedRecords): void {
    const value = jsonOfMessage(exchange.reply)
    const items = value === undefined ? undefined : memberAt(value, pathOfPlaceholder(respond?.body, 'page.items'))
    if (!Array.isArray(items)) return
    const shown = items.map(item => memberAt(item, recordPath(respond?.item))).filter(isObject) as JsonObject[]
    for (const item of shown)
      records.see(ownersAdded(item, { respond, given }, records.resource), undefined, undefined, exchange.query !== '')
    getOrMake(this.#lists, planned.operation.id, () => new RecordedList(respond)).see(exchange, value as Json, shown)
  }

  #addRecord(matched: MatchedExchange, action: RecordAction, records: RecordedRecords): void {
    const { exchange, respond, planned } = matched
    const { resource } = records
    const below = recordPath(respond?.body)
    const [shown, sent] = [jsonOfMessage(exchange.reply), valueOfRequest(exchange.request)].map(
      value => value && memberAt(value, below),
    )
    // A reply without the record: it is that of the request.
    const value = isObject(shown) ? shown : action === 'read' ? undefined : sent
    if (isObject(value)) {
      const whole = { ...namedRecord(matched, action, resource), ...(value as JsonObject) }
      const record = ownersAdded(whole, matched, resource)
      const id = idIn(resource.idField, record)
      if (respond?.id !== undefined && id !== undefined) this.#ids.set(planned.operation.id, id)
      records.see(record, action, sent, exchange.query !== '')
    }
    if (action === 'create' && isObject(shown)) records.noteMade(shown as JsonObject, sent)
  }

  /** Returns the records of a resource; `undefined` if the recording does not show it. */
  records(name: string): RecordedRecords | undefined {
    return this.#records.get(name)
  }

  /** Returns the block `respond` of an operation, with the id of its record, or what its list is like. */
  respond(operation: string, respond: RespondConfig): RespondConfig {
    const idField = this.#collections.get(respond.list ?? '')?.resource.idField ?? ''
    const id = this.#ids.get(operation)
    const block = this.#lists.get(operation)?.describe(respond, idField) ?? respond
    return id === undefined ? block : ({ ...block, id } as RespondConfig)
  }
}

/** Returns the record of an exchange with no field but its id, which its path or its reply names. */
function namedRecord(
  { exchange, respond, given }: MatchedExchange,
  action: RecordAction,
  resource: Resource,
): JsonObject {
  const { location } = exchange.reply.headers
  const at = action === 'create' ? location?.split(/[?#]/)[0]?.split('/').at(-1) : [...given.values()].at(-1)
  const isNumber = resource.ids === 'integer' && /^\d{1,15}$/.test(at ?? '')
  const id = respond?.id ?? (isNumber ? Number(at) : at)
  return id === undefined || id === '' ? {} : { [resource.idField]: id }
}

/** The key of a record, within its owners if ids are unique there only. */
function recordedKey(record: JsonObject, { idField, within }: Resource): string | undefined {
  const key = indexKeyOf(record, idField, within)
  return key === undefined || isObject(key) ? undefined : String(key)
}

/** Adds the owners that the path names and the record does not show. */
function ownersAdded(
  record: JsonObject,
  { respond, given }: Pick<MatchedExchange, 'respond' | 'given'>,
  resource: Resource,
): JsonObject {
  return withinsOf(respond?.within).reduce<JsonObject>((whole, config) => {
    const field = ownerField(config, resource)
    const owner = given.get(config.parameter)
    if (owner === undefined || fieldIn(field, whole) !== undefined) return whole
    return withField(field, /^\d{1,15}$/.test(owner) ? Number(owner) : owner, whole)
  }, record)
}

const inBoth = (known: readonly string[] | undefined, next: readonly string[]) =>
  known?.filter(name => next.includes(name)) ?? next

/** Reads pages of a list. */
class RecordedList {
  /** The orders that all pages are in: a field, `-` before one that falls. */
  #orders: readonly string[] | undefined
  /** By parameter, the fields that have its value in all items, and its values. */
  readonly #filters = new Map<string, { readonly fields: readonly string[]; readonly values: Set<string> }>()
  /** The members around the items, as templates; `undefined` for one that differs from page to page. */
  readonly #around = new Map<string, Json | undefined>()
  /** The sizes of pages that replies to requests without one tell. */
  readonly #sizes = new Set<Json | undefined>()
  readonly #respond: RespondConfig

  /** @param respond the block of its operation */
  constructor(respond: RespondConfig = {}) {
    this.#respond = respond
  }

  see(exchange: RecordedExchange, whole: Json, records: readonly JsonObject[]): void {
    const fields = Object.keys(records[0] ?? {})
    const pairs = [...new URLSearchParams(exchange.query)]
    if (pairs.length === 0 && records.length > 1) {
      const rises = (field: string, sign: number) =>
        records.every((record, i) => i === 0 || sign * compareJson(record[field], records[i - 1]?.[field]) > 0)
      const falling = fields.filter(field => rises(field, -1)).map(field => `-${field}`)
      this.#orders = inBoth(this.#orders, [...fields.filter(field => rises(field, 1)), ...falling])
    }
    for (const [name, value] of records.length === 0 ? [] : pairs) {
      const has = (member: Json | undefined) => [member].flat().some(item => String(item) === value)
      const { fields: known, values = [] } = this.#filters.get(name) ?? {}
      const having = fields.filter(field => records.every(record => has(record[field])))
      this.#filters.set(name, { fields: inBoth(known, having), values: new Set([...values, value]) })
    }
    this.#seeAround(exchange, whole, records.length)
    const { page, limit, body } = this.#respond
    const isUnsized = page !== undefined && !pairs.some(([name]) => name === limit)
    const size = isUnsized ? memberAt(whole, pathOfPlaceholder(body, 'page.limit')) : undefined
    if (Number.isInteger(size)) this.#sizes.add(size as number)
  }

  #seeAround({ origin, path, query }: RecordedExchange, whole: Json, count: number): void {
    const self = `${path}${query === '' ? '' : `?${query}`}`
    const templateOf = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(templateOf)
      if (isObject(value)) return mapValues(value as JsonObject, templateOf)
      if (value === self) return '${page.self}'
      if (value === origin + self) return '${page.url}'
      return typeof value === 'string' ? plainTemplate(value) : value
    }
    for (const [key, value] of isObject(whole) ? Object.entries(whole as JsonObject) : []) {
      const template = value === count ? '${page.count}' : templateOf(value)
      const isSame = !this.#around.has(key) || stringifyJson(this.#around.get(key)) === stringifyJson(template)
      this.#around.set(key, isSame ? template : undefined)
    }
  }

  /** Returns the block `respond` with what was seen. */
  describe(respond: RespondConfig, idField: string): RespondConfig {
    const [by] = this.#orders?.includes(idField) ? [] : (this.#orders ?? [])
    const used = stringifyJson(respond)
    const found = [...this.#filters].flatMap(([parameter, { fields, values }]) => {
      const named = fields.find(field => plainName(field).includes(plainName(parameter)))
      // One value is in a field by chance: `?v=1`.
      const field = named ?? (values.size > 1 ? fields[0] : undefined)
      if (field === undefined || used.includes(JSON.stringify(parameter))) return []
      return [field === parameter ? parameter : { parameter, field }]
    })
    const filter = [...(respond.filter ?? []), ...found]
    const { page } = respond
    const [size] = this.#sizes
    const sized = page !== undefined &&
      this.#sizes.size === 1 && { ...(typeof page === 'string' ? { parameter: page } : page), size }
    const wrapper = Object.fromEntries([...this.#around].filter(([, template]) => template !== undefined))
    return {
      ...respond,
      ...(by === undefined ? {} : { sort: { ...sortBlock(respond), default: by } }),
      ...(filter.length > 0 ? { filter } : {}),
      ...(sized ? { page: sized } : {}),
      ...(isObject(respond.body) ? { body: { ...wrapper, ...respond.body } } : {}),
    } as RespondConfig
  }
}

/** Returns `sort` as a block. */
const sortBlock = ({ sort }: RespondConfig) => (typeof sort === 'string' ? { parameter: sort } : sort)
