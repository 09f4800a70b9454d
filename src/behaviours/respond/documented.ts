// Answers as the contract documents, where nothing else is configured.

import { ANY_QUESTION } from '../../contract/answer/answers.ts'
import { responseFor } from '../../contract/contract.ts'
import type { Scope } from '../../expression/scope.ts'
import { textOfFilled } from '../../expression/template.ts'
import { fieldText, problems, refuse, withHeaders } from '../../kernel/http.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Handler, Site } from '../behaviour.ts'

export function compileDocumented({ operation, answers }: Site): Handler {
  if (answers.status === undefined) {
    const reply = refuse(problems.not_simulated, notSimulated(operation.id))
    return async () => reply
  }
  return async exchange => {
    const items = exchange.choice?.items
    if (items === undefined) return answers.reply(exchange.question())
    const reply = answers.reply(exchange.question({ items, dynamic: true, seed: '' }))
    return withHeaders(reply, { 'preference-applied': `items=${items}` })
  }
}

/** A choice among the replies of the contract, and further headers, in which `${…}` is filled in. */
interface Choice {
  readonly status?: number
  readonly example?: string
  readonly headers?: Readonly<Record<string, string | number>>
}

/** Answers with a reply that the contract documents. */
export function compileChoice({ status, example, headers = {} }: Choice, site: Site): Handler {
  const { answers, expressions, error } = site
  const refused = answers.reply({ ...ANY_QUESTION, status, example }).refusal
  if (refused !== undefined) error('unknown-example', refused.detail, [example === undefined ? 'status' : 'example'])
  if (Object.keys(headers).length === 0) return async exchange => answers.reply(exchange.question({ status, example }))
  const template = expressions.template({ headers }, [], error)
  const fieldsFor = (scope?: Scope) => writeFields((template.fill({ scope }) as { headers: JsonObject }).headers)
  const fixed = template.holes.length > 0 ? undefined : fieldsFor()
  return async exchange => {
    const reply = answers.reply(exchange.question({ status, example }))
    return withHeaders(reply, fixed ?? fieldsFor(expressions.scope(exchange)))
  }
}

/** Writes the headers of a reply, with their names in lower case. */
export const writeFields = (headers: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), fieldText(textOfFilled(value))]),
  )

/** Describes the usual reply: `example`, `generated` or its status. */
export function describeDocumented({ operation, answers }: Site): string {
  const { status } = answers
  const response = status === undefined ? undefined : responseFor(operation, status)
  if (response === undefined) return 'not simulated'
  if (response.content.size === 0) return `${status}`
  return [...response.content.values()].some(({ examples }) => examples.length > 0) ? 'example' : 'generated'
}

export const notSimulated = (operation: string): string =>
  `the contract documents no response of ${operation} that can be sent`
