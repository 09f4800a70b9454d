// Drift: where the real API differs from the contract and from the stand-in. `shadow` asks it beside the stand-in.

import type { Behaviour } from '../../behaviours/behaviour.ts'
import type { Wing } from '../../cli/command.ts'
import { against } from './against-command.ts'
import { drift as command } from './drift-command.ts'
import { driftObserver } from './observe.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }
import { shadow } from './shadow.ts'

export const drift: Wing = {
  name: 'drift',
  behaviours: [{ before: 'stability', behaviour: shadow as Behaviour<unknown> }],
  observers: [driftObserver],
  routes: async control => (await import('./routes.ts')).driftRoutes(control),
  replySchemas,
  commands: { drift: command },
  extensions: { check: against },
}
