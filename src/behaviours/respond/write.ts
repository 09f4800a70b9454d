// Writes records: creates one, each record of a list or one under the id in its path (PUT); replaces or updates one, by JSON Merge
// Patch or JSON Patch. The door to rfc6902.

import { applyPatch, type Operation as PatchOperation } from 'rfc6902'
import { type RequestBody, responseFor, successStatus } from '../../contract/contract.ts'
import { isJson, JSON_PATCH } from '../../contract/media-types.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { placeholdersIn } from '../../expression/template.ts'
import { type BrokenRule, JSON_HEADERS, problems, type Reply, refuse } from '../../kernel/http.ts'
import {
  Decimal,
  isObject,
  type Json,
  type JsonObject,
  mapValues,
  memberAt,
  pointer,
  stringifyJson,
} from '../../kernel/json.ts'
import { mergePatch } from '../../kernel/merge-patch.ts'
import type { Entry, Id } from '../../world/records/types.ts'
import { idIn, withField, withId } from '../../world/records/values.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { inBody, isId, type Resource } from '../resource.ts'
import { isUnshown, type RespondConfig } from './config.ts'
import {
  compileConflict,
  compileFinder,
  compileKey,
  compileWithin,
  danglingIn,
  missingRecord,
  refuseTransition,
} from './key.ts'
import { compileMaker, keepOwners, type RecordMaker } from './record.ts'
import { compileLocation, type Give, withoutBody } from './reply.ts'
import { completeTemplate, itemOf, listedRecords, pathParameter, recordReader } from './shape.ts'

/** Replace and update combine the old value and the body in different ways; both validate and store the result. */
export function compileWrite(
  config: RespondConfig,
  resource: Resource,
  give: Give,
  site: Site,
  kind: 'replace' | 'update',
): Handler {
  const { name, idField, references } = resource
  const { operation, invalid } = site
  const conflict = compileConflict(operation)
  const maker = compileMaker(resource, config, kind, site)
  const { within, identify, get } = compileFinder(resource, config, site, maker)
  const status = successStatus(operation, 200, 204)
  const create = config.creates === true ? compileCreateOne(config, resource, give, site) : undefined
  // By its media type, or by the schema of its operation, a list is a JSON Patch.
  const isPatch = [...(operation.body?.content.values() ?? [])].some(({ patch }) => patch === true)
  const isPatched = ({ body, request }: Exchange) =>
    kind === 'update' &&
    Array.isArray(body) &&
    (isPatch || String(request.headers['content-type'] ?? '').startsWith(JSON_PATCH))
  // An id that requests do not have is dropped like any other field that clients cannot set.
  const checksId = resource.unknownFields === 'refuse' || (isClients(resource) && maker.saysId)
  return async exchange => {
    const id = identify(exchange)
    if (id === undefined) return invalid([inBody(pointer([idField]), 'required', 'is required')])
    for (;;) {
      const old = await get(exchange, id, create)
      if ('status' in old) return old
      const patched = isPatched(exchange) ? patchRecord(old.value, exchange.body as readonly Json[]) : undefined
      if (patched?.broken !== undefined) return invalid([patched.broken])
      const given = patched === undefined ? maker.given(exchange) : patched.value
      const merged = kind === 'update' && patched === undefined ? mergePatch(old.value, given) : given
      const misfit = misfitOf(merged, id, idField, checksId)
      if (misfit !== undefined) return invalid([misfit])
      const composed = maker.compose(merged, exchange, old.value)
      const owned = within === undefined ? composed : within.own(exchange, composed)
      const fields = keepOwners(resource, owned, old.value)
      const record = maker.fit(withId(idField, id, fields), exchange)
      if (Array.isArray(record)) return invalid(record)
      const lost = references.size === 0 ? NO_RULES : await danglingIn(resource, fields, exchange)
      if (lost.length > 0) return invalid(lost)
      const refused = refuseTransition(resource, old.value, record, conflict)
      if (refused !== undefined) return refused
      const records = exchange.records(name)
      const entry = await records.replace(old.id, record, old.revision, exchange.effects?.step(exchange))
      // Another request wrote between our read and our write: merge again with its result.
      if (typeof entry === 'string') continue
      exchange.entry = entry
      return status === 204 ? withoutBody(status) : give(entry, status, exchange)
    }
  }
}

