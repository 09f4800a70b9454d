// The route of the next contract: who breaks on it.

import { formatNext } from '../../gateway/next/report.ts'
import { REPORT_FORMATS, type ReportFormat } from '../../kernel/report.ts'
import { json, refuseAbsent, text } from './replies.ts'
import {
  type Control,
  dateTime,
  described,
  list,
  natural,
  object,
  positive,
  replyWith,
  string,
  under,
} from './route.ts'

const finding = object({
  verdict: { enum: ['breaks', 'may-break'] },
  reason: string,
  now: described('The place in the contract: `openapi.yaml:12:5`.'),
  next: described('The place in the next contract.'),
  calls: natural,
  'last?': dateTime,
  'try?': described('A command of curl that repeats the first such call, with credentials masked.'),
})

const nextSchema = object({
  related: described('Whether the contracts have an operation in common. Without one, there are no rows.', {
    type: 'boolean',
  }),
  'since?': described('The time of the first request.', dateTime),
  'until?': described('The time of the last request.', dateTime),
  requests: natural,
  refused: described('Requests that the current contract refuses already.', natural),
  unmatched: described('Requests to no operation of the current contract.', natural),
  dropped: described('Requests that were not judged because too many were waiting.', natural),
  consumers: described(
    'Those that were seen; `null` for callers without a known name.',
    list({ type: ['string', 'null'] }),
  ),
  neverSeen: described('Consumers of the configuration without a request.', list(string)),
  rows: list(
    object({
      consumer: described('`null` for callers without a known name, and for an operation that was not called.', {
        type: ['string', 'null'],
      }),
      operation: string,
      verdict: { enum: ['breaks', 'may-break', 'not-judged', 'safe', 'not-seen'] },
      calls: natural,
      'last?': dateTime,
      findings: list(finding),
      unjudged: described('The reasons why a part of the calls could not be judged, with their number.', {
        type: 'object',
        additionalProperties: positive,
      }),
      'sunset?': described('The date until which a deprecated operation is served.'),
    }),
  ),
})

export const nextRoutes = ({ gateway, about }: Control) =>
  under('always', {
    getNext: {
      at: 'GET /next',
      summary: 'Who breaks on the next contract, by the requests since the start.',
      parameters: { format: described('Default: json.', { ...string, enum: REPORT_FORMATS }) },
      replies: {
        200: replyWith('The report.', nextSchema, 'text/plain'),
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
