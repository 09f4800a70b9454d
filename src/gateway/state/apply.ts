// Applies the effects of a log to the worlds, and to the weather and answers over them, without recording them.

import { createHash } from 'node:crypto'
import { getOrMake } from '../../kernel/memo.ts'
import type { Plan } from '../../plan/plan.ts'
import type { CollectionState, KeptKind } from '../../world/changes.ts'
import type { Collection } from '../../world/records/collection.ts'
import type { RowsBatch } from '../../world/records/recording.ts'
import type { World } from '../../world/world.ts'
import type { AnswerState, StandingAnswers } from '../answers.ts'
import type { AllRequests } from '../journal/all-requests.ts'
import type { Journal } from '../journal/journal.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { type Effect, readSnapshot, type WorldState } from './effects.ts'

/** The gateway whose state is kept. */
export interface Kept {
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly answers: StandingAnswers
  readonly journal: Journal
  readonly requests: AllRequests
  readonly metrics: Metrics
  readonly plan: Plan
  /** Serves a configuration that another process was given. */
  configure(text: string): Promise<void>
}

export class AppliedWorlds {
  /** Whether changes are those of the log itself. */
  isApplying = false
  /** The world that the log itself deletes. */
  deleting: string | undefined
  readonly #gateway: Kept
  readonly seeds: SeedStore

  constructor(gateway: Kept, seeds: SeedStore) {
    this.#gateway = gateway
    this.seeds = seeds
  }

  /** Applies an effect. */
  apply(name: string, effect: Effect): void {
    const { worlds, weather, plan } = this.#gateway
    const world = worlds.peek(name)
    this.quietly(() => {
      if (effect[0] === 'seen') worlds.get(name)
      else if (effect[0] === 'weather') weather.restore(plan, world, [effect[1], effect[2]])
      else if (effect[0] === 'answer') this.restoreAnswer(name, effect[1], effect[2])
      else if (effect[0] === 'seeds') this.keepSeeds(name, effect[1], effect[2])
      const next = this.next(world, name, effect)
      if (next !== world) this.place(name, next)
      if (effect[0] === 'reset' || (effect[0] === 'deleted' && next !== world)) this.#gateway.journal.clear(name)
    })
  }

