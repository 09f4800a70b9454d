// The route of the calendar of a world.

import { json, momentNamed } from '../../http/control/replies.ts'
import {
  type CallParameter,
  type Control,
  described,
  inWorld,
  positive,
  replyWith,
  shape,
  string,
  under,
} from '../../http/control/route.ts'
import { DAY } from '../../world/dates.ts'
import { calendarOf } from './world-calendar.ts'

/** Milliseconds before the time of the world at which a calendar begins. */
const LOOK_BACK = 30 * DAY
/** Milliseconds after the time of the world at which it ends. */
const LOOK_AHEAD = 20 * 366 * DAY

const when = (description: string): CallParameter =>
  described(`A date, a timestamp or an offset. Default: ${description}.`, { ...string, maxLength: 100 })

export const calendarRoutes = ({ gateway }: Control) =>
  under('absent', {
    getCalendar: inWorld(gateway.worlds, {
      at: 'GET /worlds/{name}/calendar',
      summary:
        'Deprecations, brown-outs, sunsets, expiries of credentials and timed states of records, by the clock of a world.',
      parameters: {
        from: when("30 days before the world's time"),
        until: when("20 years after the world's time"),
        limit: described('Default: 500.', { ...positive, maximum: 10_000 }),
      },
      replies: { 200: replyWith('The calendar.', shape('WorldCalendar')) },
      handle: (world, { parameters }) => {
        const now = world.clock.now()
        const { from, until, limit = 500 } = parameters as { from?: string; until?: string; limit?: number }
        const begin = from === undefined ? now - LOOK_BACK : momentNamed('from', from, now)
        const end = until === undefined ? now + LOOK_AHEAD : momentNamed('until', until, now)
        if (typeof begin === 'object') return begin
        if (typeof end === 'object') return end
        return json(calendarOf(gateway.worlds.planOf(world.name), world, begin, end, limit))
      },
    }),
  })
