// Answers with what the configuration says, checked against the contract at load.

import { isJson, responseFor } from '../../contract/contract.ts'
import { type Json, stringifyJson } from '../../kernel/json.ts'
import { problemOf, problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import { unfilled } from '../../kernel/template.ts'
import type { Handler, Site } from '../behaviour.ts'

export interface FixedConfig {
  readonly status: number
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Json
}

const SENT_AS_WRITTEN = 'a fixed reply is sent as it is written; environment variables have upper-case names'

export function compileFixed({ status, headers = {}, body }: FixedConfig, site: Site): Handler {
  const { operation } = site
  const documented = responseFor(operation, status)
  if (documented === undefined && status < 500) {
    const hint = `documented: ${[...operation.responses.keys()].join(', ') || 'nothing'}`
    site.error('undocumented-status', `the operation ${operation.id} does not document ${status}`, ['status'], hint)
  }
  for (const { path, part, message, hint } of unfilled({ headers, body }, [], SENT_AS_WRITTEN)) {
    site.error('unknown-placeholder', message, path, hint, part)
  }
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]))
  if (body === undefined) {
    const reply = status >= 400 ? bare(status, site, given) : { status, headers: given, body: undefined }
    if (status < 300 && documented !== undefined && documented.content.size > 0) {
      site.error(
        'missing-body',
        `the contract has ${operation.id} answer ${status} with a body`,
        ['status'],
        'add body:',
      )
    }
    return async () => reply
  }
  const [type, media] = [...(documented?.content ?? [])][0] ?? ['application/json', undefined]
  const contentType = given['content-type'] ?? type
  if (isJson(contentType)) {
    for (const { pointer, message } of media?.schema?.check(body, true) ?? []) {
      const at = pointer === '' ? 'the body' : pointer
      site.error('invalid-body', `this reply breaks the contract: ${at} ${message}`, ['body', ...keysOf(pointer)])
    }
  }
  const text = isJson(contentType) || typeof body !== 'string' ? stringifyJson(body) : body
  const reply: Reply = { status, headers: { 'content-type': contentType, ...given }, body: text }
  return async () => reply
}

/** An error status without a body is a refusal, in the shape of all refusals. */
function bare(status: number, { operation }: Site, headers: Record<string, string>): Reply {
  const problem = problemOf(status)
  const detail =
    problem === problems.not_simulated ? notSimulated(operation.id) : `${operation.id} always answers ${status}`
  return refuse(problem, detail, headers, status)
}

export const notSimulated = (operation: string): string =>
  `the operation ${operation} is known, but nothing says what it answers`

const keysOf = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map(key => (/^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~')))
