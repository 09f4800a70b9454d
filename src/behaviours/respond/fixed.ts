// Answers with a configured reply, which is checked against the contract at load.

import { lookup } from 'mrmime'
import { ANY_QUESTION } from '../../contract/answer/answers.ts'
import { essenceOf, isJson, responseFor, successStatus } from '../../contract/contract.ts'
import { requiredFields } from '../../contract/required-fields.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import type { Hole, Template } from '../../expression/template.ts'
import { fieldText } from '../../kernel/field-text.ts'
import { isObject, type Json, parsePointer, pointer, stringifyJson } from '../../kernel/json.ts'
import { problemOf, problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import { keysWithHoles } from '../../kernel/template.ts'
import type { Handler, Site } from '../behaviour.ts'

export interface FixedConfig {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Json
}

export function compileFixed({ status, headers = {}, body }: FixedConfig, site: Site): Handler {
  const { operation } = site
  const documented = responseFor(operation, status)
  const warning = documented === undefined ? checkUndocumented(status, site) : undefined
  const told: Readonly<Record<string, string>> = warning === undefined ? {} : { 'understudy-warning': warning }
  const own = compileHeaders(headers, site)
  const fields = { ...own, fixed: { ...requiredFields(status, operation, site.contract), ...own.fixed } }
  if (body === undefined) {
    if (status < 300 && documented !== undefined && documented.content.size > 0) {
      site.error('missing-body', `the contract documents a body for ${operation.id} ${status}`, ['status'], 'add body:')
    }
    return respondWith(site, fields, given =>
      status >= 400
        ? bare(status, site, { ...given, ...told })
        : { status, headers: { ...given, ...told }, body: undefined },
    )
  }
  const [type, media] = [...(documented?.content ?? [])][0] ?? ['application/json', undefined]
  const contentType = 'content-type' in fields.fixed ? (fields.fixed['content-type'] as string) : type
  const template = compileBody(body, isJson(contentType) ? media?.schema : undefined, site)
  const textOf = (value: Json) => (isJson(contentType) || typeof value !== 'string' ? stringifyJson(value) : value)
  return respondWith(
    site,
    fields,
    (given, text) => ({ status, headers: { 'content-type': contentType, ...given, ...told }, body: text as string }),
    template,
    textOf,
  )
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

/** Header fields by lower-case name: constant ones, and ones with expressions. */
interface HeaderFields {
  readonly fixed: Readonly<Record<string, string>>
  readonly filled: readonly (readonly [name: string, template: Template])[]
}

function compileHeaders(headers: Readonly<Record<string, string | number>>, site: Site): HeaderFields {
  const fixed: Record<string, string> = {}
  const filled: (readonly [string, Template])[] = []
  for (const [name, value] of Object.entries(headers)) {
    const template = site.expressions.template(String(value), ['headers', name], site.error)
    if (template.holes.length > 0) filled.push([name.toLowerCase(), template])
    else fixed[name.toLowerCase()] = String(value)
  }
  return { fixed, filled }
}

/** Compiles the body and validates it; for expressions, as far as their types are known. */
function compileBody(body: Json, schema: SchemaUse | undefined, site: Site): Template {
  const template = site.expressions.template(body, ['body'], site.error)
  for (const { path, part, message, hint } of keysWithHoles(body)) {
    site.error('unknown-placeholder', message, ['body', ...path], hint, part)
  }
  const holes = new Map(template.holes.map(hole => [pointer(hole.path), hole] as const))
  const probe = withTypes(body, holes)
  for (const violation of schema?.check(probe, true) ?? []) {
    const hole = holes.get(violation.pointer)
    if (hole !== undefined && (violation.keyword !== 'type' || !hole.alone || hole.expression.type === 'dyn')) continue
    const at = violation.pointer === '' ? 'the body' : violation.pointer
    const message = `this reply breaks the contract: ${at} ${violation.message}`
    site.error('invalid-body', message, ['body', ...keysOf(violation.pointer)])
  }
  return template
}

/** Returns the template with a sample value for each expression. */
function withTypes(value: Json, holes: ReadonlyMap<string, Hole>, at = ''): Json {
  const hole = holes.get(at)
  if (hole !== undefined) return hole.alone ? (SAMPLES[hole.expression.type.replace(/<.*/s, '')] ?? null) : 'text'
  if (Array.isArray(value)) return value.map((item, i) => withTypes(item, holes, `${at}/${i}`))
  if (!isObject(value)) return value
  const members = Object.entries(value as Record<string, Json>)
  return Object.fromEntries(members.map(([name, one]) => [name, withTypes(one, holes, at + pointer([name]))]))
}

const SAMPLES: Readonly<Record<string, Json>> = { string: 'text', int: 1, double: 0.5, bool: true, list: [], map: {} }

/** Answers with a constant value, or with one that is filled in for each request. */
function respondWith(
  site: Site,
  { fixed, filled }: HeaderFields,
  reply: (headers: Readonly<Record<string, string>>, body?: string) => Reply,
  template?: Template,
  textOf: (value: Json) => string = stringifyJson,
): Handler {
  if (filled.length === 0 && (template === undefined || template.holes.length === 0)) {
    const text = template === undefined ? undefined : textOf(template.fill(NO_SCOPE) as Json)
    const standing = reply(fixed, text)
    return async () => standing
  }
  return async exchange => {
    const scope = site.expressions.scope(exchange)
    const headers: Record<string, string> = { ...fixed }
    for (const [name, one] of filled) headers[name] = headerText(await one.fill(scope))
    return reply(headers, template === undefined ? undefined : textOf(await template.fill(scope)))
  }
}

const NO_SCOPE = undefined as never

/** Returns a value as a header field. */
const headerText = (value: Json): string => fieldText(typeof value === 'string' ? value : stringifyJson(value))

/** An error status without a body is a refusal in the API's shape. */
function bare(status: number, { operation, rule }: Site, headers: Record<string, string>): Reply {
  const problem = problemOf(status)
  const fixed = rule === undefined ? `${operation.id} always answers ${status}` : `a rule answers with ${status}`
  const detail = problem === problems.not_simulated ? notSimulated(operation.id) : fixed
  return refuse(problem, detail, headers, status)
}

export const notSimulated = (operation: string): string =>
  `the contract documents no response of ${operation} that can be sent`

const keysOf = (pointer: string): (string | number)[] =>
  (parsePointer(pointer) ?? []).map(key => (/^\d+$/.test(key) ? Number(key) : key))

// Answers with the content of a file. The file's name determines the media type. The door to mrmime.

export interface FileConfig {
  readonly file: string
  readonly headers?: Readonly<Record<string, string | number>>
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

// Answers with an example of the contract, by its name.

export function compileExample(example: string, site: Site): Handler {
  const { answers } = site
  const refused = answers.reply({ ...ANY_QUESTION, example }).refusal
  if (refused !== undefined) site.error('unknown-example', refused.detail, ['example'])
  return async exchange => answers.reply(exchange.question({ example }))
}

// Answers from the contract, if nothing else is configured.

export function compileAnswer({ operation, answers }: Site): Handler {
  if (answers.status === undefined) {
    const reply = refuse(problems.not_simulated, notSimulated(operation.id))
    return async () => reply
  }
  return async exchange => answers.reply(exchange.question())
}

export function describeAnswer({ operation, answers }: Site): string {
  const { status } = answers
  const response = status === undefined ? undefined : responseFor(operation, status)
  if (response === undefined) return 'not simulated'
  if (response.content.size === 0) return `${status}`
  return [...response.content.values()].some(({ examples }) => examples.length > 0) ? 'example' : 'generated'
}
