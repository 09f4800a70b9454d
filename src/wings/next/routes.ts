// The route of the next contract.

import { json, refuseAbsent, text } from '../../http/control/replies.ts'
import { type Control, described, replyWith, shape, string, under } from '../../http/control/route.ts'
import { REPORT_FORMATS, type ReportFormat } from '../../kernel/report.ts'
import { nextObserver } from './observe.ts'
import { formatNext } from './report.ts'

export const nextRoutes = ({ gateway, about }: Control) => {
  const next = gateway.observed(nextObserver)
  return under('always', {
    getNext: {
      at: 'GET /next',
      summary: 'Who breaks on the next contract, by the requests since the start.',
      parameters: { format: described('Default: json.', { ...string, enum: REPORT_FORMATS }) },
      replies: {
        200: replyWith('The report.', shape('NextReport'), 'text/plain'),
        404: 'The configuration names no next contract.',
      },
      handle: async ({ parameters }) => {
        const { format = 'json' } = parameters as { readonly format?: ReportFormat }
        const report = await next.report(about.api())
        if (report === undefined) {
          return refuseAbsent('there is no next contract; write next: ./openapi-next.yaml in the gateway file')
        }
        return format === 'json' ? json(report) : text(formatNext(report, format, about.version))
      },
    },
  })
}
