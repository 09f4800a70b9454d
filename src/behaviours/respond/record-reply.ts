// Writes a record as a reply: bare, or in the envelope that the configuration names.

import { type Contract, isJson, responseFor, successStatus } from '../../contract/contract.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { type Headers, JSON_HEADERS, JSON_TYPE, type Reply } from '../../kernel/reply.ts'
import { compileTemplate, JsonText, type TemplateFields, unfilled } from '../../kernel/template.ts'
import type { Node } from '../../schema/document.ts'
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

/** A record as a reply. */
export type Give = (entry: Entry, status: number, exchange: Exchange, location?: string) => Reply

interface InRecord {
  readonly entry: Entry
  readonly exchange: Exchange
  readonly location: string | undefined
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
    return (entry, status, _, location) => ({ status, headers: headersOf(location), body: shown(entry) })
  }
  const { template: body, fields: inBody } = replaceExpressions<InRecord>(written, 'record', ['body'], site)
  const idOf = ({ entry }: InRecord) =>
    String(resource.within.length === 0 ? entry.id : idIn(resource.idField, entry.value))
  const addressIn = ({ exchange, location }: InRecord) => location ?? addressOf(exchange, '')
  const fields: TemplateFields<InRecord> = {
    id: idOf,
    location: addressIn,
    url: context => originOf(context.exchange) + addressIn(context),
    value: ({ entry }) => new JsonText(shown(entry)),
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
  const render = compileTemplate(whole, 'record', { ...fields, [NUMBER]: number })
  return (entry, status, exchange, location) => ({
    status,
    headers: headersOf(location),
    body: render({ entry, exchange, location }),
  })
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
