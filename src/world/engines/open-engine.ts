// The table of engines: the configured one is loaded, and no other.

import type { Engine, EngineSettings, EngineSurroundings } from './engine.ts'

type EngineKind = EngineSettings['kind']
type Openers = {
  [K in EngineKind]: (settings: Extract<EngineSettings, { kind: K }>, around: EngineSurroundings) => Promise<Engine>
}

const ENGINES = {
  memory: async () => new (await import('./memory-log.ts')).MemoryLog(),
  file: async (settings, around) => new (await import('./file-log.ts')).FileLog(settings, around),
  redis: async (settings, around) => new (await import('./redis-log.ts')).RedisLog(settings, around),
} satisfies Openers

/** Returns the engine of the settings, which is not opened yet. */
export function makeEngine(settings: EngineSettings, around: EngineSurroundings): Promise<Engine> {
  return (ENGINES[settings.kind] as (settings: EngineSettings, around: EngineSurroundings) => Promise<Engine>)(
    settings,
    around,
  )
}
