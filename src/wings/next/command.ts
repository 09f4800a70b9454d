// `understudy next`: who breaks on the next contract.

import { CONFIGURATIONS, type Command, oneOf, RECORDED } from '../../cli/command.ts'
import { REPORT_FORMATS } from '../../kernel/report.ts'

export const next: Command = {
  about: 'say which consumers break on the next contract, by the requests that they sent',
  options: {
    from: RECORDED,
    config: { takes: 'FILE', about: `the current configuration or contract (default: ${CONFIGURATIONS.join(', ')})` },
    format: { takes: 'FORMAT', about: REPORT_FORMATS.join(', '), fault: oneOf(REPORT_FORMATS) },
    'fail-on': {
      takes: 'VERDICT',
      about: 'exit 1 if a consumer breaks, or may break: breaks or may-break',
      fault: oneOf(['breaks', 'may-break']),
    },
  },
  run: async (line, program) => (await import('./run-next.ts')).runNext(line, program),
}
