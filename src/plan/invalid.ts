// Refuses invalid requests. One rule decides their status, whichever behaviour finds the mistake.

import type { Invalid } from '../behaviours/behaviour.ts'
import type { Operation } from '../contract/contract.ts'
import { describeRule, problems } from '../kernel/problem.ts'

/** The maximum number of broken rules in a refusal; further ones are counted. */
const MOST_RULES = 20

/**
 * Compiles the refusal of invalid requests to an operation. A parameter of the path that cannot name anything is a 404
 * where the operation documents one. Everything else gets 400, or 422 where only that is documented.
 *
 * @param fallback the status if the operation documents neither 400 nor 422
 */
export function compileInvalid({ responses }: Operation, fallback: 400 | 422 = 400): Invalid {
  const status = [400, 422].find(one => responses.has(`${one}`)) ?? fallback
  const unidentified = responses.has('404')
  return rules => {
    const errors = rules.slice(0, MOST_RULES)
    const sentences = errors.map(describeRule).join('; ')
    const detail = rules.length > MOST_RULES ? `${sentences}; and ${rules.length - MOST_RULES} more` : sentences
    const notFound = unidentified && rules[0]?.in === 'path'
    const problem = notFound ? problems.not_found : problems.invalid_request
    const refusal = { problem, status: notFound ? 404 : status, detail, errors }
    return { status: refusal.status, headers: {}, body: undefined, refusal }
  }
}
