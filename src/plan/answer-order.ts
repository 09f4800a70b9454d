// The type and the schema of an order for answers at run time. `compile-answer.ts` makes a handler of it.

import type { FaultSpec } from '../behaviours/fault.ts'
import type { Json } from '../kernel/json.ts'
import type { Schema } from '../kernel/schema.ts'
import { behaviourSettings } from './behaviour-settings.ts'

export interface AnswerOrder {
  /** An operationId, or a method and a path: `POST /books`. */
  readonly operation?: string
  readonly method?: string
  readonly path?: string
  readonly tag?: string
  readonly when?: string
  readonly consumer?: string
  readonly reply?: AnswerReply
  readonly delay?: string
  readonly fault?: FaultSpec
  readonly skip?: number
  readonly times?: number | null
  readonly for?: string
}

export interface AnswerReply {
  readonly status?: number
  readonly example?: string
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Json
}

const text = (description: string) => ({ type: 'string', minLength: 1, description })

export const answerSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    operation: text('An operationId, or a method and a path template: `POST /books`. Default: every operation.'),
    method: { enum: ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE', 'QUERY'] },
    path: text('With `method`, a path as it is sent, base path included: `/v1/books/7`.'),
    tag: text('Answers only the operations with this tag.'),
    when: text('A condition in CEL, as rules have it: `request.body.title == "Dune"`. Default: every request.'),
    consumer: text('Answers only requests of this consumer.'),
    reply: {
      type: 'object',
      description:
        'The reply instead of the usual one; the operation is not executed. Without a body it is an example of the contract for this status, or a value generated from its schema; an undocumented status of 400 or more is a refusal.',
      additionalProperties: false,
      minProperties: 1,
      properties: {
        status: { type: 'integer', minimum: 200, maximum: 599, description: 'Any status, documented or not.' },
        example: text('The name of an example of the contract.'),
        headers: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
        body: {
          description:
            'The body, checked against the contract if it documents the status; ${…} is an expression in CEL.',
        },
      },
    },
    delay: { type: 'string', format: 'duration', description: 'Additional time before the reply.' },
    fault: {
      ...(behaviourSettings.get('fault') as { readonly [keyword: string]: unknown }),
      type: 'object',
      description: 'The fault to inject, written as `fault` in gateway.yaml.',
    },
    skip: {
      type: 'integer',
      minimum: 0,
      description: 'How many requests are answered as usual before the first that it answers. Default: 0.',
    },
    times: {
      type: ['integer', 'null'],
      minimum: 1,
      description: 'The number of requests that it answers; null: all, until it is removed. Default: 1.',
    },
    for: {
      type: 'string',
      format: 'duration',
      description: 'The real time after which it expires. Default: it does not expire.',
    },
  },
}
