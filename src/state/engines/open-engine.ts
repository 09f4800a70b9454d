// The table of engines: the configured one is loaded, and no other.

import { randomUUID } from 'node:crypto'
import type { EngineSettings } from '../settings.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Engine } from './engine.ts'

/** Returns the engine of the settings, which is not opened yet. */
export async function makeEngine(settings: EngineSettings, around: Surroundings): Promise<Engine> {
  if (settings.kind === 'file') return new (await import('./file-log.ts')).FileLog(settings, around)
  if (settings.kind === 'shared') return settings.make(around)
  settings satisfies { readonly kind: 'memory' }
  return memoryLog()
}

/** The engine for a history in memory: entries are neither kept nor read, and only positions count. */
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
