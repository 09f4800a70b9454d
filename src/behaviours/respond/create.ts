// Creates a record of a resource.

import { isJson, type RequestBody, responseFor, successStatus } from '../../contract/contract.ts'
import type { Parameter } from '../../contract/document/parameters.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import { type BrokenRule, problems } from '../../kernel/problem.ts'
import { JSON_HEADERS, type Reply, refuse } from '../../kernel/reply.ts'
import { placeholders } from '../../kernel/template.ts'
import { type Entry, type Id, idIn } from '../../world/collection.ts'
import { withField } from '../../world/record-field.ts'
import type { Handler, Site } from '../behaviour.ts'
import { draftOf, Exchange } from '../exchange.ts'
import { inBody, type Resource } from '../resource.ts'
import { type ActionParts, NO_RULES } from './action-parts.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import { compileKey } from './key.ts'
import { compileDraft, isSound } from './record.ts'
import { compileDangling, isId, supply } from './references.ts'
import { compileLocation } from './reply.ts'
import { type ListedRecords, listedRecords } from './shape.ts'

/** Compiles the creation of a record, under a new id or under one that the client gives. */
export function compileCreate({ resource, site, within, give, config }: ActionParts): Handler {
  const { operation } = site
  const status = successStatus(operation, 201, 200)
  const { invalid } = site
  const exists = (id: Id) => refuse(problems.conflict, `the record ${id} already exists in ${resource.name}`)
  const locate = compileLocation(site.readers.get(resource.name) ?? [`${operation.path}/{id}`], operation.path)
  const draft = compileDraft(resource, config, 'create', site)
  const dangling = compileDangling(resource)
  const { idField } = resource
  const key = compileKey(resource, within, site)
  const withNameableId = compileNameable(resource, site)
  // A client cannot choose an id that is counted.
  const usedUp = refuse(problems.unavailable, `no ids are left for ${resource.name}`)
  const counted = inBody(pointer([idField]), '', '').path
  const isUsedUp = (rules: readonly BrokenRule[]) =>
    resource.assign === 'sequence' && rules.some(({ path }) => path === counted)
  return async exchange => {
    const collection = exchange.world.collection(resource.name)
    if (within !== undefined) {
      const orphan = await within.orphan(exchange)
      if (orphan !== undefined) return orphan
    }
    const composed = draft.compose(draft.given(exchange), exchange)
    const owned = within === undefined ? composed : within.own(exchange, composed)
    const supplied = draft.supplied.length === 0 ? owned : await supply(owned, draft.supplied, exchange)
    const fields = withNameableId(supplied)
    const lost = dangling === undefined ? NO_RULES : await dangling(fields, exchange)
    if (draft.wantsId && idIn(idField, supplied) === undefined && draft.hasRecord(exchange))
      return invalid([inBody(pointer([idField]), 'required', 'is required')])
    // A record that belongs to every owner has the id under each.
    if (resource.within.length > 0) {
      const id = idIn(idField, fields) as Id | undefined
      if (id !== undefined && (await key.find(exchange, id)) !== undefined) return exists(id)
    }
    let mended: JsonObject | undefined
    const store = (record: JsonObject) =>
      collection.create(record, whole => {
        const sound = draft.fit(whole, exchange)
        if (!isSound(sound)) return isUsedUp(sound) ? usedUp : invalid(sound)
        if (lost.length > 0) return invalid(lost)
        mended = sound === whole ? undefined : sound
        return isId(idIn(idField, whole))
          ? mended && MENDED
          : invalid([inBody(pointer([idField]), 'id', 'must be text or an integer')])
      })
    let made = await store(fields)
    if (made === MENDED) made = await store(mended as JsonObject)
    // Mend again: the id is the invalid part.
    if (made === MENDED) return usedUp
    if (made === 'exists') return exists(idIn(idField, fields) as Id)
    if ('status' in made) return made
    draftOf(exchange, 'respond').entry = made
    return give(made, status, exchange, locate?.(exchange, key.nameOf(made)))
  }
}

/** Marks a record that is valid only after mending. */
const MENDED: Reply = { status: 0, headers: {}, body: undefined }

