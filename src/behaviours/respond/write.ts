// Writes records: creates one, each record of a list or one under the id in its path (PUT); replaces or updates one, by JSON Merge
// Patch or JSON Patch. The door to rfc6902.

import { applyPatch, type Operation as PatchOperation } from 'rfc6902'
import { type Operation, type RequestBody, responseFor, successStatus } from '../../contract/contract.ts'
import { isJson, JSON_PATCH } from '../../contract/media-types.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { placeholdersIn } from '../../expression/template.ts'
import { type BrokenRule, JSON_HEADERS, NO_HEADERS, problems, type Reply, refuse } from '../../kernel/http.ts'
import { Decimal, isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import { allows, type Entry, type Id } from '../../world/records/types.ts'
import { idIn, withField, withId } from '../../world/records/values.ts'
import type { Handler, Site } from '../behaviour.ts'
import { Exchange } from '../exchange.ts'
import { inBody, isId, type Resource } from '../resource.ts'
import type { ActionConfig } from './config.ts'
import { compileDangling, compileFinder, compileKey, compileWithin, supply } from './key.ts'
import { compileMaker, isFit, keepOwners } from './record.ts'
import { compileLocation, type Give } from './reply.ts'
import { completeTemplate, itemOf, listedRecords, partAt } from './shape.ts'

/** Replace and update combine the old value and the body in different ways; both validate and store the result. */
export function compileWrite(
  config: ActionConfig,
  resource: Resource,
  give: Give,
  site: Site,
  kind: 'replace' | 'update',
): Handler {
  const { name, idField } = resource
  const { invalid } = site
  const maker = compileMaker(resource, config, kind, site)
  const { within, identify, find, missing } = compileFinder(resource, config, site, maker)
  const status = successStatus(site.operation, 200, 204)
  const dangling = compileDangling(resource)
  const transition = compileTransition(resource)
  const create = config.creates === true ? compileCreateOne(config, resource, give, site) : undefined
  const isPatch = kind === 'update' ? compileIsPatch(site.operation) : undefined
  // An id that the server assigns, or that requests do not have, is dropped like any other field that clients cannot set.
  const isClients = resource.assign === 'client' && resource.change === 'refuse'
  const checksId = resource.unknownFields === 'refuse' || (isClients && maker.saysId)
  return async exchange => {
    const id = identify(exchange)
    if (id === undefined) return invalid([inBody(pointer([idField]), 'required', 'is required')])
    for (;;) {
      const old = await find(exchange, id)
      if (old === undefined && create !== undefined) return exchange.precondition?.(old) ?? create(exchange, id)
      if (old === undefined || old === 'foreign') return missing(id)
      const stopped = exchange.precondition?.(old)
      if (stopped !== undefined) return stopped
      const patched = isPatch?.(exchange) ? patchRecord(old.value, exchange.body as readonly Json[]) : undefined
      if (patched?.broken !== undefined) return invalid([patched.broken])
      const given = patched === undefined ? maker.given(exchange) : patched.value
      const merged = kind === 'update' && patched === undefined ? mergePatch(old.value, given) : given
      if (!isObject(merged)) return invalid([inBody('', 'type', 'must be an object')])
      const own = checksId ? idIn(idField, merged as JsonObject) : undefined
      if (own !== undefined && own !== id) {
        return invalid([inBody(pointer([idField]), 'id', 'must be the id in the path')])
      }
      const composed = maker.compose(merged as JsonObject, exchange, old.value)
      const owned = within === undefined ? composed : within.own(exchange, composed)
      const fields = keepOwners(resource, owned, old.value)
      const record = maker.fit(withId(idField, id, fields), exchange)
      if (!isFit(record)) return invalid(record)
      const lost = dangling === undefined ? [] : await dangling(fields, exchange)
      if (lost.length > 0) return invalid(lost)
      const refused = transition?.(old.value, record)
      if (refused !== undefined) return refused
      const entry = await exchange.world.collection(name).replace(old.id, record, old.revision)
      // Another request wrote between our read and our write: merge again with its result.
      if (entry === 'stale') continue
      if (entry === 'missing') return missing(id)
      exchange.entry = entry
      return status === 204 ? { status, headers: NO_HEADERS, body: undefined } : give(entry, status, exchange)
    }
  }
}

/** JSON Merge Patch (RFC 7396). */
function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const out = new Map<string, Json>(isObject(target) ? Object.entries(target as JsonObject) : [])
  for (const [key, value] of Object.entries(patch as JsonObject)) {
    if (value === null) out.delete(key)
    else out.set(key, isObject(value) ? mergePatch(out.get(key) ?? null, value) : value)
  }
  return Object.fromEntries(out)
}

