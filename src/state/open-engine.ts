// The table of engines: the configured one is loaded, and no other.

import type { Engine } from './engine.ts'
import type { EngineSettings, EngineSurroundings } from './settings.ts'

type EngineKind = EngineSettings['kind']
type Openers = {
  [K in EngineKind]: (settings: Extract<EngineSettings, { kind: K }>, around: EngineSurroundings) => Promise<Engine>
}

const ENGINES = {
  memory: async () => new (await import('./unread-log.ts')).UnreadLog(),
  file: async (settings, around) => new (await import('./file-log.ts')).FileLog(settings, around),
  redis: async (settings, around) => (await import('./redis.ts')).connectRedis(settings, around),
} satisfies Openers

/** Returns the engine of the settings, which is not opened yet. */
export function makeEngine(settings: EngineSettings, around: EngineSurroundings): Promise<Engine> {
  return (ENGINES[settings.kind] as (settings: EngineSettings, around: EngineSurroundings) => Promise<Engine>)(
    settings,
    around,
  )
}
