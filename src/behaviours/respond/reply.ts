// Writes a record as a reply: bare or in the configured envelope, in the schema of the operation's reply, and in the media type
// that the client prefers.

import { isXml, xmlOf } from '../../contract/answer/body.ts'
import { sceneOf, withDocumentedHeaders } from '../../contract/answer/headers.ts'
import { type Header, headersOf, type MediaType, responseFor } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { compileNegotiation, contentTypeFor, isJson } from '../../contract/media-types.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { layersOf } from '../../contract/schema/shape.ts'
import { type Fill, JsonText, type Template, type TemplateContext } from '../../expression/template.ts'
import { JSON_HEADERS, JSON_TYPE, NO_HEADERS, problems, type Reply, refuse } from '../../kernel/http.ts'
import { type JsonObject, parseJson, stringifyJson } from '../../kernel/json.ts'
import { hashOf } from '../../sample/chance.ts'
import { drawUuid } from '../../world/draws.ts'
import { breatheWhenDue } from '../../world/real-time.ts'
import type { Entry, Id } from '../../world/records/types.ts'
import { idIn } from '../../world/records/values.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { tagOfReply } from '../entity-tags.ts'
import { type Making, type Resource, readPage, withoutOwners } from '../resource.ts'
import type { RespondConfig } from './config.ts'
import { completeTemplate, recordPath, schemaBelow, successSchema } from './shape.ts'
import { mend } from './values.ts'

/**
 * A record as a reply.
 *
 * @param all the records that the request has created, if it lists several: the first of them is `entry`
 */
export type Give = (
  entry: Entry,
  status: number,
  exchange: Exchange,
  location?: string,
  all?: readonly Entry[],
) => Reply

interface InRecord extends TemplateContext {
  readonly entry: Entry
  readonly exchange: Exchange
  readonly location: string | undefined
  readonly all: readonly Entry[]
}

/** Sends a record itself, or inside the configured template. */
export function compileGive(config: RespondConfig, resource: Resource, site: Site): Give {
  const { contract, operation, expressions } = site
  const node = successSchema(operation, config.create === undefined ? 200 : 201, 200)?.node
  const shown = compileShown(schemaBelow(node, recordPath(config.body), contract), resource, site)
  const textOf = (entry: Entry): string => shown?.(entry) ?? entry.text
  const isOne = node !== undefined && contract.use(node).types.has('object')
  const template = compileWrapper(config, node, textOf, resource, site)
  return (entry, status, exchange, location, all) => ({
    status,
    headers: location === undefined ? JSON_HEADERS : { 'content-type': JSON_TYPE, location },
    body:
      template !== undefined
        ? template.write({
            entry,
            exchange,
            location,
            all: all ?? [entry],
            scope: expressions.scope(exchange),
          })
        : all === undefined || isOne
          ? (shown?.(entry) ?? entry.text)
          : `[${all.map(textOf).join(',')}]`,
  })
}

/** Compiles the template around a record, if there is one. */
function compileWrapper(
  { body }: RespondConfig,
  node: Node | undefined,
  textOf: (entry: Entry) => string,
  { within, idField }: Resource,
  { contract, expressions, error }: Site,
): Template<InRecord> | undefined {
  if (body === undefined) return undefined
  const idOf = ({ entry }: InRecord) => String(within.length === 0 ? entry.id : idIn(idField, entry.value))
  const addressIn = ({ exchange, location }: InRecord) => location ?? addressOf(exchange, '')
  const fields = new Map<string, Fill<InRecord>>([
    ['record.id', idOf],
    ['record.location', addressIn],
    ['record.url', one => requestOrigin(one.exchange) + addressIn(one)],
    ['record.value', ({ entry }) => new JsonText(textOf(entry))],
  ])
  const known = [...fields.keys()]
  // `completeTemplate` writes this one where the contract has a number.
  fields.set('record.#number', one => (/^-?\d+$/.test(idOf(one)) ? new JsonText(idOf(one)) : idOf(one)))
  const whole = node === undefined ? body : completeTemplate(body, node, contract)
  return expressions.template<InRecord>(whole, ['body'], error, {
    known,
    field: name => fields.get(name),
    failing: 'null',
    each: one => one.all.map(entry => ({ ...one, entry })),
  })
}

/** Returns a reply without a body. */
export const withoutBody = (status: number): Reply => ({ status, headers: NO_HEADERS, body: undefined })

/** Returns the request's path with its query or another one. */
export function addressOf(
  { request, basePath, operation, segments }: Pick<Exchange, 'request' | 'basePath' | 'operation' | 'segments'>,
  query = request.query,
): string {
  let expression = 0
  const path = operation.path.replace(/\{[^{}]*\}/g, () => encodeURIComponent(segments[expression++] ?? ''))
  return `${basePath}${path}${query === '' ? '' : `?${query}`}`
}

