// The route of the next contract: who breaks on it.

import { formatNext } from '../../gateway/next/report.ts'
import { REPORT_FORMATS, type ReportFormat } from '../../kernel/report.ts'
import { json, refuseAbsent, text } from './replies.ts'
import { type Control, described, replyWith, shape, string, under } from './route.ts'

export const nextRoutes = ({ gateway, about }: Control) =>
  under('always', {
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
        const report = await gateway.next.report()
        if (report === undefined) {
          return refuseAbsent('there is no next contract; write next: ./openapi-next.yaml in the gateway file')
        }
        return format === 'json' ? json(report) : text(formatNext(report, format, about.version))
      },
    },
  })