/** Compiles the check whether the body of a request is a JSON Patch: by its media type, or by the schema of its operation. */
function compileIsPatch({ body }: Operation): (exchange: Exchange) => boolean {
  const isDescribed = [...(body?.content.values() ?? [])].some(({ patch }) => patch === true)
  return ({ body: sent, request }) =>
    Array.isArray(sent) && (isDescribed || String(request.headers['content-type'] ?? '').startsWith(JSON_PATCH))
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

function toPlain(value: Json): Json {
  if (value instanceof Decimal) return DIGITS + value.text
  if (Array.isArray(value)) return value.map(toPlain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toPlain(one as Json)]))
}

function fromPlain(value: Json): Json {
  if (typeof value === 'string') return value.startsWith(DIGITS) ? new Decimal(value.slice(DIGITS.length)) : value
  if (Array.isArray(value)) return value.map(fromPlain)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fromPlain(one as Json)]))
}

/** Refuses a write that changes a record's state along no configured edge; `undefined` for a resource without states. */
function compileTransition({
  name,
  states,
}: Resource): ((before: JsonObject, after: JsonObject) => Reply | undefined) | undefined {
  if (states === undefined) return undefined
  const { field, from } = states
  return (before, after) => {
    if (allows(states, before[field], after[field])) return undefined
    const edges = (from.get(String(before[field])) ?? []).map(({ to }) => `"${to}"`)
    const ways = edges.length === 0 ? 'this state is final' : `it can become ${edges.join(', ')}`
    const detail = `this record of ${name} is "${before[field]}" and cannot become "${after[field]}"; ${ways}`
    return refuse(problems.conflict, detail)
  }
}

/** Compiles the creation of a record, or of each record in a list. */
export const compileCreate = (config: ActionConfig, resource: Resource, give: Give, site: Site): Handler =>
  compileCreateEach(config, resource, give, site) ?? compileCreateOne(config, resource, give, site)

/**
 * Compiles the creation of one record.
 *
 * @returns a handler; with an `id` it stores the record under that id, which no record has (RFC 9110 §9.3.4)
 */
function compileCreateOne(
  config: ActionConfig,
  resource: Resource,
  give: Give,
  site: Site,
): (exchange: Exchange, id?: Id) => Promise<Reply> {
  const { operation, invalid } = site
  const { name, idField, assign } = resource
  const status = successStatus(operation, 201, 200)
  const within = compileWithin(config, resource, site)
  const key = compileKey(resource, within?.ownerOf, site)
  const maker = compileMaker(resource, config, 'create', site)
  const dangling = compileDangling(resource)
  const nameable = compileNameable(resource, site)
  const locate = compileLocation(site.readers.get(name) ?? [`${operation.path}/{id}`], operation.path)
  const idPlace = pointer([idField])
  const exists = (id: Id) => refuse(problems.conflict, `the record ${id} already exists in ${name}`)
  const usedUp = refuse(problems.unavailable, `no ids are left for ${name}`)
  const withoutId = invalid([inBody(idPlace, 'required', 'is required')])
  const notAnId = invalid([inBody(idPlace, 'id', 'must be text or an integer')])
  // A client cannot choose an id that is counted.
  const refuseRecord = (rules: readonly BrokenRule[]): Reply =>
    assign === 'sequence' && rules.some(({ path }) => path === idPlace) ? usedUp : invalid(rules)
  const put = compilePut(resource, give, site)
  return async (exchange, id) => {
    const orphan = within && (await within.orphan(exchange))
    if (orphan !== undefined) return orphan
    const given = maker.given(exchange)
    const misfit = id === undefined ? undefined : put.check(given, id)
    if (misfit !== undefined) return invalid([misfit])
    let fields = maker.compose(given, exchange)
    if (within !== undefined) fields = within.own(exchange, fields)
    if (maker.supplied.length > 0) fields = await supply(fields, maker.supplied, exchange)
    const lost = dangling === undefined ? NO_RULES : await dangling(fields, exchange)
    if (id !== undefined) {
      const record = maker.fit(withId(idField, id, fields), exchange)
      if (!isFit(record)) return invalid(record)
      return lost.length > 0 ? invalid(lost) : put.store(record, key?.of(exchange, id) ?? id, exchange)
    }
    if (maker.wantsId && idIn(idField, fields) === undefined && maker.hasRecord(exchange)) return withoutId
    if (nameable !== undefined) fields = nameable(fields)
    // A record that belongs to every owner has the id under each.
    const named = key && (idIn(idField, fields) as Id | undefined)
    if (named !== undefined && (await key?.find(exchange, named)) !== undefined) return exists(named)
    let mended: JsonObject | undefined
    const check = (whole: JsonObject): Reply | undefined => {
      const fit = maker.fit(whole, exchange)
      if (!isFit(fit)) return refuseRecord(fit)
      if (lost.length > 0) return invalid(lost)
      mended = fit === whole ? undefined : fit
      return isId(idIn(idField, whole)) ? mended && MENDED : notAnId
    }
    const collection = exchange.world.collection(name)
    let made = await collection.create(fields, check)
    if (made === MENDED) made = await collection.create(mended as JsonObject, check)
    // Mended again: the id is the invalid part.
    if (made === MENDED) return usedUp
    if (made === 'exists') return exists(idIn(idField, fields) as Id)
    if ('status' in made) return made
    exchange.entry = made
    return give(made, status, exchange, locate?.(exchange, key?.nameOf(made) ?? made.id))
  }
}

