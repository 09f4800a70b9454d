// Checks requests by the contract alone, for those that are not answered: settings of the simulation do not count.

import type { Exchange } from '../../behaviours/exchange.ts'
import { compileBody, compileParameters } from '../../behaviours/validate/index.ts'
import type { Operation } from '../../contract/contract.ts'
import { type BrokenRule, describeRule, problems, type Reply, refuse } from '../../kernel/http.ts'

/** Returns the rules that a request breaks, or the refusal of a body that cannot be read. */
export type RequestCheck = (exchange: Exchange, parts: 'all' | 'parameters') => Promise<readonly BrokenRule[] | Reply>

export function compileRequestCheck(operation: Operation, maxBody: number): RequestCheck {
  const readParameters = compileParameters(operation, {})
  const invalid = ([first]: readonly BrokenRule[]) =>
    refuse(problems.invalid_request, describeRule(first as BrokenRule))
  const body = compileBody(operation, 'refuse', maxBody, invalid)
  return async (exchange, parts) => {
    const { path = [], rest = [] } = readParameters?.(exchange) ?? {}
    if (parts === 'parameters' || body === undefined) return [...path, ...rest]
    const outcome = exchange.request.hasBody ? await body.read(exchange) : (body.absent?.(exchange) ?? [])
    return 'status' in outcome ? outcome : [...path, ...rest, ...outcome]
  }
}
