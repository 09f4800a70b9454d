// The seeds that worlds began with, by their digest: a log outlives the configuration that it began under, and replicas may
// differ in their seeds while one is replaced by the next.

import { createHash } from 'node:crypto'
import type { CollectionState } from '../world/changes.ts'
import type { Collection } from '../world/records/collection.ts'
import type { World } from '../world/world.ts'
import type { Origin } from './effects.ts'
import type { SeedState } from './snapshot-text.ts'

export class SeedStore {
  readonly #bases = new Map<string, Collection>()
  /** The digests of the seeds of the current configuration, by collection. */
  origin: Origin = {}
  /** The seeds in the log. */
  readonly #logged = new Set<string>()

  /** Takes the seeds of another configuration for the current ones. */
  adopt(seeded: World): void {
    this.origin = Object.fromEntries(
      [...seeded.collections].map(([name, collection]) => {
        const digest = digestOf(collection.state())
        this.#bases.set(seedKey(name, digest), collection)
        return [name, digest]
      }),
    )
  }

  /** Returns a collection with these seeds, to be forked; `undefined` if they are unknown. */
  base(collection: string, digest: string | undefined): Collection | undefined {
    return digest === undefined ? undefined : this.#bases.get(seedKey(collection, digest))
  }

  /** Keeps the seeds that another configuration has. @param like a collection of the same resource */
  keep(name: string, digest: string, state: CollectionState, like: Collection): void {
    if (this.base(name, digest) !== undefined) return
    const base = like.fork()
    base.become(state)
    this.#bases.set(seedKey(name, digest), base)
  }

  /** Records that the log has these seeds. Returns whether they are new. */
  log(name: string, digest: string): boolean {
    const key = seedKey(name, digest)
    if (this.#logged.has(key)) return false
    this.#logged.add(key)
    return true
  }

  /** The seeds of these origins, as values. */
  dump(origins: Iterable<Origin>): readonly SeedState[] {
    const used = new Map<string, Omit<SeedState, 'state'>>()
    for (const origin of [this.origin, ...origins]) {
      for (const [collection, digest] of Object.entries(origin)) {
        used.set(seedKey(collection, digest), { collection, digest })
      }
    }
    return [...used].flatMap(([key, names]) => {
      const base = this.#bases.get(key)
      return base === undefined ? [] : [{ ...names, state: base.state() }]
    })
  }
}

const seedKey = (collection: string, digest: string): string => `${digest} ${collection}`

function digestOf({ rows }: CollectionState): string {
  const hash = createHash('sha256')
  for (const { text } of rows) hash.update(text).update('\n')
  return hash.digest('base64url').slice(0, 16)
}