  /** Applies an effect to a world. Returns the world that has its name then: another one, or none. */
  next(world: World | undefined, name: string, effect: Effect): World | undefined {
    switch (effect[0]) {
      case 'made':
        if (world === undefined) return this.begin(name, effect[1], effect[2])
        if (!world.touched && world.began !== effect[1]) {
          world.began = effect[1]
          world.begin(effect[1])
        }
        return world
      case 'reset':
        return this.begin(name, effect[1], effect[2])
      case 'put':
        return restoreState(this.#gateway.worlds.blank(name), effect[1], this.seeds)
      case 'deleted':
        return this.#gateway.worlds.isPermanent(name) ? world : undefined
      case 'reseed':
        if (world !== undefined) this.beginFromSeeds(world, effect[1], effect[2])
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
    const world = this.#gateway.worlds.blank(name)
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
    const like = this.#gateway.worlds.default.collections.get(name)
    if (like !== undefined) this.seeds.keep(name, digest, state, like)
  }

  restoreAnswer(name: string, id: string, state: AnswerState | null): void {
    const { answers, plan, worlds } = this.#gateway
    const world = worlds.peek(name)
    // The world was deleted, and its answers with it.
    if (name === '' || world !== undefined) answers.restore(plan, world, id, state)
  }

  /** Puts a world in the place of a name, or none, without recording it. */
  place(name: string, world: World | undefined): void {
    this.quietly(() => {
      if (world !== undefined) this.#gateway.worlds.restore(world)
      else {
        this.deleting = name
        this.#gateway.worlds.delete(name)
        this.deleting = undefined
      }
    })
  }

  /** Replaces the worlds of the gateway by those of a snapshot. */
  load(text: string): void {
    const snapshot = readSnapshot(text)
    const { worlds, weather, answers, plan } = this.#gateway
    for (const [name, digest, state] of snapshot.seeds) this.keepSeeds(name, digest, state)
    const names = new Set(snapshot.worlds.map(({ name }) => name))
    for (const { name } of worlds.list()) {
      if (!names.has(name) && !worlds.isPermanent(name)) this.place(name, undefined)
    }
    this.quietly(() => {
      // The list begins with the world that was used last, which must be put last.
      for (const state of [...snapshot.worlds].reverse()) {
        worlds.restore(restoreState(worlds.blank(state.name), state, this.seeds))
      }
      for (const [, id] of answers.dump([])) answers.restore(plan, undefined, id, null)
      for (const [world, id, answer] of snapshot.answers) answers.restore(plan, worlds.peek(world), id, answer)
      weather.restore(plan, undefined, [null, null])
      for (const [world, order, until] of snapshot.weather) weather.restore(plan, worlds.peek(world), [order, until])
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

/** Gathers the changes of records while many entries of a log are read, see `RowsBatch`. */
export class RecordBatches {
  readonly #worlds: Worlds
  /** By world and collection; `undefined` for collections that take no batch. */
  readonly #batches = new Map<string, Map<string, RowsBatch | undefined>>()

  constructor(worlds: Worlds) {
    this.#worlds = worlds
  }

  /** Takes the change of a record. Returns false for any other change; those that read records end the batches. */
  add(world: string, effect: Effect): boolean {
    if (effect[0] === 'in') {
      const [, collection, own] = effect
      const rows = own[0] === 'row' ? [own] : own[0] === 'rows' ? own[1] : undefined
      if (rows !== undefined) {
        const batch = this.#of(world, collection)
        for (const row of rows) batch?.add(row)
        return batch !== undefined
      }
    }
    if (!COUNTING.has(effect[0])) this.end()
    return false
  }

  #of(world: string, collection: string): RowsBatch | undefined {
    const own = getOrMake(this.#batches, world, () => new Map())
    if (!own.has(collection)) own.set(collection, this.#worlds.peek(world)?.collections.get(collection)?.batch())
    return own.get(collection)
  }

  /** Stores what was gathered. */
  end(): void {
    for (const own of this.#batches.values()) for (const batch of own.values()) batch?.end()
    this.#batches.clear()
  }
}

/** Kinds of effects that neither read nor replace records. */
const COUNTING = new Set<Effect[0]>(['ordinal', 'kept'])

// The seeds that worlds began with, by their digest: a log outlives the configuration that it began under, and replicas may
// differ in their seeds while one is replaced by the next.

export class SeedStore {
  readonly #bases = new Map<string, Collection>()
  /** The digests of the seeds of the current configuration, by collection. */
  origin: Readonly<Record<string, string>> = {}
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
    base.apply(['all', state])
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
  dump(origins: Iterable<Readonly<Record<string, string>>>): readonly (readonly [string, string, CollectionState])[] {
    const used = new Map<string, readonly [string, string]>()
    for (const origin of [this.origin, ...origins]) {
      for (const [name, digest] of Object.entries(origin)) used.set(seedKey(name, digest), [name, digest])
    }
    return [...used].flatMap(([key, [name, digest]]) => {
      const base = this.#bases.get(key)
      return base === undefined ? [] : [[name, digest, base.state()] as const]
    })
  }
}

const seedKey = (collection: string, digest: string): string => `${digest} ${collection}`

function digestOf({ rows }: CollectionState): string {
  const hash = createHash('sha256')
  for (const [text] of rows) hash.update(text).update('\n')
  return hash.digest('base64url').slice(0, 16)
}

// --- a world as a value ---

/** The state of a world: its records as they differ from the seeds that it began with. */
export function stateOfWorld(world: World, seeds: SeedStore): WorldState {
  return {
    name: world.name,
    began: world.began,
    origin: world.origin,
    clock: world.clock.course,
    ordinals: Object.fromEntries(world.ordinals),
    kept: [...world.lasting()],
    collections: Object.fromEntries(
      [...world.collections].map(([name, collection]) => [
        name,
        collection.state(seeds.base(name, world.origin[name])),
      ]),
    ),
  }
}

/** Fills a new world with a state. Skips collections that the configuration does not have. */
export function restoreState(world: World, state: WorldState, seeds: SeedStore): World {
  world.began = state.began
  world.origin = state.origin
  world.apply(['clock', state.clock])
  world.resume(Object.entries(state.ordinals))
  for (const [kind, place, key, value] of state.kept) world.apply(['kept', kind as KeptKind, place, key, value])
  for (const [name, collection] of Object.entries(state.collections)) {
    if (!world.collections.has(name)) continue
    const base = collection.whole ? undefined : seeds.base(name, state.origin[name])
    if (base !== undefined) world.replace(name, base.fork())
    world.collection(name).apply(['all', collection])
  }
  return world.begin(state.began)
}