export const requestOrigin = ({ request }: Exchange): string => `http://${request.headers.host ?? 'localhost'}`

/**
 * Returns the address of a new record, for `Location`: the path template of a reader, filled with the values of the creator's
 * path, or with the owners that the record keeps in braces. Returns `undefined` if every reader needs other values.
 */
export function compileLocation(
  readers: readonly string[],
  creator: string,
  unshown: readonly string[] = [],
): ((exchange: Pick<Exchange, 'basePath' | 'segments'>, id: Id, record?: JsonObject) => string) | undefined {
  const names = expressionsOf(creator)
  const known = readers.filter(one =>
    expressionsOf(one)
      .slice(0, -1)
      .every(name => names.includes(name) || unshown.includes(`{${name}}`)),
  )
  const reader = known.find(one => one.startsWith(`${creator}/`)) ?? known[0]
  if (reader === undefined) return undefined
  const last = expressionsOf(reader).at(-1)
  // Texts and expressions alternate, beginning with a text.
  const parts = reader.split(/\{([^{}]*)\}/)
  return ({ basePath, segments }, id, record) => {
    let location = basePath + parts[0]
    for (let i = 1; i < parts.length; i += 2) {
      const name = parts[i] as string
      const owner = segments[names.indexOf(name)] ?? record?.[`{${name}}`] ?? ''
      location += encodeURIComponent(String(name === last ? id : owner)) + parts[i + 1]
    }
    return location
  }
}

/** Converts a record to a reply's schema. A record that is valid, or cannot be converted, stays unchanged. */
type Fit = (record: JsonObject) => JsonObject

/**
 * Shows a record in an operation's own reply schema: `GET /projects` may list summaries of `GET /projects/{id}`.
 *
 * @param node the reply's schema of the record
 * @returns `undefined` if the reply has the stored form
 */
function compileFit(node: Node | undefined, resource: Resource, { contract }: Site): Fit | undefined {
  const { unshown, schema, idField } = resource
  const isOwn = node === undefined || contract.identify(node) === contract.identify(schema.node)
  const names = isOwn ? [] : [...contract.shapeOf(node).properties.keys()]
  // A reply schema for something else is the author's mistake and must be reported.
  const isForeign =
    names.filter(name => name === idField || schema.shape.properties.has(name)).length * 2 < names.length
  const shown = isOwn || isForeign ? undefined : contract.use(node)
  if (shown === undefined) return unshown.length === 0 ? undefined : record => withoutOwners(unshown, record)
  return whole => {
    const record = withoutOwners(unshown, whole)
    return mend(record, NOTHING_GIVEN, shown, ANYTHING, makingFor(record, resource)) ?? record
  }
}

const NOTHING_GIVEN: JsonObject = {}
const ANYTHING = { declares: () => true, refuses: () => false }

/** Draws the same values for a record in every reply. */
function makingFor(record: JsonObject, { name, idField }: Resource): Making {
  const of = (purpose: string) => hashOf(`${name} ${String(idIn(idField, record))} ${purpose}`)
  return {
    clock: { now: () => 0 },
    uuid: purpose => drawUuid(of(purpose), name, 1),
    draw: purpose => (of(purpose) >>> 0) / 2 ** 32,
  }
}

/** Compiles the text of a record in a reply, which is made once for each state of a record; `undefined` for the stored text. */
function compileShown(node: Node | undefined, resource: Resource, site: Site): ((entry: Entry) => string) | undefined {
  const fit = compileFit(node, resource, site)
  if (fit === undefined) return undefined
  const known = new WeakMap<Entry, string>()
  return entry => {
    let text = known.get(entry)
    if (text === undefined) {
      const shown = fit(entry.value)
      text = shown === entry.value ? entry.text : stringifyJson(shown)
      known.set(entry, text)
    }
    return text
  }
}

/** Returns the fields of a resource that the schema of a list's items does not have: summaries leave them out. */
function hiddenIn(node: Node, { schema }: Resource, { contract }: Site): ReadonlySet<string> {
  const layers = layersOf([node], contract)
  const names = new Set(layers.flatMap(({ value }) => Object.keys(Object(value.properties))))
  const isOpen = layers.some(({ value: { additionalProperties, patternProperties } }) => {
    const isClosed = additionalProperties === undefined || additionalProperties === false
    return !isClosed || patternProperties !== undefined
  })
  const fields = [...schema.shape.properties.keys()]
  const shared = fields.filter(name => names.has(name))
  // A schema for something else is the author's mistake and must be reported.
  const isForeign = shared.length * 2 < names.size
  return new Set(isOpen || isForeign || names.size === 0 ? [] : fields.filter(name => !names.has(name)))
}

