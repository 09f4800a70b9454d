// The next contract: who breaks on it, by the requests that are served now.

import type { Behaviour } from '../../behaviours/behaviour.ts'
import type { Wing } from '../../cli/command.ts'
import { nextBlock } from './block.ts'
import { next as command } from './command.ts'
import { CONTROL, nextObserver, verdict } from './observe.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }

export const next: Wing = {
  name: 'next',
  blocks: [nextBlock],
  behaviours: [{ before: 'errors', behaviour: verdict as Behaviour<unknown> }],
  controls: [CONTROL],
  observers: [nextObserver],
  routes: async control => (await import('./routes.ts')).nextRoutes(control),
  replySchemas,
  commands: { next: command },
}
