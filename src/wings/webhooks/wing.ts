// Webhooks: delivers what happens in the worlds to receivers, signed, and again if it fails.

import type { Wing } from '../../cli/command.ts'
import { weatherKeys } from './fates.ts'
import { webhooksObserver } from './observe.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }
import { deliveriesBlock, webhooksBlock } from './settings.ts'

export const webhooks: Wing = {
  name: 'webhooks',
  blocks: [webhooksBlock, deliveriesBlock],
  weatherKeys,
  observers: [webhooksObserver],
  routes: async control => (await import('./routes.ts')).webhookRoutes(control),
  replySchemas,
}