// Creates each record of a list in a request, `[…]` or `{ tags: […] }`: all of them, or none.

/** The maximum number of records in a request. */
const MOST = 1000
/** Between the ordinals of the parts of one request: they draw different values, and no other request has their ordinals. */
const APART = 2 ** 32

/** Compiles the creation of the records that a request lists; `undefined` if its body is not a list. */
export function compileCreateEach(parts: ActionParts): Handler | undefined {
  const { site, resource, give, config } = parts
  const listed = listedRecords(config.body, resource, site)
  const body = listed && bodyOfOne(site, listed)
  if (listed === undefined || body === undefined) return undefined
  const create = compileCreate({ ...parts, site: { ...site, operation: { ...site.operation, body } } })
  const status = successStatus(site.operation, 201, 200)
  const { invalid, answers } = site
  const place = listed.key === undefined ? '' : pointer([listed.key])
  const many = invalid([inBody(place, 'maxItems', `must have at most ${MOST} items`)])
  const empty = nothingCreated(config.body, site, status)
  // Without an empty reply, a valid request is answered as the contract describes.
  const none = (exchange: Exchange) => empty ?? answers.reply(exchange.question())
  return async exchange => {
    const list = listed.list(exchange.body)
    // Treat a missing optional list as empty.
    if (list === undefined && listed.key !== undefined) return empty ?? create(exchange)
    if (!Array.isArray(list)) return create(exchange)
    if (list.length === 0) return none(exchange)
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
    draftOf(exchange, 'respond').entry = first
    return give(first, status, exchange, undefined, made)
  }
}

/**
 * The reply to an empty list: no body, a list as empty, or the template with its lists of records empty; `undefined` if the
 * contract has another reply.
 */
function nothingCreated(template: Json | undefined, { operation, contract }: Site, status: number): Reply | undefined {
  const content = responseFor(operation, status)?.content
  if (content === undefined || content.size === 0) return { status, headers: {}, body: undefined }
  const node = [...content].find(([type]) => isJson(type) || type === '*/*')?.[1].schema?.node
  if (node === undefined) return undefined
  const empty = template === undefined ? [] : completeTemplate(emptied(template), node, contract, NOTHING_KNOWN)
  const isWhole = [...placeholders(empty, 'record')].length === 0 && contract.use(node).check(empty, true) === undefined
  return isWhole ? { status, headers: JSON_HEADERS, body: stringifyJson(empty) } : undefined
}

/** A template whose lists have an item for each record, without the items. */
function emptied(template: Json): Json {
  if (Array.isArray(template)) return [...placeholders(template, 'record')].length > 0 ? [] : template
  if (!isObject(template)) return template
  return Object.fromEntries(Object.entries(template as JsonObject).map(([key, one]) => [key, emptied(one as Json)]))
}

/** The body of an operation that takes one of the list's items. */
function bodyOfOne({ operation: { body }, contract }: Site, { itemsOf }: ListedRecords): RequestBody | undefined {
  const content = [...(body?.content ?? [])].flatMap(([type, media]) => {
    const items = media.schema && itemsOf(media.schema)
    return items === undefined ? [] : [[type, { ...media, schema: contract.use(items), examples: [] }] as const]
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

// Drops an id that a client gives and that no path can name.

/**
 * Returns a function that drops the id of a new record if the operation that reads it cannot name it: an empty text, or 626
 * where the path parameter has `maximum: 10`. The server assigns an id then.
 */
export function compileNameable(resource: Resource, site: Site): (fields: JsonObject) => JsonObject {
  if (resource.assign !== 'client') return fields => fields
  const { idField } = resource
  const parameter = namingParameter(resource, site)
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

/** The path parameter that names a record where it is read. */
function namingParameter({ name }: Resource, { readers, contract }: Site): Parameter | undefined {
  const path = readers.get(name)?.[0]
  const reader = contract.operations.find(one => one.method === 'GET' && one.path === path)
  const last = expressionsOf(path ?? '').at(-1)
  return reader?.parameters.find(one => one.in === 'path' && one.name === last)
}
