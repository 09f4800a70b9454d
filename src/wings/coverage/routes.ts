// The routes of the coverage.

import { DONE, done, json, text } from '../../http/control/replies.ts'
import {
  type Control,
  type ControlRoute,
  described,
  replyWith,
  shape,
  string,
  under,
} from '../../http/control/route.ts'
import { coverageObserver } from './observe.ts'
import { COVERAGE_FORMATS, type CoverageFormat, formatCoverage } from './report.ts'

interface CoverageQuery {
  readonly world?: string
  readonly consumer?: string
  readonly operation?: string
  readonly format?: CoverageFormat
}

export const coverageRoutes = ({ gateway }: Control): readonly ControlRoute[] => {
  const coverage = gateway.observed(coverageObserver)
  return under('always', {
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
        404: 'The operation or the consumer does not exist.',
      },
      handle: async ({ parameters }) => {
        const { format = 'json', ...filter } = parameters as CoverageQuery
        coverage.checkFilter(filter)
        const report = await coverage.reportAll(filter)
        return format === 'json' ? json(report) : text(formatCoverage(report, format))
      },
    },
    resetCoverage: {
      at: 'DELETE /coverage',
      summary: 'Forgets what requests have touched.',
      replies: done,
      handle: () => {
        coverage.reset()
        return DONE
      },
    },
  })
}
