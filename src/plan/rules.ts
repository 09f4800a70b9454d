// Rules: blocks of behaviours for the requests of an operation that match a condition. This file has their schema;
// `compile-rules.ts` compiles them.

import type { Schema } from '../kernel/schema.ts'
import { behaviourSettings, configurable } from './behaviour-settings.ts'

export interface RuleFile {
  /** A condition in CEL. Absent: the rule matches every request. */
  readonly when?: string
  readonly times?: number
  /** Blocks of behaviours, by name. */
  readonly [behaviour: string]: unknown
}

export const rulesSchema: Schema = {
  type: ['array', 'null'],
  description:
    'Rules in order: the blocks of the first rule whose condition holds override the operation for that request. null switches rules off.',
  items: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      when: {
        type: 'string',
        minLength: 1,
        description:
          'A condition in CEL about `request`, `consumer`, `ordinal`, `nth`, `now` and so on. Default: every request.',
        examples: ['request.body.name == "Crash"', 'ordinal == 2', 'consumer == "frontend"'],
      },
      times: {
        type: 'integer',
        minimum: 1,
        description: 'The number of requests in a world for which the rule applies. Default: unlimited.',
      },
      ...Object.fromEntries(configurable.map(({ name }) => [name, behaviourSettings.get(name)])),
    },
  },
}
