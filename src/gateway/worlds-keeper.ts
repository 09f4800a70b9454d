// The interface for observers of the set of worlds, and the reasons why a world cannot be created or deleted.

import type { World } from '../world/world.ts'

/** Is notified of every world that is added, replaced or removed. */
export interface WorldsKeeper {
  /** @param before the world that had the place */
  placed(world: World, before: World | undefined): void
  /** A sandbox that a request named first is there now. */
  admitted(world: World): void
  removed(world: World): void
  /** The state that everything begins with is another; returns the names of its seeds, by collection. */
  seeded(seeded: World): Readonly<Record<string, string>>
}

/** The reason why a world cannot be created or deleted. */
export type WorldFault = 'bad-name' | 'exists' | 'unknown' | 'permanent' | 'switched-off'
