// Creates each record of a list in a request, `[…]` or `{ tags: […] }`: all of them, or none.

import { isJson, type RequestBody, responseFor, successStatus } from '../../contract/contract.ts'
import { isObject, type Json, type JsonObject, pointer, stringifyJson } from '../../kernel/json.ts'
import { JSON_HEADERS, type Reply } from '../../kernel/reply.ts'
import { placeholders } from '../../kernel/template.ts'
import type { Entry } from '../../world/collection.ts'
import type { Handler, Site } from '../behaviour.ts'
import { draftOf, Exchange } from '../exchange.ts'
import type { ActionParts } from './action-parts.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import { compileCreate } from './create-record.ts'
import { inBody } from './resource.ts'
import { type ListedRecords, listedRecords } from './wrapping.ts'

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
