// Answers with the contract's own example, where nothing else is configured.

import { isJson, type Operation, successStatus } from '../../contract/contract.ts'
import { stringifyJson } from '../../kernel/json.ts'
import { problems } from '../../kernel/problem.ts'
import { type Reply, refuse } from '../../kernel/reply.ts'
import type { Handler } from '../behaviour.ts'
import { notSimulated } from './fixed.ts'

export function compileExample(operation: Operation): Handler {
  const reply = exampleOf(operation) ?? refuse(problems.not_simulated, notSimulated(operation.id))
  return async () => reply
}

/** The first example of the operation's success; a documented success without content needs none. */
export function exampleOf(operation: Operation): Reply | undefined {
  const status = successStatus(operation, 200)
  const response = operation.responses.get(`${status}`)
  if (response === undefined) return undefined
  if (response.content.size === 0) return { status, headers: {}, body: undefined }
  for (const [type, { examples }] of response.content) {
    const example = examples[0]
    if (example === undefined) continue
    const text = isJson(type) || typeof example.value !== 'string' ? stringifyJson(example.value) : example.value
    return { status, headers: { 'content-type': type }, body: text }
  }
  return undefined
}