/** Whether a body may name the id of a record: not one that the server assigns. */
const isClients = ({ assign, change }: Resource): boolean => assign === 'client' && change === 'refuse'

/** Returns the rule that a body breaks if it is no record, or names another id than its path. */
function misfitOf(body: Json, id: Id, idField: string, checksId: boolean): BrokenRule | undefined {
  if (!isObject(body)) return inBody('', 'type', 'must be an object')
  const own = checksId ? idIn(idField, body as JsonObject) : undefined
  if (own === undefined || own === id) return undefined
  return inBody(pointer([idField]), 'id', 'must be the id in the path')
}

/** The changed record, or the rule that an operation of the patch breaks. */
type Patched =
  | { readonly value: Json; readonly broken?: never }
  | { readonly value?: never; readonly broken: BrokenRule }

/** Applies a patch whose form `validate` has accepted. */
function patchRecord(record: JsonObject, patch: readonly Json[]): Patched {
  const target = toPlain({ record }) as { record: Json }
  // A record is changed below its root: a patch may replace the root too.
  const below = patch.map(one => shifted(toPlain(one) as JsonObject)) as unknown as PatchOperation[]
  let copies = 0
  for (const [i, operation] of below.entries()) {
    if (operation.op === 'copy' && (++copies > MOST_COPIES || stringifyJson(target).length > LONGEST)) {
      return { broken: inBody(`/${i}`, 'copy', 'cannot be applied: it copies too much') }
    }
    const [fault] = applyPatch(target, [operation])
    if (fault === null || fault === undefined) continue
    const { op } = operation
    const why = op === 'test' ? 'the test fails' : 'there is nothing at this path'
    const place = `/${i}/${op === 'move' || op === 'copy' ? 'from' : 'path'}`
    return { broken: inBody(place, op, `cannot be applied: ${why}`) }
  }
  return { value: fromPlain(target.record) }
}

function shifted({ path, from, ...rest }: JsonObject): JsonObject {
  return { ...rest, path: `/record${path}`, ...(from === undefined ? {} : { from: `/record${from}` }) }
}

/** Copies double a record at most: without a bound, thirty of them would fill the memory. */
const MOST_COPIES = 20
const LONGEST = 500_000

/** Digits of a decimal, as text that no client can send: the library copies plain values only. */
const DIGITS = '\u0000decimal:'

const toPlain = (value: Json): Json => withLeaves(value, one => (one instanceof Decimal ? DIGITS + one.text : one))

const fromPlain = (value: Json): Json =>
  withLeaves(value, one =>
    typeof one === 'string' && one.startsWith(DIGITS) ? new Decimal(one.slice(DIGITS.length)) : one,
  )

/** Returns a copy of a value with other leaves. */
function withLeaves(value: Json, leaf: (value: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => withLeaves(one, leaf))
  if (!isObject(value)) return leaf(value)
  return mapValues(value, one => withLeaves(one as Json, leaf))
}

/** Compiles the creation of a record, or of each record in a list. */
export const compileCreate = (config: RespondConfig, resource: Resource, give: Give, site: Site): Handler =>
  compileCreateEach(config, resource, give, site) ?? compileCreateOne(config, resource, give, site)

/**
 * Compiles the creation of one record.
 *
 * @returns a handler; with an `id` it stores the record under that id, which no record has (RFC 9110 §9.3.4)
 */
