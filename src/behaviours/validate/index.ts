// Validates a request against the contract: parameters, then the body. One refusal names every broken rule.

import { type BrokenRule, problems } from '../../kernel/problem.ts'
import type { Reply } from '../../kernel/reply.ts'
import type { Behaviour } from '../behaviour.ts'
import { compileBody } from './body.ts'
import { compileParameters, type ValidateConfig } from './parameters.ts'

export const validate: Behaviour<ValidateConfig> = {
  name: 'validate',
  problems: [problems.invalid_request, problems.not_found, problems.payload_too_large, problems.unsupported_media_type],
  schema: {
    type: 'object',
    description:
      'Checks requests against the contract; null accepts every request, and responders then get no parameters.',
    additionalProperties: false,
    properties: {
      invalidQuery: {
        enum: ['refuse', 'ignore'],
        description:
          'What to do with a query parameter that breaks its schema: refuse the request, or ignore the parameter. Default: refuse.',
      },
      undocumentedQuery: {
        enum: ['ignore', 'refuse'],
        description: 'What to do with a query parameter that the contract does not document. Default: ignore.',
      },
      undocumentedBody: {
        enum: ['refuse', 'ignore'],
        description: 'How to treat an undocumented body: refuse it with 415, or ignore it. Default: refuse.',
      },
      status: {
        enum: [400, 422],
        description: 'The status of an invalid request if the operation documents neither 400 nor 422. Default: 400.',
      },
      replies: {
        enum: ['off', 'warn', 'refuse'],
        description:
          'What to do with a reply that breaks the contract, including refusals, chosen replies and status faults: send it (`off`), add `Understudy-Warning` (`warn`), or answer 500 instead (`refuse`). Default: off.',
      },
    },
  },
  compile(config, { operation, maxBody, invalid }) {
    const readParameters = compileParameters(operation, config ?? {})
    const readBody = compileBody(operation, config ?? {}, maxBody, invalid)
    return next => exchange => {
      const { path, rest } = readParameters(exchange)
      if (path.length > 0) return Promise.resolve(invalid(path))
      if (readBody === undefined) return rest.length === 0 ? next(exchange) : Promise.resolve(invalid(rest))
      return readBody(exchange).then(outcome => {
        if (!Array.isArray(outcome)) return outcome as Reply
        const all: readonly BrokenRule[] = rest.length === 0 ? outcome : [...rest, ...outcome]
        return all.length === 0 ? next(exchange) : invalid(all)
      })
    }
  },
}
