// Coverage: the parts of the contract that requests have touched.

import type { Wing } from '../../cli/command.ts'
import { coverage as command } from './command.ts'
import { coverageObserver } from './observe.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }

export const coverage: Wing = {
  name: 'coverage',
  observers: [coverageObserver],
  routes: async control => (await import('./routes.ts')).coverageRoutes(control),
  replySchemas,
  commands: { coverage: command },
}