function compileCreateOne(
  config: RespondConfig,
  resource: Resource,
  give: Give,
  site: Site,
): (exchange: Exchange, id?: Id) => Promise<Reply> {
  const { operation, invalid } = site
  const { name, idField, assign, references } = resource
  const status = successStatus(operation, 201, 200)
  const putStatus = successStatus(operation, 201, 200, 204)
  const within = compileWithin(config, resource, site)
  const key = compileKey(resource, within?.ownerOf, site)
  const maker = compileMaker(resource, config, 'create', site)
  const nameable = compileNameable(resource, site)
  // No path names a record whose id no reply shows.
  const usualReaders = isUnshown(idField) ? [] : [`${operation.path}/{id}`]
  const locate = compileLocation(site.readers.get(name) ?? usualReaders, operation.path, resource.unshown)
  const idPlace = pointer([idField])
  const conflict = compileConflict(operation)
  const exists = (id: Id) => conflict(`the record ${id} already exists in ${name}`)
  const usedUp = refuse(problems.unavailable, `no ids are left for ${name}`)
  const withoutId = invalid([inBody(idPlace, 'required', 'is required')])
  const notAnId = invalid([inBody(idPlace, 'id', 'must be well-formed text or an integer')])
  return async (exchange, id) => {
    const orphan = within && (await within.orphan(exchange))
    if (orphan !== undefined) return orphan
    const given = maker.given(exchange)
    const misfit = id === undefined ? undefined : misfitOf(given, id, idField, isClients(resource))
    if (misfit !== undefined) return invalid([misfit])
    const collection = exchange.records(name)
    let fields = maker.compose(given, exchange)
    if (within !== undefined) fields = within.own(exchange, fields)
    if (maker.supplied.length > 0) fields = await withSupplied(fields, maker, exchange)
    const lost = references.size === 0 ? NO_RULES : await danglingIn(resource, fields, exchange)
    if (id !== undefined) {
      const record = maker.fit(withId(idField, id, fields), exchange)
      if (Array.isArray(record)) return invalid(record)
      if (lost.length > 0) return invalid(lost)
      // Mending has changed an id that the schema does not allow.
      if (String(idIn(idField, record)) !== String(id)) return missingRecord(resource, id)
      const { entry } = await collection.put(key?.of(exchange, id) ?? id, record, exchange.effects?.step(exchange))
      exchange.entry = entry
      if (putStatus === 204) return withoutBody(putStatus)
      return give(entry, putStatus, exchange)
    }
    if (maker.wantsId && idIn(idField, fields) === undefined && maker.hasRecord(exchange)) return withoutId
    if (nameable !== undefined) fields = nameable(fields)
    const named = key && (idIn(idField, fields) as Id | undefined)
    if (named !== undefined && (await key?.find(exchange, named)) !== undefined) return exists(named)
    let mended: JsonObject | undefined
    const check = (whole: JsonObject): Reply | undefined => {
      const fit = maker.fit(whole, exchange)
      if (Array.isArray(fit)) {
        // A client cannot choose an id that is counted.
        return assign === 'sequence' && fit.some(({ path }) => path === idPlace) ? usedUp : invalid(fit)
      }
      if (lost.length > 0) return invalid(lost)
      mended = fit === whole ? undefined : fit
      return isId(idIn(idField, whole)) ? mended && MENDED : notAnId
    }
    const step = exchange.effects?.step(exchange)
    let made = await collection.create(fields, check, step)
    if (made === MENDED) made = await collection.create(mended as JsonObject, check, step)
    // Mended again: the id is the invalid part.
    if (made === MENDED) return usedUp
    if (made === 'exists') return exists(idIn(idField, fields) as Id)
    if ('status' in made) return made
    exchange.entry = made
    return give(made, status, exchange, locate?.(exchange, key?.nameOf(made) ?? made.id, made.value))
  }
}

/** Returns fields with the references that requests do not have: to the first record. */
async function withSupplied(fields: JsonObject, { supplied }: RecordMaker, exchange: Exchange): Promise<JsonObject> {
  const out: Record<string, Json> = { ...fields }
  for (const [field, to] of supplied) {
    if (Object.hasOwn(fields, field)) continue
    const { last } = await exchange.records(to).list({ filters: [], limit: 1 })
    if (last !== undefined) out[field] = last
  }
  return out
}

/** Marks a record that is valid only after mending. */
const MENDED = withoutBody(0)
const NO_RULES: readonly BrokenRule[] = []

/**
 * Returns a function that drops the id of a new record if the operation that reads it cannot name it: an empty text, or 626
 * where the path parameter has `maximum: 10`. The server assigns an id then. Unset if clients send no ids.
 */
function compileNameable(resource: Resource, site: Site): ((fields: JsonObject) => JsonObject) | undefined {
  const { idField, assign } = resource
  if (assign !== 'client') return undefined
  const reader = recordReader(resource, site)
  const parameter = reader?.parameters[pathParameter(reader, expressionsOf(reader.path).at(-1))]
  const isNameable = (id: Id): boolean => {
    if (id === '') return false
    const read = parameter?.read([String(id)])
    return read === undefined || ('value' in read && parameter?.schema.check(read.value, read.exact) === undefined)
  }
  return fields => {
    const id = idIn(idField, fields) as Id | undefined
    return id === undefined || isNameable(id) ? fields : withField(idField, undefined as unknown as Json, fields)
  }
}

