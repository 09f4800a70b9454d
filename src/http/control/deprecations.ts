// Reports the callers of deprecated operations.

import { deprecationsAsCsv, describeDeprecations, formatDeprecations } from '../../gateway/deprecations.ts'
import { parseMoment } from '../../world/world-clock.ts'
import { json, problem, text } from './replies.ts'
import type { Control, ControlRoute } from './route.ts'
import { count, list, object, words } from './schemas.ts'

const caller = {
  consumer: { type: ['string', 'null'], description: 'null for calls of unknown consumers.' },
  calls: count,
  firstSeen: { ...words, description: "By the world's clock." },
  lastSeen: words,
}

const reportSchema = object({
  at: { ...words, description: 'The moment from which days are counted.' },
  operations: list(
    object(
      {
        operation: words,
        method: words,
        path: words,
        since: words,
        sunset: words,
        daysLeft: {
          type: 'integer',
          description: 'Days until the sunset, one that has begun counted; negative after it.',
        },
        calls: { ...count, description: 'Live ones, here and below: neither in a sandbox nor at another time.' },
        consumers: list(object(caller)),
        rehearsed: { ...count, description: 'Calls in sandboxes, or at another time than the real one.' },
      },
      ...['since', 'sunset', 'daysLeft'],
    ),
  ),
  inputs: {
    ...list(object({ operation: words, input: words, ...caller })),
    description: 'Deprecated parameters and fields of bodies, as far as anybody used them.',
  },
})

export const deprecationRoutes = ({ gateway }: Control): ControlRoute[] => [
  {
    method: 'GET',
    path: '/deprecations',
    operation: 'getDeprecations',
    underWorkers: 'absent',
    summary: 'Every deprecated operation with the consumers that still call it, and the days that are left.',
    parameters: {
      at: {
        schema: { type: 'string' },
        description:
          "Counts days from then: a date, a timestamp, or an offset such as `+30d`. Default: the default world's time.",
      },
    },
    replies: {
      200: {
        description: 'The report.',
        content: { 'application/json': reportSchema, 'text/plain': { type: 'string' }, 'text/csv': { type: 'string' } },
      },
    },
    answer: call => {
      const now = gateway.worlds.default.clock.now()
      const { at } = call.parameters as { at?: string }
      const moment = at === undefined ? now : parseMoment(at, now)
      if (moment === undefined) {
        return problem(400, 'invalid_request', `at must be a date, a timestamp or an offset such as +30d, not "${at}"`)
      }
      const report = describeDeprecations(gateway.plan, gateway.metrics.deprecations, moment)
      if (call.prefers('text/csv')) return { ...text(deprecationsAsCsv(report)), type: 'text/csv; charset=utf-8' }
      return call.prefers('text/plain') ? text(formatDeprecations(report)) : json(report)
    },
  },
]
