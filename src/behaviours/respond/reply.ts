// Writes a record as a reply: bare, or in the envelope that the configuration names.

import { isXml, writeBody } from '../../contract/answer/body.ts'
import { compileNegotiation, contentTypeFor } from '../../contract/answer/negotiate.ts'
import { type Contract, isJson, type MediaType, responseFor, successStatus } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { expressionsOf } from '../../contract/paths.ts'
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts'
import { parseSent } from '../../kernel/parse-json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Headers, JSON_HEADERS, JSON_TYPE, type Reply, refuse } from '../../kernel/reply.ts'
import { compileTemplate, JsonText, placeholders, type TemplateFields, unfilled } from '../../kernel/template.ts'
import { hashOf } from '../../sample/chance.ts'
import { type Entry, type Id, idIn } from '../../world/collection.ts'
import { drawUuid } from '../../world/draws.ts'
import type { Exchange, Handler, Site } from '../behaviour.ts'
import { type Making, type Resource, withoutOwners } from '../resource.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import type { ACTIONS } from './config.ts'
import { replaceExpressions } from './expression-holes.ts'
import { mend } from './mend.ts'
import { addressOf, originOf } from './pages.ts'
import { recordPath, schemaBelow } from './shape.ts'

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

interface InRecord {
  readonly entry: Entry
  readonly exchange: Exchange
  readonly location: string | undefined
  readonly all: readonly Entry[]
}

/** Sends a record itself, or inside the configured template. */
export function compileGive(
  written: Json | undefined,
  action: (typeof ACTIONS)[number],
  resource: Resource,
  site: Site,
): Give {
  const status = successStatus(site.operation, action === 'create' ? 201 : 200, 200)
  const media = [...(responseFor(site.operation, status)?.content ?? [])].find(([type]) => isJson(type))?.[1]
  const node = media?.schema?.node
  const { contract } = site
  const own = schemaBelow(node, written === undefined ? [] : recordPath(written), contract)
  const shown = compileShown(own, resource, site)
  if (written === undefined) {
    const isOne = node !== undefined && contract.use(node).types.has('object')
    return (entry, status, _, location, all) => ({
      status,
      headers: headersOf(location),
      body: all === undefined || isOne ? shown(entry) : `[${all.map(shown).join(',')}]`,
    })
  }
  const { template: body, fields: inBody } = replaceExpressions<InRecord>(written, 'record', ['body'], site)
  const idOf = ({ entry }: InRecord) =>
    String(resource.within.length === 0 ? entry.id : idIn(resource.idField, entry.value))
  const addressIn = ({ exchange, location }: InRecord) => location ?? addressOf(exchange, '')
  const textOf = ({ entry }: InRecord) => new JsonText(shown(entry))
  const fields: TemplateFields<InRecord> = {
    id: idOf,
    location: addressIn,
    url: context => originOf(context.exchange) + addressIn(context),
    value: textOf,
    ...inBody,
  }
  const known = Object.keys(fields).map(name => `record.${name}`)
  for (const { path, part, message, hint } of unfilled({ body }, known)) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const whole =
    node === undefined ? body : completeTemplate(numbered(body, node, contract), node, contract, NOTHING_KNOWN)
  const number = (context: InRecord) => {
    const id = idOf(context)
    return /^-?\d+$/.test(id) ? new JsonText(id) : id
  }
  const render = compileTemplate(...repeated(whole, { ...fields, [NUMBER]: number }))
  return (entry, status, exchange, location, all = [entry]) => ({
    status,
    headers: headersOf(location),
    body: render({ entry, exchange, location, all }),
  })
}

/** Replaces each list of one item with a placeholder of the record by a field: a list with an item for each new record. */
function repeated(template: Json, fields: TemplateFields<InRecord>): [Json, 'record', TemplateFields<InRecord>] {
  const lists: Record<string, TemplateFields<InRecord>[string]> = {}
  const replace = (value: Json): Json => {
    if (Array.isArray(value)) {
      const [only] = value as readonly Json[]
      const isEach = value.length === 1 && [...placeholders(only, 'record')].length > 0
      if (!isEach) return value.map(one => replace(one as Json))
      const item = compileTemplate(only as Json, 'record', fields)
      const name = `#each${Object.keys(lists).length}`
      lists[name] = context => new JsonText(`[${context.all.map(entry => item({ ...context, entry })).join(',')}]`)
      return `\${record.${name}}`
    }
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value as JsonObject).map(([key, one]) => [key, replace(one as Json)]))
  }
  return [replace(template), 'record', { ...fields, ...lists }]
}

/** The placeholder of an id where the contract has a number. */
const NUMBER = '#id'

