// The real API beside the stand-in: requests are forwarded to it, or its records are the base of those of a world.

import type { Behaviour } from '../../behaviours/behaviour.ts'
import type { Wing } from '../../cli/command.ts'
import type { Observer } from '../../gateway/observer.ts'
import { forward } from './forward.ts'
import { realApiObserver } from './observe.ts'
import { replied } from './replied.ts'
import { upstreamBlock } from './settings.ts'
import { sandbox } from './staging.ts'
import { upstreamRecords } from './upstream-records.ts'

export const realApi: Wing = {
  name: 'real-api',
  blocks: [upstreamBlock],
  behaviours: [
    { before: 'stability', behaviour: replied as Behaviour<unknown> },
    { before: 'respond', behaviour: sandbox as Behaviour<unknown> },
  ],
  extensions: { serve: { options: { 'allow-upstream': { about: 'let the control plane change upstream' } } } },
  responders: [forward],
  recordSources: [upstreamRecords],
  observers: [realApiObserver as Observer],
}
