// Answers without records: a configured reply, which is checked against the contract at load; the content of a file, whose name
// determines the media type; an example of the contract; or what the contract documents. The door to mrmime.

import { lookup } from 'mrmime'
import { ANY_QUESTION } from '../../contract/answer/answers.ts'
import { essenceOf, isJson, responseFor, successStatus } from '../../contract/contract.ts'
import { requiredFields } from '../../contract/required-fields.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { type Template, type TemplateContext, textOfFilled } from '../../expression/template.ts'
import { fieldText } from '../../kernel/field-text.ts'
import { type Json, parsePointer, pointer } from '../../kernel/json.ts'
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
  const told: Headers = warning === undefined ? {} : { 'understudy-warning': warning }
  const fields = Object.entries(headers).map(
    ([name, value]) =>
      [
        name.toLowerCase(),
        expressions.template(String(value), ['headers', name], error, { readsRecords: true }),
      ] as const,
  )
  const filled = fields.filter(([, { holes }]) => holes.length > 0)
  const constant: Record<string, string> = { ...requiredFields(status, operation, contract) }
  for (const [name, { holes, fill }] of fields) if (holes.length === 0) constant[name] = String(fill({}))
  const [type, media] = [...(documented?.content ?? [])][0] ?? ['application/json', undefined]
  const contentType = constant['content-type'] ?? type
  const template =
    body === undefined ? undefined : compileFixedBody(body, isJson(contentType) ? media?.schema : undefined, site)
  if (body === undefined && status < 300 && documented !== undefined && documented.content.size > 0) {
    error('missing-body', `the contract documents a body for ${operation.id} ${status}`, ['status'], 'add body:')
  }
  const reply = (given: Headers, text: string | undefined): Reply => {
    const all = { ...given, ...told }
    if (text !== undefined) return { status, headers: { 'content-type': contentType, ...all }, body: text }
    return status >= 400 ? bareRefusal(status, site, all) : { status, headers: all, body: undefined }
  }
  const isText = !isJson(contentType) && typeof body === 'string'
  const textOf = (context: TemplateContext, values?: readonly Json[]): string | undefined =>
    isText ? textOfFilled(template?.fill(context, values)) : template?.write(context, values)
  if (filled.length === 0 && (template?.holes.length ?? 0) === 0) {
    const standing = reply(constant, textOf({}))
    return async () => standing
  }
  return async exchange => {
    const scope = expressions.scope(exchange)
    const given = { ...constant }
    for (const [name, one] of filled) given[name] = fieldText(textOfFilled(one.fill({}, await one.evaluate(scope))))
    return reply(given, template && textOf({}, await template.evaluate(scope)))
  }
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

/** Compiles the body and validates it; for expressions, as far as their types are known. */
function compileFixedBody(body: Json, schema: SchemaUse | undefined, site: Site): Template<TemplateContext> {
  const template = site.expressions.template(body, ['body'], site.error, { readsRecords: true })
  const holes = new Map(template.holes.map(hole => [pointer(hole.path), hole] as const))
  for (const violation of schema?.check(template.fill({}), true) ?? []) {
    const hole = holes.get(violation.pointer)
    if (hole !== undefined && (violation.keyword !== 'type' || !hole.alone || hole.expression.type === 'dyn')) continue
    const message = `this reply breaks the contract: ${violation.pointer || 'the body'} ${violation.message}`
    const path = (parsePointer(violation.pointer) ?? []).map(key => (/^\d+$/.test(key) ? Number(key) : key))
    site.error('invalid-body', message, ['body', ...path])
  }
  return template
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