/** Writes `${record.id}` as a number where the contract has one. */
function numbered(template: Json, node: Node, contract: Contract): Json {
  if (template === '${record.id}') {
    const { types } = contract.use(node)
    return types.has('string') || !(types.has('integer') || types.has('number')) ? template : `\${record.${NUMBER}}`
  }
  const { properties, items } = contract.shapeOf(node)
  if (Array.isArray(template)) {
    return items === undefined ? template : template.map(one => numbered(one as Json, items, contract))
  }
  if (!isObject(template)) return template
  const members = Object.entries(template as JsonObject).map(([name, one]) => {
    const child = properties.get(name)
    return [name, child === undefined ? one : numbered(one, child, contract)] as const
  })
  return Object.fromEntries(members)
}

const headersOf = (location: string | undefined): Headers =>
  location === undefined ? JSON_HEADERS : { 'content-type': JSON_TYPE, location }

// Shows a record in an operation's own reply schema: `GET /projects` may list summaries of `GET /projects/{id}`. Runs only
// if that schema differs from the record's, and once for each state of a record.

/** Converts a record to a reply's schema. A record that is valid, or cannot be converted, stays unchanged. */
type Fit = (record: JsonObject) => JsonObject

/** @param node the reply's schema of the record; `undefined` if it has none */
function compileFit(node: Node | undefined, resource: Resource, site: Site): Fit | undefined {
  const { unshown } = resource
  const fit = compileMend(node, resource, site)
  if (unshown.length === 0) return fit
  return record => {
    const shown = withoutOwners(unshown, record)
    return fit === undefined ? shown : fit(shown)
  }
}

/** Converts a record to another schema that shows it; `undefined` if there is none. */
function compileMend(node: Node | undefined, resource: Resource, { contract }: Site): Fit | undefined {
  if (node === undefined || contract.identify(node) === contract.identify(resource.schema.node)) return undefined
  const { properties } = resource.schema.shape
  const names = [...contract.shapeOf(node).properties.keys()]
  // A reply schema for something else is the author's mistake and must be reported.
  if (names.filter(name => properties.has(name)).length * 2 < names.length) return undefined
  const schema = contract.use(node)
  return record => mend(record, NOTHING_GIVEN, schema, ANYTHING, makingFor(record, resource)) ?? record
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

/** Compiles the text of a record in a reply. */
export function compileShown(node: Node | undefined, resource: Resource, site: Site): (entry: Entry) => string {
  const fit = compileFit(node, resource, site)
  if (fit === undefined) return ({ text }) => text
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

const AS_STORED: Fit = record => record

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
  const fit = compileFit(node, resource, site) ?? (write && AS_STORED)
  if (fit === undefined) return undefined
  let last = { text: '[]', shown: '[]' }
  return text => {
    if (last.text === text) return last.shown
    const parsed = parseSent(text)
    if ('fault' in parsed || !Array.isArray(parsed.value)) return text
    const records = parsed.value as Json[]
    const fitted = records.map(record => (isObject(record) ? fit(record as JsonObject) : record))
    const isChanged = fitted.some((one, i) => one !== records[i])
    const shown =
      write !== undefined
        ? `[${fitted.map(one => write(one as JsonObject)).join(',')}]`
        : isChanged
          ? stringifyJson(fitted)
          : text
    last = { text, shown }
    return shown
  }
}

// Negotiates the media type of a resource's replies: records are JSON, and XML if the contract documents it.

/**
 * Compiles a responder that answers with a record or a page. A client that accepts no documented type gets 406 before
 * anything is written.
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
function rewrite(reply: Reply, type: string, media: MediaType): Reply {
  const { body, headers, bytes: _, ...rest } = reply
  if (reply.refusal !== undefined || typeof body !== 'string' || headers['content-type'] !== JSON_TYPE) return reply
  if (isJson(type)) return { ...reply, headers: { ...headers, 'content-type': type } }
  const parsed = isXml(type) ? parseSent(body) : { fault: '' }
  if ('fault' in parsed) return reply
  const written = writeBody({ value: parsed.value }, media, type)
  return { ...rest, headers: { ...headers, 'content-type': written.contentType }, body: written.body }
}

// The address of a new record, for `Location`.

/**
 * Returns the address of a new record: the path template of a reader, filled with the values of the creator's path.
 * Returns `undefined` if every reader needs other values.
 */
export function compileLocation(
  readers: readonly string[],
  creator: string,
): ((exchange: Exchange, id: Id) => string) | undefined {
  const names = expressionsOf(creator)
  const known = readers.filter(one =>
    expressionsOf(one)
      .slice(0, -1)
      .every(name => names.includes(name)),
  )
  const reader = known.find(one => one.startsWith(`${creator}/`)) ?? known[0]
  if (reader === undefined) return undefined
  const last = expressionsOf(reader).at(-1)
  // Texts and expressions alternate, beginning with a text.
  const parts = reader.split(/\{([^{}]*)\}/)
  return ({ basePath, segments }, id) => {
    let location = basePath + parts[0]
    for (let i = 1; i < parts.length; i += 2) {
      const name = parts[i] as string
      location += encodeURIComponent(name === last ? String(id) : (segments[names.indexOf(name)] ?? '')) + parts[i + 1]
    }
    return location
  }
}
