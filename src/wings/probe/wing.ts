// Probe: calls operations with requests made from the contract, for `check --deep` and for the first call that is printed.

import { counted, type Wing } from '../../cli/command.ts'

export const probe: Wing = {
  name: 'probe',
  firstCall: async (plan, origin) => (await import('./first-call.ts')).findFirstCall(plan, origin),
  extensions: {
    check: {
      options: {
        deep: { about: 'also call every operation in process, and check each reply against the contract' },
      },
      examine(plan, report, { switches }, { progress }) {
        if (!switches.has('deep')) return undefined
        return import('./self-check.ts').then(async ({ selfCheck }) => {
          const { requests } = await selfCheck(plan, report, progress.report)
          return [`${counted(requests, 'request')} answered as the contract documents`]
        })
      },
    },
  },
}
