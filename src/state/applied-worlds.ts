// Applies the effects of a log to the worlds, and to the weather and answers over them, without recording them.

import type { CollectionState } from '../world/changes.ts'
import type { World } from '../world/world.ts'
import { type AnswerState, type Effect, NO_ORDER } from './effects.ts'
import type { StateHost } from './host.ts'
import type { SeedStore } from './seeds.ts'
import { readSnapshot } from './snapshot-text.ts'
import { restoreState } from './world-state.ts'

export class AppliedWorlds {
  /** Whether changes are those of the log itself. */
  isApplying = false
  /** The world that the log itself deletes. */
  deleting: string | undefined
  readonly #host: StateHost
  readonly seeds: SeedStore

  constructor(host: StateHost, seeds: SeedStore) {
    this.#host = host
    this.seeds = seeds
  }

  /** Applies an effect. */
  apply(name: string, effect: Effect): void {
    const { worlds, weather } = this.#host
    const world = worlds.peek(name)
    this.quietly(() => {
      if (effect.kind === 'seen') worlds.get(name)
      else if (effect.kind === 'weather') weather.restore(world, effect.standing)
      else if (effect.kind === 'answer') this.restoreAnswer(name, effect.id, effect.state)
      else if (effect.kind === 'seeds') this.keepSeeds(name, effect.digest, effect.state)
      const next = this.next(world, name, effect)
      if (next !== world) this.place(name, next)
      if (effect.kind === 'reset' || (effect.kind === 'deleted' && next !== world)) this.#host.forgetRequests(name)
    })
  }

  /** Applies an effect to a world. Returns the world that has its name then: another one, or none. */
  next(world: World | undefined, name: string, effect: Effect): World | undefined {
    switch (effect.kind) {
      case 'made':
        if (world === undefined) return this.begin(name, effect.began, effect.origin)
        if (!world.touched && world.began !== effect.began) {
          world.began = effect.began
          world.begin(effect.began)
        }
        return world
      case 'reset':
        return this.begin(name, effect.began, effect.origin)
      case 'put':
        return restoreState(this.#host.worlds.blank(name), effect.state, this.seeds)
      case 'deleted':
        return this.#host.worlds.isPermanent(name) ? world : undefined
      case 'reseed':
        if (world !== undefined) this.beginFromSeeds(world, effect.collection, effect.digest)
        return world
      case 'in':
      case 'kept':
      case 'clock':
      case 'ordinal':
        world?.apply(effect)
        return world
      case 'seen':
      case 'weather':
      case 'answer':
      case 'seeds':
      case 'config':
        return world
      default:
        return effect satisfies never
    }
  }

  /** Returns a world that begins with the seeds of an origin, and has no place yet. */
  begin(name: string, began: number, origin: Readonly<Record<string, string>>): World {
    const world = this.#host.worlds.blank(name)
    for (const [collection, digest] of Object.entries(origin)) {
      if (world.origin[collection] !== digest) this.beginFromSeeds(world, collection, digest)
    }
    world.origin = { ...world.origin, ...origin }
    world.began = began
    return world.begin(began)
  }

  /** Resets a collection of a world to the seeds of a digest, if they are known. */
  beginFromSeeds(world: World, collection: string, digest: string): void {
    const base = this.seeds.base(collection, digest)
    if (base === undefined || !world.collections.has(collection)) return
    world.replace(collection, base.fork())
    world.origin = { ...world.origin, [collection]: digest }
  }

  /** Keeps the seeds of the log, for worlds that begin with them. */
  keepSeeds(name: string, digest: string, state: CollectionState): void {
    this.seeds.log(name, digest)
    const like = this.#host.worlds.default.collections.get(name)
    if (like !== undefined) this.seeds.keep(name, digest, state, like)
  }

  restoreAnswer(name: string, id: string, state: AnswerState | null): void {
    const { answers, worlds } = this.#host
    const world = worlds.peek(name)
    // The world was deleted, and its answers with it.
    if (name === '' || world !== undefined) answers.restore(world, id, state)
  }

  /** Puts a world in the place of a name, or none, without recording it. */
  place(name: string, world: World | undefined): void {
    this.quietly(() => {
      if (world !== undefined) this.#host.worlds.restore(world)
      else {
        this.deleting = name
        this.#host.worlds.delete(name)
        this.deleting = undefined
      }
    })
  }

  /** Replaces the worlds of the gateway by those of a snapshot. */
  load(text: string): void {
    const snapshot = readSnapshot(text)
    const { worlds, weather, answers } = this.#host
    for (const { collection, digest, state } of snapshot.seeds) this.keepSeeds(collection, digest, state)
    const names = new Set(snapshot.worlds.map(({ name }) => name))
    for (const { name } of worlds.list()) {
      if (!names.has(name) && !worlds.isPermanent(name)) this.place(name, undefined)
    }
    this.quietly(() => {
      // The list begins with the world that was used last, which must be put last.
      for (const state of [...snapshot.worlds].reverse()) {
        worlds.restore(restoreState(worlds.blank(state.name), state, this.seeds))
      }
      for (const { id } of answers.dump([])) answers.restore(undefined, id, null)
      for (const { world, id, state } of snapshot.answers) answers.restore(worlds.peek(world), id, state)
      weather.restore(undefined, NO_ORDER)
      for (const { world, ...order } of snapshot.weather) weather.restore(worlds.peek(world), order)
    })
  }

  quietly<Result>(work: () => Result): Result {
    const before = this.isApplying
    this.isApplying = true
    try {
      return work()
    } finally {
      this.isApplying = before
    }
  }
}
