// The engine that replicas share: a Redis stream. The door to the client library, loaded only when configured.

import { type Engine, Unavailable } from './engine.ts'
import type { EngineSurroundings, RedisSettings } from './settings.ts'

/** Connects to the database and returns the log of this prefix; rejects with `Unavailable` where it cannot be reached. */
export async function connectRedis(_settings: RedisSettings, _around: EngineSurroundings): Promise<Engine> {
  throw new Unavailable('this build has no Redis engine')
}
