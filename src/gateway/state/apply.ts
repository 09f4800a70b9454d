// Applies the effects of a log to the worlds, and to the weather and answers over them, without recording them.

import type { Plan } from '../../plan/plan.ts'
import type { CollectionState } from '../../world/changes.ts'
import type { RowsBatch } from '../../world/records/row-states.ts'
import type { World } from '../../world/world.ts'
import type { AnswerState, StandingAnswers } from '../answers.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Effect } from './effects.ts'
import type { SeedStore } from './seed-store.ts'
import { readSnapshot, restoreState } from './snapshot.ts'

/** The parts of the gateway that a log changes. */
export interface Subjects {
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly answers: StandingAnswers
  plan(): Plan
  /** Milliseconds since the epoch, by the clock of the log. */
  now(): number
  /** Forgets the requests that reached a world. */
  forgetRequests(world: string): void
  /** Serves another configuration, which another process was given. */
  configure(text: string): Promise<void>
  /** The engine lost its log. */
  lost(): void
}

export class AppliedWorlds {
  /** Whether changes are those of the log itself. */
  isApplying = false
  /** The world that the log itself deletes. */
  deleting: string | undefined
  readonly #subjects: Subjects
  readonly seeds: SeedStore

  constructor(subjects: Subjects, seeds: SeedStore) {
    this.#subjects = subjects
    this.seeds = seeds
  }

  /** Applies an effect. */
  apply(name: string, effect: Effect): void {
    const { worlds, weather, plan } = this.#subjects
    const world = worlds.peek(name)
    this.quietly(() => {
      if (effect[0] === 'seen') worlds.get(name)
      else if (effect[0] === 'weather') weather.restore(plan(), world, [effect[1], effect[2]])
      else if (effect[0] === 'answer') this.restoreAnswer(name, effect[1], effect[2])
      else if (effect[0] === 'seeds') this.keepSeeds(name, effect[1], effect[2])
      const next = this.next(world, name, effect)
      if (next !== world) this.place(name, next)
      if (effect[0] === 'reset' || (effect[0] === 'deleted' && next !== world)) this.#subjects.forgetRequests(name)
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
        return restoreState(this.#subjects.worlds.blank(name), effect[1], this.seeds)
      case 'deleted':
        return this.#subjects.worlds.isPermanent(name) ? world : undefined
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
    const world = this.#subjects.worlds.blank(name)
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
    const like = this.#subjects.worlds.default.collections.get(name)
    if (like !== undefined) this.seeds.keep(name, digest, state, like)
  }

  restoreAnswer(name: string, id: string, state: AnswerState | null): void {
    const { answers, plan, worlds } = this.#subjects
    const world = worlds.peek(name)
    // The world was deleted, and its answers with it.
    if (name === '' || world !== undefined) answers.restore(plan(), world, id, state)
  }

  /** Puts a world in the place of a name, or none, without recording it. */
  place(name: string, world: World | undefined): void {
    this.quietly(() => {
      if (world !== undefined) this.#subjects.worlds.put(world)
      else {
        this.deleting = name
        this.#subjects.worlds.delete(name)
        this.deleting = undefined
      }
    })
  }

  /** Replaces the worlds of the gateway by those of a snapshot. */
  load(text: string): void {
    const snapshot = readSnapshot(text)
    const { worlds, weather, answers, plan } = this.#subjects
    for (const [name, digest, state] of snapshot.seeds) this.keepSeeds(name, digest, state)
    const names = new Set(snapshot.worlds.map(({ name }) => name))
    for (const { name } of worlds.list()) {
      if (!names.has(name) && !worlds.isPermanent(name)) this.place(name, undefined)
    }
    this.quietly(() => {
      // The list begins with the world that was used last, which must be put last.
      for (const state of [...snapshot.worlds].reverse()) {
        worlds.put(restoreState(worlds.blank(state.name), state, this.seeds))
      }
      for (const [, id] of answers.dump([])) answers.restore(plan(), undefined, id, null)
      for (const [world, id, answer] of snapshot.answers) answers.restore(plan(), worlds.peek(world), id, answer)
      weather.restore(plan(), undefined, [null, null])
      for (const [world, order, until] of snapshot.weather) weather.restore(plan(), worlds.peek(world), [order, until])
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
    let own = this.#batches.get(world)
    if (own === undefined) {
      own = new Map()
      this.#batches.set(world, own)
    }
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
