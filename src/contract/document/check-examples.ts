// Validates the contract's examples and defaults against their schemas.

import { parsePointer } from '../../kernel/json.ts'
import { type Contract, isJson } from '../contract.ts'
import { childOf } from '../documents.ts'
import type { ContractReading } from './reading.ts'

export function checkExamples(contract: Contract, reading: ContractReading): void {
  for (const { body, responses, parameters } of contract.operations) {
    const contents = [body?.content, ...[...responses.values()].map(({ content }) => content)]
    for (const [type, { schema, examples }] of contents.flatMap(content => [...(content ?? [])])) {
      if (schema === undefined || !isJson(type)) continue
      for (const { value, node } of examples) {
        const violations = attempt(() => schema.check(value, true)) ?? []
        for (const { pointer: at, message } of violations) {
          reading.warn(
            'invalid-example',
            `this example breaks its schema: ${at || 'it'} ${message}`,
            childOf(node, ...(parsePointer(at) ?? [])),
          )
        }
      }
    }
    for (const { schema, default: fallback, name, node } of parameters) {
      if (fallback === undefined || fallback === null) continue
      for (const { message } of attempt(() => schema.check(fallback, true)) ?? []) {
        reading.warn(
          'invalid-default',
          `the default of ${name} breaks its schema: it ${message}`,
          childOf(node, 'schema', 'default'),
        )
      }
    }
  }
}

/** A schema that does not compile is reported elsewhere. */
function attempt<Result>(check: () => Result): Result | undefined {
  try {
    return check()
  } catch {
    return undefined
  }
}
