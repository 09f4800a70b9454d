// Streams: replies whose items are sent one after the other, at the pace of a configuration or as records change.

import type { Wing } from '../../cli/command.ts'
import type { Observer } from '../../gateway/observer.ts'
import { streamsObserver } from './observe.ts'
import { stream } from './respond.ts'

export const streams: Wing = {
  name: 'streams',
  responders: [stream],
  observers: [streamsObserver as Observer],
}
