// The clock of a world.

import { changeClock } from '../../gateway/orders.ts'
import type { ClockWords, WorldClock } from '../../world/clock.ts'
import { timestamp } from '../../world/dates.ts'
import { DONE, done, json } from './replies.ts'
import {
  type Control,
  described,
  flag,
  inMadeWorld,
  inWorld,
  outsideTurns,
  type PlainRoute,
  replyWith,
  shape,
  under,
  type WorldRoute,
} from './route.ts'

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

export const clockRoutes = ({ gateway }: Control) => {
  const { worlds } = gateway
  /** Answers once everything has been done that the change of the clock made due. No turn waits for that. */
  const settling = ({ handle, ...route }: PlainRoute): PlainRoute => ({
    ...route,
    handle: async call => {
      const reply = await gateway.change(() => handle(call), route.at)
      await gateway.settle(String(call.parameters.name))
      return reply
    },
  })
  return [
    ...under('shared', {
      getClock: inWorld(worlds, {
        at: 'GET /worlds/{name}/clock',
        summary: 'The time in a world.',
        replies: { 200: replyWith('The clock.', shape('ShownClock')) },
        handle: ({ clock }) => json(describeClock(clock)),
      }),
    }),
    ...outsideTurns(
      under('shared', {
        setClock: settling(inMadeWorld(worlds, setClock)),
        restoreClock: settling(inWorld(worlds, restoreClock)),
      }),
    ),
  ]
}

const setClock: WorldRoute = {
  at: 'PUT /worlds/{name}/clock',
  summary:
    'Sets, shifts, freezes or speeds up the clock of a world. Without a new time it continues from the current one.',
  body: { description: 'The change of the clock.', schema: clockWordsSchema },
  replies: { 200: replyWith('The clock.', shape('ShownClock')) },
  handle: ({ clock }, { body }) => {
    changeClock(clock, body as ClockWords)
    return json(describeClock(clock))
  },
}

const restoreClock: WorldRoute = {
  at: 'DELETE /worlds/{name}/clock',
  summary: 'Returns the clock of a world to real time.',
  replies: done,
  handle: ({ clock }) => {
    clock.restore()
    return DONE
  },
}
