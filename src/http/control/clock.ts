// Reads and sets the clock of a world.

import { timestamp } from '../../world/clock.ts'
import { type ClockWords, readClockChange, type WorldClock } from '../../world/world-clock.ts'
import { inMadeWorld, inWorld, nameParameter, noNewWorld, noSuchWorld } from './find-world.ts'
import { DONE, json, problem } from './replies.ts'
import type { Control, ControlRoute } from './route.ts'
import { object, replyWith } from './schemas.ts'

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
