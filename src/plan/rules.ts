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
    'The first rule whose condition a request fulfils lays its blocks over the operation, for this request. null switches rules off.',
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
        description: 'The rule holds for this many requests of a world, and then no more. Default: without end.',
      },
      ...Object.fromEntries(configurable.map(({ name }) => [name, behaviourSettings.get(name)])),
    },
  },
}