/** Marks a record that is valid only after mending. */
const MENDED: Reply = { status: 0, headers: NO_HEADERS, body: undefined }

const NO_RULES: readonly BrokenRule[] = []

/** The part of a creation that differs if the path names the id. */
function compilePut({ name, idField, assign, change }: Resource, give: Give, site: Site) {
  const status = successStatus(site.operation, 201, 200, 204)
  const checksId = assign === 'client' && change === 'refuse'
  return {
    check(given: Json, id: Id): BrokenRule | undefined {
      if (!isObject(given)) return inBody('', 'type', 'must be an object')
      const own = checksId ? idIn(idField, given as JsonObject) : undefined
      return own === undefined || own === id
        ? undefined
        : inBody(pointer([idField]), 'id', 'must be the id in the path')
    },
    async store(record: JsonObject, key: Id, exchange: Exchange): Promise<Reply> {
      const { entry } = await exchange.world.collection(name).put(key, record)
      exchange.entry = entry
      return status === 204 ? { status, headers: NO_HEADERS, body: undefined } : give(entry, status, exchange)
    },
  }
}

/**
 * Returns a function that drops the id of a new record if the operation that reads it cannot name it: an empty text, or 626
 * where the path parameter has `maximum: 10`. The server assigns an id then. Unset if clients send no ids.
 */
function compileNameable(
  { name, idField, assign }: Resource,
  { readers, contract }: Site,
): ((fields: JsonObject) => JsonObject) | undefined {
  if (assign !== 'client') return undefined
  const path = readers.get(name)?.[0]
  const reader = contract.operations.find(one => one.method === 'GET' && one.path === path)
  const last = expressionsOf(path ?? '').at(-1)
  const parameter = reader?.parameters.find(one => one.in === 'path' && one.name === last)
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
function compileCreateEach(config: ActionConfig, resource: Resource, give: Give, site: Site): Handler | undefined {
  const listed = listedRecords(config.body, resource, site)
  const body = listed && bodyOfOne(site, listed)
  if (listed === undefined || body === undefined) return undefined
  const create = compileCreateOne(config, resource, give, { ...site, operation: { ...site.operation, body } })
  const status = successStatus(site.operation, 201, 200)
  const { invalid, answers } = site
  const many = invalid([inBody(pointer(listed), 'maxItems', `must have at most ${MOST} items`)])
  const empty = nothingCreated(config.body, site, status)
  return async exchange => {
    const list = partAt(exchange.body, listed)
    // Treat a missing optional list as empty.
    if (list === undefined && listed.length > 0) return empty ?? create(exchange)
    if (!Array.isArray(list)) return create(exchange)
    // Without an empty reply, a valid request is answered as the contract describes.
    if (list.length === 0) return empty ?? answers.reply(exchange.question())
    if (list.length > MOST) return many
    const made: Entry[] = []
    for (const [i, item] of (list as Json[]).entries()) {
      const one = partOf(exchange, item, i)
      const reply = await create(one)
      if (one.entry === undefined) {
        const collection = exchange.world.collection(resource.name)
        for (const { id, revision } of made) await collection.remove(id, revision)
        return reply
      }
      made.push(one.entry)
    }
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
  if (content === undefined || content.size === 0) return { status, headers: NO_HEADERS, body: undefined }
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
  return Object.fromEntries(Object.entries(template as JsonObject).map(([key, one]) => [key, emptied(one as Json)]))
}

/** The body of an operation that takes one of the list's items. */
function bodyOfOne({ operation: { body }, contract }: Site, listed: readonly string[]): RequestBody | undefined {
  const content = [...(body?.content ?? [])].flatMap(([type, media]) => {
    const item = media.schema && itemOf(media.schema, listed, contract)
    return item === undefined ? [] : [[type, { ...media, schema: contract.use(item), examples: [] }] as const]
  })
  return body === undefined || content.length === 0 ? undefined : { ...body, content: new Map(content) }
}

/** The exchange of one item. */
function partOf(exchange: Exchange, body: Json, i: number): Exchange {
  const { request, world, operation, basePath, segments, clock, values, consumer } = exchange
  const ordinal = exchange.ordinal + i * APART
  const one = new Exchange({ request, world, operation, basePath, segments, clock, ordinal })
  return Object.assign(one, { values, consumer, body })
}
