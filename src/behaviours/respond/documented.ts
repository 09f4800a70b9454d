// Answers as the contract documents, where nothing else is configured.

import { responseFor } from '../../contract/contract.ts'
import { problems, refuse } from '../../kernel/http.ts'
import type { Handler, Site } from '../behaviour.ts'

export function compileDocumented({ operation, answers }: Site): Handler {
  if (answers.status === undefined) {
    const reply = refuse(problems.not_simulated, notSimulated(operation.id))
    return async () => reply
  }
  return async exchange => answers.reply(exchange.question())
}

/** Describes that reply: `example`, `generated` or its status. */
export function describeDocumented({ operation, answers }: Site): string {
  const { status } = answers
  const response = status === undefined ? undefined : responseFor(operation, status)
  if (response === undefined) return 'not simulated'
  if (response.content.size === 0) return `${status}`
  return [...response.content.values()].some(({ examples }) => examples.length > 0) ? 'example' : 'generated'
}

export const notSimulated = (operation: string): string =>
  `the contract documents no response of ${operation} that can be sent`
