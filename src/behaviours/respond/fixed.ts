// Answers without records: a configured reply, which is checked against the contract at load; the content of a file, whose name
// determines the media type; an example of the contract; or what the contract documents. The door to mrmime.

import { lookup } from 'mrmime'
import { ANY_QUESTION } from '../../contract/answer/answers.ts'
import { essenceOf, isJson, responseFor, successStatus } from '../../contract/contract.ts'
import { requiredFields } from '../../contract/required-fields.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { type Template, type TemplateContext, textOfFilled } from '../../expression/template.ts'
import { fieldText } from '../../kernel/field-text.ts'
import { type Json, type JsonObject, parsePointer, pointer, stringifyJson } from '../../kernel/json.ts'
import { problemOf, problems } from '../../kernel/problem.ts'
import { type Headers, type Reply, refuse } from '../../kernel/reply.ts'
import type { Handler, Site } from '../behaviour.ts'

type ConfiguredHeaders = Readonly<Record<string, string | number>>

export interface FixedConfig {
  readonly status: number
  readonly headers?: ConfiguredHeaders
  readonly body?: Json
}

export function compileFixed({ status, headers = {}, body }: FixedConfig, site: Site): Handler {
  const { operation, contract, expressions, error } = site
  const documented = responseFor(operation, status)
  const warning = documented === undefined ? checkUndocumented(status, site) : undefined
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const written: JsonObject = body === undefined ? { headers: own } : { headers: own, body }
  const template = expressions.template(written, [], error, { readsRecords: true })
  const [type, media] = [...(documented?.content ?? [])][0] ?? ['application/json', undefined]
  const contentType = Object.entries(own).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? type
  checkFixed(template, body, isJson(contentType) ? media?.schema : undefined, site)
  if (body === undefined && status < 300 && documented !== undefined && documented.content.size > 0) {
    error('missing-body', `the contract documents a body for ${operation.id} ${status}`, ['status'], 'add body:')
  }
  const reply = (values?: readonly Json[]): Reply => {
    const filled = template.fill({}, values) as { readonly headers: JsonObject; readonly body?: Json }
    const all: Record<string, string> = { ...requiredFields(status, operation, contract) }
    for (const [name, value] of Object.entries(filled.headers)) all[name.toLowerCase()] = fieldText(textOfFilled(value))
    if (warning !== undefined) all['understudy-warning'] = warning
    if (filled.body === undefined) {
      return status >= 400 ? bareRefusal(status, site, all) : { status, headers: all, body: undefined }
    }
    const text = isJson(contentType) ? stringifyJson(filled.body) : textOfFilled(filled.body)
    return { status, headers: { 'content-type': contentType, ...all }, body: text }
  }
  if (template.holes.length > 0) return async exchange => reply(await template.evaluate(expressions.scope(exchange)))
  const standing = reply()
  return async () => standing
}

/** Reports a status that the contract does not document: an error; in a rule a warning, because real servers do so too. */
function checkUndocumented(status: number, site: Site): string | undefined {
  const { operation } = site
  const message = `the operation ${operation.id} does not document ${status}`
  const hint = `documented: ${[...operation.responses.keys()].join(', ') || 'nothing'}`
  if (site.anyStatus || (site.rule !== undefined && status >= 400)) {
    // A rule for many operations may suit only some of them; the reply is checked instead.
    if (site.rule === 'own' && !site.anyStatus) site.warn('undocumented-status', message, ['status'], hint)
    return message
  }
  if (status < 500) site.error('undocumented-status', message, ['status'], hint)
  return undefined
}

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
    if (hole !== undefined && (keyword !== 'type' || !hole.alone || hole.expression.type === 'dyn')) continue
    const path = (parsePointer(place) ?? []).map(key => (/^\d+$/.test(key) ? Number(key) : key))
    error('invalid-body', `this reply breaks the contract: ${place || 'the body'} ${message}`, ['body', ...path])
  }
}

/** An error status without a body is a refusal in the API's shape. */
function bareRefusal(status: number, { operation, rule }: Site, headers: Headers): Reply {
  const problem = problemOf(status)
  const fixed = rule === undefined ? `${operation.id} always answers ${status}` : `a rule answers with ${status}`
  return refuse(problem, problem === problems.not_simulated ? notSimulated(operation.id) : fixed, headers, status)
}

const notSimulated = (operation: string): string =>
  `the contract documents no response of ${operation} that can be sent`

export interface FileConfig {
  readonly file: string
  readonly headers?: ConfiguredHeaders
}

export function compileFile({ file, headers = {} }: FileConfig, site: Site): Handler | undefined {
  const { operation } = site
  const bytes = site.readFile(file)
  if (typeof bytes === 'string') {
    site.error('no-such-file', bytes, ['file'])
    return undefined
  }
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  const type = given['content-type'] ?? lookup(file) ?? 'application/octet-stream'
  const status = successStatus(operation, 200)
  const documented = [...(responseFor(operation, status)?.content.keys() ?? [])].map(essenceOf)
  const essence = essenceOf(type)
  const range = `${essence.split('/', 1)[0]}/*`
  if (documented.length > 0 && ![essence, range, '*/*'].some(one => documented.includes(one))) {
    const message = `the operation ${operation.id} does not document ${essence} for ${status}`
    site.warn('undocumented-type', message, ['file'], `documented: ${documented.join(', ')}`)
  }
  const reply = { status, headers: { 'content-type': type, ...given }, body: bytes, bytes: bytes.length }
  return async () => reply
}

/** Answers with an example of the contract, by its name. */
export function compileExample(example: string, { answers, error }: Site): Handler {
  const refused = answers.reply({ ...ANY_QUESTION, example }).refusal
  if (refused !== undefined) error('unknown-example', refused.detail, ['example'])
  return async exchange => answers.reply(exchange.question({ example }))
}

/** Answers as the contract documents, if nothing else is configured. */
export function compileDocumented({ operation, answers }: Site): Handler {
  if (answers.status === undefined) {
    const reply = refuse(problems.not_simulated, notSimulated(operation.id))
    return async () => reply
  }
  return async exchange => answers.reply(exchange.question())
}

export function describeDocumented({ operation, answers }: Site): string {
  const { status } = answers
  const response = status === undefined ? undefined : responseFor(operation, status)
  if (response === undefined) return 'not simulated'
  if (response.content.size === 0) return `${status}`
  return [...response.content.values()].some(({ examples }) => examples.length > 0) ? 'example' : 'generated'
}
