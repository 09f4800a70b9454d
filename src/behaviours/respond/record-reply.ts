// Writes a record as a reply: bare, or in the envelope that the configuration names.

import { type Contract, isJson, responseFor, successStatus } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { type Headers, JSON_HEADERS, JSON_TYPE, type Reply } from '../../kernel/reply.ts'
import { compileTemplate, JsonText, placeholders, type TemplateFields, unfilled } from '../../kernel/template.ts'
import { type Entry, idIn } from '../../world/collection.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { ACTIONS } from './action-config.ts'
import { schemaBelow } from './branch.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import { replaceExpressions } from './expression-holes.ts'
import { addressOf, originOf } from './paging.ts'
import type { Resource } from './resource.ts'
import { compileShown } from './shown.ts'
import { recordPath } from './wrapping.ts'

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