/** The maximum number of records in a request. */
const MOST = 1000
/** Between the ordinals of the parts of one request: they draw different values, and no other request has their ordinals. */
const APART = 2 ** 32

/** Compiles the creation of the records that a request lists: all of them, or none. `undefined` if its body is not a list. */
function compileCreateEach(config: RespondConfig, resource: Resource, give: Give, site: Site): Handler | undefined {
  const listed = listedRecords(config.body, resource, site)
  const body = listed && bodyOfOne(site, listed)
  if (listed === undefined || body === undefined) return undefined
  const create = compileCreateOne(config, resource, give, { ...site, operation: { ...site.operation, body } })
  const status = successStatus(site.operation, 201, 200)
  const { invalid, answers } = site
  const many = invalid([inBody(pointer(listed), 'maxItems', `must have at most ${MOST} items`)])
  const empty = nothingCreated(config.body, site, status)
  /** Creates the records of a list, and adds an exchange for each. Returns the refusal of the first invalid one. */
  const createEach = async (
    list: readonly Json[],
    parts: Exchange[],
    exchange: Exchange,
  ): Promise<Reply | undefined> => {
    const warn = (text: string) => exchange.warn(text)
    for (const [i, body] of list.entries()) {
      const own = { body, ordinal: exchange.ordinal + i * APART, entry: undefined, effects: undefined, warn }
      const part: Exchange = Object.assign(Object.create(exchange), own)
      const reply = await create(part)
      if (part.entry === undefined) return reply
      parts.push(part)
    }
    return undefined
  }
  const removeEach = async (parts: readonly Exchange[]): Promise<void> => {
    for (const part of parts) {
      const { id, revision } = part.entry as Entry
      await part.records(resource.name).remove(id, revision)
    }
  }
  return async exchange => {
    const list = memberAt(exchange.body, listed)
    // Treat a missing optional list as empty.
    if (list === undefined && listed.length > 0) return empty ?? create(exchange)
    if (!Array.isArray(list)) return create(exchange)
    // Without an empty reply, a valid request is answered as the contract describes.
    if (list.length === 0) return empty ?? answers.reply(exchange.question())
    if (list.length > MOST) return many
    const parts: Exchange[] = []
    let refused: Reply | undefined
    try {
      refused = (await createEach(list, parts, exchange)) ?? exchange.effects?.doAll(exchange, parts)
    } catch (error) {
      await removeEach(parts)
      throw error
    }
    if (refused !== undefined) {
      await removeEach(parts)
      return refused
    }
    const made = parts.map(({ entry }) => entry as Entry)
    const [first] = made as [Entry]
    exchange.entry = first
    return give(first, status, exchange, undefined, made)
  }
}

/**
 * The reply to an empty list: no body, a list as empty, or the template with its lists of records empty; `undefined` if the
 * contract has another reply.
 */
function nothingCreated(template: Json | undefined, { operation, contract }: Site, status: number): Reply | undefined {
  const content = responseFor(operation, status)?.content
  if (content === undefined || content.size === 0) return withoutBody(status)
  const node = [...content].find(([type]) => isJson(type) || type === '*/*')?.[1].schema?.node
  if (node === undefined) return undefined
  const empty = template === undefined ? [] : completeTemplate(emptied(template), node, contract)
  const isWhole = !holdsRecord(empty) && contract.use(node).check(empty, true) === undefined
  return isWhole ? { status, headers: JSON_HEADERS, body: stringifyJson(empty) } : undefined
}

const holdsRecord = (template: Json): boolean =>
  [...placeholdersIn(template)].some(([, name]) => name.startsWith('record.'))

/** A template whose lists have an item for each record, without the items. */
function emptied(template: Json): Json {
  if (Array.isArray(template)) return holdsRecord(template) ? [] : template
  if (!isObject(template)) return template
  return mapValues(template as JsonObject, emptied)
}

/** The body of an operation that takes one of the list's items. */
function bodyOfOne({ operation: { body }, contract }: Site, listed: readonly string[]): RequestBody | undefined {
  const content = [...(body?.content ?? [])].flatMap(([type, media]) => {
    const item = media.schema && itemOf(media.schema, listed, contract)
    return item === undefined ? [] : [[type, { ...media, schema: contract.use(item), examples: [] }] as const]
  })
  return body === undefined || content.length === 0 ? undefined : { ...body, content: new Map(content) }
}
