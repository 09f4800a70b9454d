// Probe: sends requests in process: made from the contract, for `check --deep` and for the first call that is printed; written by
// hand or once more, for the console.

import { counted, type Wing } from '../../cli/command.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }

export const probe: Wing = {
  name: 'probe',
  routes: async control => (await import('./routes.ts')).sendRoutes(control),
  replySchemas,
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
