// The calendar of a world.

import { calendarOf } from '../../gateway/world-calendar.ts'
import { DAY } from '../../world/clock.ts'
import { parseMoment } from '../../world/world-clock.ts'
import { inWorld, nameParameter, noSuchWorld } from './find-world.ts'
import { json, problem } from './replies.ts'
import type { Control, ControlRoute } from './route.ts'
import { count, list, object, replyWith, words } from './schemas.ts'

const moment = { type: 'string', format: 'date-time' } as const

const eventSchema = object(
  {
    at: { ...moment, description: "By the world's clock." },
    until: { ...moment, description: 'The end of a brown-out.' },
    kind: { enum: ['deprecated', 'brown-out', 'sunset', 'key-expiry', 'state'] },
    operation: words,
    consumer: words,
    collection: words,
    record: { ...words, description: 'The id of the record whose state changes.' },
    from: words,
    to: words,
    status: { type: 'integer', description: 'What the operation answers then.' },
    text: words,
  },
  ...['until', 'operation', 'consumer', 'collection', 'record', 'from', 'to', 'status'],
)
const calendarSchema = object({
  now: { ...moment, description: 'What the clock of the world shows.' },
  next: { anyOf: [eventSchema, { type: 'null' }], description: 'The first event that is still to come.' },
  events: { ...list(eventSchema), description: 'In the order of their beginnings.' },
  omitted: { ...count, description: 'How many more there are.' },
})

/** Milliseconds before the time of the world at which a calendar begins. */
const LOOK_BACK = 30 * DAY
/** Milliseconds after the time of the world at which it ends. */
const LOOK_AHEAD = 20 * 366 * DAY

const when = (description: string) =>
  ({
    schema: { type: 'string', maxLength: 100 },
    description: `A date, a timestamp or an offset. Default: ${description}.`,
  }) as const

export const calendarRoutes = ({ gateway }: Control): ControlRoute[] => [
  {
    method: 'GET',
    path: '/worlds/{name}/calendar',
    operation: 'getCalendar',
    underWorkers: 'absent',
    summary:
      'Deprecations, brown-outs, sunsets, expiries of credentials and timed states of records, by the clock of a world.',
    parameters: {
      ...nameParameter,
      from: when("30 days before the world's time"),
      until: when("20 years after the world's time"),
      limit: { schema: { type: 'integer', minimum: 1, maximum: 10_000 }, description: 'Default: 500.' },
    },
    replies: { 200: replyWith('The calendar.', calendarSchema), ...noSuchWorld },
    answer: inWorld(gateway.worlds, (world, { parameters }) => {
      const now = world.clock.now()
      const { from, until, limit = 500 } = parameters as { from?: string; until?: string; limit?: number }
      const begin = from === undefined ? now - LOOK_BACK : parseMoment(from, now)
      const end = until === undefined ? now + LOOK_AHEAD : parseMoment(until, now)
      if (begin === undefined || end === undefined) {
        const name = begin === undefined ? 'from' : 'until'
        return problem(400, 'invalid_request', `"${name}" must be a date, a timestamp or an offset such as +30d`)
      }
      return json(calendarOf(gateway.plan, world, begin, end, limit))
    }),
  },
]
