// The report of who calls what is deprecated.

import { json, momentNamed, text } from '../../http/control/replies.ts'
import { type Control, described, replyWith, shape, under } from '../../http/control/route.ts'
import { deprecationsObserver } from './observe.ts'
import { deprecationsAsCsv, describeDeprecations, formatDeprecations } from './report.ts'

export const deprecationRoutes = ({ gateway }: Control) =>
  under('absent', {
    getDeprecations: {
      at: 'GET /deprecations',
      summary: 'Every deprecated operation with the consumers that still call it, and the days that are left.',
      parameters: {
        at: described(
          "Counts days from then: a date, a timestamp, or an offset such as `+30d`. Default: the default world's time.",
        ),
      },
      replies: { 200: replyWith('The report.', shape('DeprecationReport'), 'text/plain', 'text/csv') },
      handle: call => {
        const now = gateway.worlds.default.clock.now()
        const { at } = call.parameters as { at?: string }
        const time = at === undefined ? now : momentNamed('at', at, now)
        if (typeof time === 'object') return time
        const report = describeDeprecations(gateway.plan, gateway.observed(deprecationsObserver).usages, time)
        if (call.prefers('text/csv')) return text(deprecationsAsCsv(report), 'text/csv')
        return call.prefers('text/plain') ? text(formatDeprecations(report)) : json(report)
      },
    },
  })
