// The routes of reports on what requests did: the parts of the contract that they touched, who calls what is deprecated, who
// breaks on the next contract, and where the real API differs from the contract.

import { deprecationsAsCsv, describeDeprecations, formatDeprecations } from '../../gateway/deprecations.ts'
import { Mask } from '../../gateway/mask.ts'
import { REPORT_FORMATS, type ReportFormat } from '../../kernel/report.ts'
import { COVERAGE_FORMATS, type CoverageFormat, formatCoverage } from '../../wings/coverage/report.ts'
import { formatNext } from '../../wings/next/report.ts'
import { DONE, done, json, missing, momentNamed, refuseAbsent, text } from './replies.ts'
import { type Control, described, replyWith, shape, string, under } from './route.ts'

interface CoverageQuery {
  readonly world?: string
  readonly consumer?: string
  readonly operation?: string
  readonly format?: CoverageFormat
}

export const reportRoutes = ({ gateway, about }: Control) =>
  under('always', {
    getCoverage: {
      at: 'GET /coverage',
      summary:
        'The parts of the contract that requests have touched since the start or the last reset of the coverage.',
      parameters: {
        world: described('Requests to this world only.'),
        consumer: described('Requests of this consumer only; empty for unknown consumers.'),
        operation: described('This operation only.'),
        format: described('Default: json. With `lcov`, a record for each file of the contract.', {
          ...string,
          enum: COVERAGE_FORMATS,
        }),
      },
      replies: {
        200: replyWith('The coverage.', shape('CoverageReport'), 'text/plain'),
        404: 'The operation does not exist.',
      },
      handle: async ({ parameters }) => {
        const { format = 'json', ...filter } = parameters as CoverageQuery
        const names = gateway.plan.operations.map(({ operation }) => operation.id)
        if (filter.operation !== undefined && !names.includes(filter.operation)) {
          return missing('operation', filter.operation, names)
        }
        const report = await gateway.coverage.reportAll(filter)
        return format === 'json' ? json(report) : text(formatCoverage(report, format))
      },
    },
    resetCoverage: {
      at: 'DELETE /coverage',
      summary: 'Forgets what requests have touched.',
      replies: done,
      handle: () => {
        gateway.coverage.reset()
        return DONE
      },
    },
    getDeprecations: {
      at: 'GET /deprecations',
      underWorkers: 'absent',
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
        const report = describeDeprecations(gateway.plan, gateway.metrics.deprecations, time)
        if (call.prefers('text/csv')) return text(deprecationsAsCsv(report), 'text/csv')
        return call.prefers('text/plain') ? text(formatDeprecations(report)) : json(report)
      },
    },
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
    getDrift: {
      at: 'GET /drift',
      underWorkers: 'absent',
      summary:
        'The differences between the replies of the real API and the contract, since the configuration was loaded.',
      replies: { 200: replyWith('The findings, by operation and part.', shape('LiveDriftReport')) },
      handle: () => json(gateway.drift.report(new Mask(gateway.plan))),
    },
  })