/**
 * Compiles the text of a list of records in a reply; `undefined` if the reply has the stored form.
 *
 * @param write the text of a list's item with a record, if it is not the record
 */
export function compileShownList(
  node: Node | undefined,
  resource: Resource,
  site: Site,
  write?: (record: JsonObject) => string,
): ((text: string) => string) | undefined {
  const fit = compileFit(node, resource, site)
  if (fit === undefined && write === undefined) return undefined
  const hidden = fit === undefined || node === undefined ? new Set<string>() : hiddenIn(node, resource, site)
  const shownOf = (record: JsonObject): JsonObject => {
    if (!Object.keys(record).some(name => hidden.has(name))) return fit?.(record) ?? record
    const shown = Object.fromEntries(Object.entries(record).filter(([name]) => !hidden.has(name)))
    return fit?.(shown) ?? shown
  }
  let last = { text: '[]', shown: '[]' }
  return text => {
    if (last.text === text) return last.shown
    const texts = readPage(text).map(record => (write ?? stringifyJson)(shownOf(record)))
    last = { text, shown: `[${texts.join(',')}]` }
    return last.shown
  }
}

/**
 * Compiles a responder that gives its replies the headers that the contract documents for them. Its refusals get theirs with
 * their body.
 *
 * @param located whether `Location` is written by the responder
 */
export function compileHeaders(next: Handler, located: boolean, { operation }: Site): Handler {
  const successes = [...operation.responses].filter(([key]) => !/^[45]/.test(key)).map(([, response]) => response)
  const isLeft = ({ name, required, schema }: Header): boolean =>
    !(located && /^location$/i.test(name) && !required && schema?.fits('/') !== false)
  if (!successes.flatMap(headersOf).some(isLeft)) return next
  return exchange =>
    next(exchange).then(reply => (reply.refusal === undefined ? withHeadersOf(reply, exchange) : reply))
}

/** Returns a reply with its documented headers, which tell of its record, its address and its body. */
function withHeadersOf(reply: Reply, exchange: Exchange): Reply {
  const { status, headers, body } = reply
  const fact = (name: string): string | undefined => {
    if (name === 'etag') return tagOfReply(reply, exchange.entry)
    if (name === 'link') return `<${addressOf(exchange)}>; rel="self"`
    return name === 'content-location' ? (headers.location ?? addressOf(exchange)) : undefined
  }
  const scene = {
    ...sceneOf(exchange, status, headers.location),
    fact,
    get body() {
      const parsed = typeof body === 'string' ? parseJson(body) : { fault: '' }
      return 'value' in parsed ? parsed.value : undefined
    },
  }
  return withDocumentedHeaders(reply, exchange, scene)
}

/**
 * Compiles a responder that answers with a record or a page: records are JSON, and XML if the contract documents it. A client
 * that accepts no documented type gets 406 before anything is written.
 *
 * @param status the responder's success status
 */
export function compileNegotiated(next: Handler, status: number, { operation }: Site): Handler {
  const documented = [...(responseFor(operation, status)?.content ?? [])]
  const json = documented.filter(([type]) => isJson(type) || type === '*/*' || type === 'application/*')
  if (json.length === 0) return next
  const media = [...json, ...documented.filter(([type]) => isXml(type))]
  const types = media.map(([type]) => type)
  const negotiate = compileNegotiation(types)
  const detail = `${operation.id} answers ${status} with ${types.join(', ')}`
  return exchange => {
    const field = exchange.request.headers.accept as string | undefined
    const index = negotiate(field)
    if (index === undefined) return Promise.resolve(refuse(problems.not_acceptable, detail))
    const [name, spec] = media[index] as readonly [string, MediaType]
    if (name === JSON_TYPE) return next(exchange)
    const type = contentTypeFor(name, field)
    return type === JSON_TYPE ? next(exchange) : next(exchange).then(reply => rewrite(reply, type, spec))
  }
}

/** Converts a record or a page from JSON to another type. */
async function rewrite(reply: Reply, type: string, media: MediaType): Promise<Reply> {
  const { body, headers, bytes: _, ...rest } = reply
  if (reply.refusal !== undefined || typeof body !== 'string' || headers['content-type'] !== JSON_TYPE) return reply
  if (isJson(type)) return { ...reply, headers: { ...headers, 'content-type': type } }
  const parsed = isXml(type) ? parseJson(body, true) : { fault: '' }
  if ('fault' in parsed) return reply
  const breathe = breatheWhenDue()
  let text = ''
  for (const part of xmlOf(parsed.value, media.schema)) {
    text += part
    await breathe()
  }
  return { ...rest, headers: { ...headers, 'content-type': type }, body: text }
}
