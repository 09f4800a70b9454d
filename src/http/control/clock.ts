// Reads and sets the clock of a world.

import { calendarOf } from '../../gateway/world-calendar.ts'
import { DAY, timestamp } from '../../world/clock.ts'
import { type ClockWords, parseMoment, readClockChange, type WorldClock } from '../../world/world-clock.ts'
import { inMadeWorld, inWorld, nameParameter, noNewWorld, noSuchWorld } from './find-world.ts'
import { count, DONE, json, list, object, problem, replyWith, words } from './replies.ts'
import type { Control, ControlRoute } from './route.ts'

export const clockSchema = object({
  now: { type: 'string', format: 'date-time', description: 'The time of the clock.' },
  real: { type: 'boolean', description: 'Whether the clock shows real time.' },
  frozen: { type: 'boolean' },
  rate: { type: 'number', minimum: 0, description: 'Seconds of the world in a real second; 0 if the clock is frozen.' },
})

export const describeClock = ({ state }: WorldClock): object => ({ ...state, now: timestamp(state.now) })

/** The schema of a clock's change, in snapshots too. */
export const clockWordsSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    now: {
      type: 'string',
      description: 'A date, a timestamp, or a signed offset from its time: 2030-12-06, +30d. It continues from there.',
    },
    shift: { type: 'string', description: 'An offset from real time, or from `now`: 30d, -12h.' },
    freeze: { type: 'boolean', description: 'Whether the clock is frozen.' },
    rate: { type: 'number', description: 'Seconds of the world in a real second. Default: 1.' },
  },
} as const

export const clockRoutes = ({ gateway: { worlds } }: Control): ControlRoute[] => [
  {
    method: 'GET',
    path: '/worlds/{name}/clock',
    operation: 'getClock',
    underWorkers: 'shared',
    summary: 'The time in a world.',
    parameters: nameParameter,
    replies: { 200: replyWith('The clock.', clockSchema), ...noSuchWorld },
    answer: inWorld(worlds, ({ clock }) => json(describeClock(clock))),
  },
  {
    method: 'PUT',
    path: '/worlds/{name}/clock',
    operation: 'setClock',
    underWorkers: 'shared',
    summary:
      'Sets, shifts, freezes or speeds up the clock of a world. Without a new time it continues from the current one.',
    parameters: nameParameter,
    body: { description: 'The change of the clock.', schema: clockWordsSchema },
    replies: { 200: replyWith('The clock.', clockSchema), ...noNewWorld },
    answer: inMadeWorld(worlds, ({ clock }, { body }) => {
      const change = readClockChange(body as ClockWords, clock)
      if (typeof change === 'string') return problem(400, 'invalid_request', change)
      clock.adjust(change)
      return json(describeClock(clock))
    }),
  },
  {
    method: 'DELETE',
    path: '/worlds/{name}/clock',
    operation: 'restoreClock',
    underWorkers: 'shared',
    summary: 'Returns the clock of a world to real time.',
    parameters: nameParameter,
    replies: { 204: { description: 'Done.' }, ...noSuchWorld },
    answer: inWorld(worlds, ({ clock }) => {
      clock.restore()
      return DONE
    }),
  },
]

// The calendar of a world.

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
