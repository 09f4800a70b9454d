// Answers from the contract, if nothing else is configured.

import { responseFor } from '../../contract/contract.ts'
import { problems } from '../../kernel/problem.ts'
import { refuse } from '../../kernel/reply.ts'
import type { Handler, Site } from '../behaviour.ts'
import { notSimulated } from './fixed.ts'

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
