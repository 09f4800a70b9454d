// The engine for a history in memory: entries are neither kept nor read, and only positions count.

import { randomUUID } from 'node:crypto'
import type { EngineSettings } from '../settings.ts'
import type { Engine } from './engine.ts'

export const MEMORY: EngineSettings = { isShared: false, make: async () => memoryLog() }

export const memoryLog = (): Engine => ({
  name: 'memory',
  requests: undefined,
  worthCompacting: false,
  open: async () => ({ anew: { snapshot: undefined }, entries: [], position: { log: randomUUID(), at: 0 } }),
  since: async after => ({ anew: undefined, entries: [], position: after }),
  append: ({ log, at }, entries) => ({ appended: { log, at: at + entries.length } }),
  compact: async () => {},
  onAvailability: () => {},
  close: async () => {},
})
