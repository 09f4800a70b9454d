// `understudy drift`.

import { CONFIGURATIONS, type Command, type Option } from '../../cli/command.ts'

/** The options of commands that report differences. */
export const BASELINE: Readonly<Record<string, Option>> = {
  baseline: { takes: 'FILE', about: 'accept the differences that this file lists, one a line' },
  accept: { about: 'write the differences to the file of --baseline' },
}

export const drift: Command = {
  about: 'compare a recording (HAR), or the traffic of a running gateway, with the contract and the stand-in',
  options: {
    config: { takes: 'FILE', about: `for a HAR: its gateway.yaml or contract; default: ${CONFIGURATIONS.join(', ')}` },
    ...BASELINE,
  },
  reads: true,
  run: async (line, program) => (await import('./run-drift.ts')).runDrift(line, program),
}
