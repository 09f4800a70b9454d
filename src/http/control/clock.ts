// The clock of a world.

import { changeClock } from '../../gateway/orders.ts'
import type { ClockWords, WorldClock } from '../../world/clock.ts'
import { timestamp } from '../../world/dates.ts'
import { DONE, done, json } from './replies.ts'
import { type Control, described, flag, inMadeWorld, inWorld, replyWith, shape, under } from './route.ts'

export const describeClock = ({ state }: WorldClock): object => ({ ...state, now: timestamp(state.now) })

/** The schema of a clock's change, in snapshots too. */
export const clockWordsSchema = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    now: described('A date, a timestamp, or a signed offset from its time: 2030-12-06, +30d. It continues from there.'),
    shift: described('An offset from real time, or from `now`: 30d, -12h.'),
    freeze: described('Whether the clock is frozen.', flag),
    rate: { type: 'number', description: 'Seconds of the world in a real second. Default: 1.' },
  },
} as const

export const clockRoutes = ({ gateway }: Control) =>
  under('shared', {
    getClock: inWorld(gateway.worlds, {
      at: 'GET /worlds/{name}/clock',
      summary: 'The time in a world.',
      replies: { 200: replyWith('The clock.', shape('ShownClock')) },
      handle: ({ clock }) => json(describeClock(clock)),
    }),
    setClock: inMadeWorld(gateway.worlds, {
      at: 'PUT /worlds/{name}/clock',
      summary:
        'Sets, shifts, freezes or speeds up the clock of a world. Without a new time it continues from the current one.',
      body: { description: 'The change of the clock.', schema: clockWordsSchema },
      replies: { 200: replyWith('The clock.', shape('ShownClock')) },
      handle: ({ clock }, { body }) => {
        changeClock(clock, body as ClockWords)
        return json(describeClock(clock))
      },
    }),
    restoreClock: inWorld(gateway.worlds, {
      at: 'DELETE /worlds/{name}/clock',
      summary: 'Returns the clock of a world to real time.',
      replies: done,
      handle: ({ clock }) => {
        clock.restore()
        return DONE
      },
    }),
  })
