// The clock and the calendar of a world.

import { calendarOf } from '../../gateway/world-calendar.ts'
import { DAY, timestamp } from '../../world/clock.ts'
import { type ClockWords, parseMoment, readClockChange, type WorldClock } from '../../world/world-clock.ts'
import { inMadeWorld, inWorld } from './find-world.ts'
import { badRequest, DONE, done, json } from './replies.ts'
import { type CallParameter, type Control, type ControlRoute, under } from './route.ts'
import { dateTime, integerParameter, list, natural, object, replyWith, string, stringParameter } from './schemas.ts'

export const clockSchema = object({
  now: { ...dateTime, description: 'The time of the clock.' },
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
    shift: { ...string, description: 'An offset from real time, or from `now`: 30d, -12h.' },
    freeze: { type: 'boolean', description: 'Whether the clock is frozen.' },
    rate: { type: 'number', description: 'Seconds of the world in a real second. Default: 1.' },
  },
} as const

const eventSchema = object({
  at: { ...dateTime, description: "By the world's clock." },
  'until?': { ...dateTime, description: 'The end of a brown-out.' },
  kind: { enum: ['deprecated', 'brown-out', 'sunset', 'key-expiry', 'state'] },
  ...{ 'operation?': string, 'consumer?': string, 'collection?': string },
  'record?': { ...string, description: 'The id of the record whose state changes.' },
  ...{ 'from?': string, 'to?': string },
  'status?': { type: 'integer', description: 'What the operation answers then.' },
  text: string,
})
const calendarSchema = object({
  now: { ...dateTime, description: 'What the clock of the world shows.' },
  next: { anyOf: [eventSchema, { type: 'null' }], description: 'The first event that is still to come.' },
  events: { ...list(eventSchema), description: 'In the order of their beginnings.' },
  omitted: { ...natural, description: 'How many more there are.' },
})

/** Milliseconds before the time of the world at which a calendar begins. */
const LOOK_BACK = 30 * DAY
/** Milliseconds after the time of the world at which it ends. */
const LOOK_AHEAD = 20 * 366 * DAY

const when = (description: string): CallParameter =>
  stringParameter(`A date, a timestamp or an offset. Default: ${description}.`, { maxLength: 100 })

export const clockRoutes = ({ gateway }: Control): ControlRoute[] =>
  under('shared', [
    inWorld(gateway.worlds, {
      at: 'GET /worlds/{name}/clock',
      operation: 'getClock',
      summary: 'The time in a world.',
      replies: { 200: replyWith('The clock.', clockSchema) },
      handle: ({ clock }) => json(describeClock(clock)),
    }),
    inMadeWorld(gateway.worlds, {
      at: 'PUT /worlds/{name}/clock',
      operation: 'setClock',
      summary:
        'Sets, shifts, freezes or speeds up the clock of a world. Without a new time it continues from the current one.',
      body: { description: 'The change of the clock.', schema: clockWordsSchema },
      replies: { 200: replyWith('The clock.', clockSchema) },
      handle: ({ clock }, { body }) => {
        const change = readClockChange(body as ClockWords, clock)
        if (typeof change === 'string') return badRequest(change)
        clock.adjust(change)
        return json(describeClock(clock))
      },
    }),
    inWorld(gateway.worlds, {
      at: 'DELETE /worlds/{name}/clock',
      operation: 'restoreClock',
      summary: 'Returns the clock of a world to real time.',
      replies: done,
      handle: ({ clock }) => {
        clock.restore()
        return DONE
      },
    }),
    inWorld(gateway.worlds, {
      at: 'GET /worlds/{name}/calendar',
      operation: 'getCalendar',
      underWorkers: 'absent',
      summary:
        'Deprecations, brown-outs, sunsets, expiries of credentials and timed states of records, by the clock of a world.',
      parameters: {
        from: when("30 days before the world's time"),
        until: when("20 years after the world's time"),
        limit: integerParameter('Default: 500.', 1, 10_000),
      },
      replies: { 200: replyWith('The calendar.', calendarSchema) },
      handle: (world, { parameters }) => {
        const now = world.clock.now()
        const { from, until, limit = 500 } = parameters as { from?: string; until?: string; limit?: number }
        const begin = from === undefined ? now - LOOK_BACK : parseMoment(from, now)
        const end = until === undefined ? now + LOOK_AHEAD : parseMoment(until, now)
        if (begin !== undefined && end !== undefined) return json(calendarOf(gateway.plan, world, begin, end, limit))
        return badRequest(
          `"${begin === undefined ? 'from' : 'until'}" must be a date, a timestamp or an offset such as +30d`,
        )
      },
    }),
  ])
