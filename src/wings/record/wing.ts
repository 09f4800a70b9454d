// Recordings: what passes to a real API, or what a gateway has answered, made a project or a file for other tools.

import type { Wing } from '../../cli/command.ts'
import type { Observer } from '../../gateway/observer.ts'
import { recordingObserver } from './observe.ts'
import { record as command } from './record-command.ts'
import replySchemas from './reply-schemas.json' with { type: 'json' }
import { records, requests } from './requests-command.ts'

export const record: Wing = {
  name: 'record',
  routes: async control => (await import('./routes.ts')).recordingRoutes(control),
  observers: [recordingObserver as Observer],
  replySchemas,
  commands: { record: command, requests, records },
}
