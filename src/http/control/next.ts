// The route of the next contract: who breaks on it.

import { formatNext } from '../../gateway/next/report.ts'
import { REPORT_FORMATS, type ReportFormat } from '../../kernel/report.ts'
import { json, refuseAbsent, text } from './replies.ts'
import {
  type Control,
  dateTime,
  described,
  flag,
  list,
  mapOf,
  natural,
  object,
  orNull,
  positive,
  replyWith,
  string,
  under,
} from './route.ts'

const name = described('`null` without a known one.', orNull(string))
const findings = list(
  object({
    ...{ verdict: string, reason: string, calls: natural, 'last?': dateTime },
    now: described('The place in the contract: `openapi.yaml:12:5`.'),
    next: described('The place in the next contract.'),
    'try?': described('A command of curl that repeats the first such call, with credentials masked.'),
  }),
)

const nextSchema = object({
  related: described('Whether the contracts have an operation in common. Without one, there are no rows.', flag),
  'since?': described('The time of the first request.', dateTime),
  'until?': described('The time of the last request.', dateTime),
  requests: natural,
  refused: described('Requests that the current contract refuses already.', natural),
  unmatched: described('Requests to no operation of the current contract.', natural),
  dropped: described('Requests that were not judged because too many were waiting.', natural),
  consumers: described('Those that were seen.', list(name)),
  neverSeen: described('Consumers of the configuration without a request.', list(string)),
  notSeen: described('By consumer, the operations that change and that it did not call.', mapOf(list(string))),
  rows: list(
    object({
      ...{ consumer: name, operation: string, calls: natural, 'last?': dateTime, findings },
      verdict: { enum: ['breaks', 'may-break', 'not-judged', 'safe', 'not-seen'] },
      unjudged: described('The calls that could not be judged, by reason.', mapOf(positive)),
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
