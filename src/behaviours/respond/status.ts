// `status: 404`: a fixed reply.

import { type Header, headersOf, responseFor } from '../../contract/contract.ts'
import { essenceOf, isJson } from '../../contract/media-types.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { requiredFields } from '../../contract/security.ts'
import type { Scope } from '../../expression/scope.ts'
import { type Template, type TemplateContext, textOfFilled } from '../../expression/template.ts'
import { type Headers, lowerNames, problemOf, problems, type Reply, refuse } from '../../kernel/http.ts'
import { type Json, type JsonObject, parsePointer, pointer, stringifyJson } from '../../kernel/json.ts'
import type { Handler, Site } from '../behaviour.ts'
import type { Responder } from '../responder.ts'
import { bodySchema, headersSchema, type KeysOf, statusSchema } from './config.ts'
import { compileChoice, notSimulated, writeFields } from './documented.ts'

const keys = {
  status: statusSchema,
  headers: headersSchema,
  body: bodySchema,
}
type StatusConfig = KeysOf<typeof keys>

export const status: Responder<StatusConfig> = {
  kind: 'status',
  keys,
  changes: false,
  onDemand: true,
  compile: compileFixed,
  describe: config => `${config.status}`,
}

function compileFixed(config: StatusConfig, site: Site): Handler {
  const { headers = {}, body } = config
  const status = config.status as number
  const { operation, contract, expressions, error } = site
  const documented = responseFor(operation, status)
  const hasContent = documented !== undefined && documented.content.size > 0
  const known = documented === undefined ? [] : headersOf(documented)
  if (body === undefined && status < 400 && (hasContent || known.length > 0)) return compileChoice(config, site)
  const warning = documented === undefined ? checkUndocumented(status, site) : undefined
  const template = expressions.template({ headers, ...(body !== undefined && { body }) }, [], error)
  const own = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')
  const media = own && documented?.content.get(essenceOf(String(own[1])))
  const [type, usual] = [...(documented?.content ?? [])][0] ?? ['application/json', undefined]
  const contentType = String(own?.[1] ?? type)
  checkFixed(template, body, isJson(contentType) ? (media ?? usual)?.schema : undefined, site)
  if (body !== undefined && (status === 204 || status === 304)) {
    site.warn('idle-key', `a reply with the status ${status} has no body`, ['body'])
  }
  if (body !== undefined) checkHeaders(known, lowerNames(headers), site)
  const reply = (scope?: Scope): Reply => {
    const filled = template.fill({ scope }) as { readonly headers: JsonObject; readonly body?: Json }
    const all = { ...requiredFields(status, operation, contract), ...writeFields(filled.headers) }
    if (warning !== undefined) all['understudy-warning'] = warning
    if (filled.body === undefined) {
      if (status < 400) return { status, headers: all, body: undefined }
      // An error status without a body is a refusal in the API's shape.
      const problem = problemOf(status)
      const fixed =
        site.rule === undefined ? `${operation.id} always answers ${status}` : `a rule answers with ${status}`
      return refuse(problem, problem === problems.not_simulated ? notSimulated(operation.id) : fixed, all, status)
    }
    const text = isJson(contentType) ? stringifyJson(filled.body) : textOfFilled(filled.body)
    return { status, headers: { 'content-type': contentType, ...all }, body: text }
  }
  if (template.holes.length > 0) return async exchange => reply(expressions.scope(exchange))
  const standing = reply()
  return async () => standing
}

/** Reports a status that the contract does not document: an error; in a rule a warning, because real servers do so too. */
function checkUndocumented(status: number, site: Site): string | undefined {
  const { operation } = site
  const message = `the operation ${operation.id} does not document ${status}`
  const hint = `documented: ${[...operation.responses.keys()].join(', ') || 'nothing'}`
  if (site.onDemand || (site.rule !== undefined && status >= 400)) {
    // A rule for many operations may suit only some of them; the reply is checked instead.
    if (site.rule === 'own' && !site.onDemand) site.warn('undocumented-status', message, ['status'], hint)
    return message
  }
  if (status < 500) site.error('undocumented-status', message, ['status'], hint)
  return undefined
}

/** Reports the required headers that a fixed reply lacks: it is sent as its author wrote it. */
export function checkHeaders(documented: readonly Header[], written: Headers, { operation, warn }: Site): void {
  for (const { name, required } of documented) {
    if (!required || written[name.toLowerCase()] !== undefined) continue
    const message = `the contract requires the header ${name} of this reply of ${operation.id}`
    warn('missing-header', message, [], `write it below "headers"`)
  }
}

/** Types of expressions whose values have one type of JSON. */
const SCALARS = new Set(['string', 'int', 'double', 'bool'])

/** Validates the body; expressions, as far as their types are known. */
function checkFixed(
  { holes, fill }: Template<TemplateContext>,
  body: Json | undefined,
  schema: SchemaUse | undefined,
  { error }: Site,
): void {
  if (body === undefined || schema === undefined) return
  const filled = fill({}) as JsonObject
  for (const { pointer: place, keyword, message } of schema.check(filled.body, true) ?? []) {
    const hole = holes.find(({ path }) => pointer(path) === `/body${place}`)
    if (hole !== undefined && (keyword !== 'type' || !hole.alone || !SCALARS.has(hole.expression.type))) continue
    const path = (parsePointer(place) ?? []).map(key => (/^\d+$/.test(key) ? Number(key) : key))
    error('invalid-body', `this reply breaks the contract: ${place || 'the body'} ${message}`, ['body', ...path])
  }
}
