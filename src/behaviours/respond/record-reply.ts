// Writes a record as a reply: bare, or in the envelope that the configuration names.

import { isJson, responseFor, successStatus } from '../../contract/contract.ts'
import type { Json } from '../../kernel/json.ts'
import { type Headers, JSON_HEADERS, JSON_TYPE, type Reply } from '../../kernel/reply.ts'
import { compileTemplate, JsonText, type TemplateFields, unfilled } from '../../kernel/template.ts'
import { type Entry, idIn } from '../../world/collection.ts'
import type { Exchange, Site } from '../behaviour.ts'
import type { ACTIONS } from './action-config.ts'
import { schemaBelow } from './branch.ts'
import { completeTemplate, NOTHING_KNOWN } from './complete-template.ts'
import { replaceExpressions } from './expression-holes.ts'
import type { Resource } from './resource.ts'
import { compileShown } from './shown.ts'
import { recordPath } from './wrapping.ts'

/** A record as a reply. */
export type Give = (entry: Entry, status: number, exchange: Exchange, location?: string) => Reply

interface InRecord {
  readonly entry: Entry
  readonly exchange: Exchange
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
  const fields: TemplateFields<InRecord> = {
    id: ({ entry }) => String(resource.within.length === 0 ? entry.id : idIn(resource.idField, entry.value)),
    value: ({ entry }) => new JsonText(shown(entry)),
    ...inBody,
  }
  const known = Object.keys(fields).map(name => `record.${name}`)
  for (const { path, part, message, hint } of unfilled({ body }, known)) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const whole = node === undefined ? body : completeTemplate(body, node, contract, NOTHING_KNOWN)
  const render = compileTemplate(whole, 'record', fields)
  return (entry, status, exchange, location) => ({
    status,
    headers: headersOf(location),
    body: render({ entry, exchange }),
  })
}

const headersOf = (location: string | undefined): Headers =>
  location === undefined ? JSON_HEADERS : { 'content-type': JSON_TYPE, location }
