// Deprecations: who still calls what is deprecated, as a report and as metrics.

import type { Wing } from '../../cli/command.ts'
import { deprecationsObserver } from './observe.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }

export const deprecations: Wing = {
  name: 'deprecations',
  observers: [deprecationsObserver],
  routes: async control => (await import('./routes.ts')).deprecationRoutes(control),
  replySchemas,
}
