// The worlds as the memory of a log: records what changes them, applies what others recorded, and writes them down whole.

import type { Plan } from '../../plan/plan.ts'
import type { News } from '../../state/engine.ts'
import type { CollectionState, Recorder, WorldChange, WorldEffect } from '../../world/effects.ts'
import type { Turns } from '../../world/turns.ts'
import type { World } from '../../world/world.ts'
import type { StandingAnswers } from '../answers.ts'
import type { WeatherStation } from '../weather.ts'
import type { Worlds, WorldsKeeper } from '../worlds.ts'
import { type Change, changeOf, type Effect, type Group, readGroup, type WorldState } from './changes.ts'
import { History, MOST_ENTRIES } from './history.ts'
import { SeedStore } from './seed-store.ts'
import { readSnapshot, writeSnapshot } from './snapshot-text.ts'
import type { ChangeRecorder, Memory } from './turns.ts'
import { restoreState, stateOf } from './world-state.ts'

/** The parts of the gateway that a log changes. */
export interface Subjects {
  readonly worlds: Worlds
  readonly weather: WeatherStation
  readonly answers: StandingAnswers
  plan(): Plan
  /** Forgets the requests that reached a world. */
  forgetRequests(world: string): void
  /** Serves another configuration, which another process was given. */
  configure(text: string): Promise<void>
  /** The engine lost its log. */
  lost(): void
}

export class WorldLog implements Memory, WorldsKeeper, Recorder {
  readonly history = new History()
  readonly seeds = new SeedStore()
  readonly #subjects: Subjects
  #recording: ChangeRecorder | undefined
  #turns: Turns | undefined
  /** Whether changes are those of the log itself. */
  #applying = false
  /** The seeds that the log holds, each as digest and collection. */
  readonly #known = new Set<string>()

  constructor(subjects: Subjects) {
    this.#subjects = subjects
    subjects.worlds.keepBy(this)
  }

  /** Records from now on; the worlds that there are, too. */
  attach(turns: Turns, recording: ChangeRecorder): void {
    this.#turns = turns
    this.#recording = recording
    this.#quietly(() => {
      for (const world of this.#subjects.worlds.list()) this.placed(world, undefined)
    })
    this.#subjects.weather.keepBy((world, order, until, before) =>
      this.#record(world, ['weather', order, until], ['weather', ...before]),
    )
    this.#subjects.answers.keepBy((world, id, after, before) =>
      this.#record(world, ['answer', id, after], ['answer', id, before]),
    )
    this.announceSeeds()
  }

  /** Has the log hold the seeds of the current configuration, where it does not. */
  announceSeeds(): void {
    const { origin } = this.seeds
    for (const [name, digest] of Object.entries(origin)) {
      if (this.#known.has(`${digest} ${name}`)) continue
      this.#known.add(`${digest} ${name}`)
      const base = this.seeds.base(name, digest)
      if (base !== undefined) this.#record(name, ['seeds', digest, base.state()], undefined)
    }
  }

  // --- what changes the worlds ---------------------------------------------------------------------------------------

  placed(world: World, before: World | undefined): void {
    if (this.#recording === undefined) return
    const { name } = world
    const inverse: Effect | undefined = before === undefined ? ['deleted'] : this.#putting(before)
    if (before !== undefined && before !== world) {
      before.record(undefined)
      before.turns = undefined
      before.successor = world
    }
    this.#follow(world)
    if (this.#applying) return
    this.#record(name, this.#placing(world, before), inverse)
  }

  #follow(world: World): void {
    world.successor = undefined
    world.turns = this.#turns
    world.record(this)
  }

  admitted(world: World): void {
    if (this.#recording === undefined) return
    this.#follow(world)
    // Never undone: the request that named it holds it already.
    this.#recording.recordAside(changeOf(world.name, ['made', world.began, world.origin], undefined))
  }

  #placing(world: World, before: World | undefined): Effect {
    const pristine = !world.touched && world.ordinals.size === 0 && [...world.lasting()].length === 0
    // A copy of another world begins with its time, and with its records, which may be untouched as a copy.
    if (!pristine || world.copied) return this.#putting(world)
    return [before === undefined ? 'made' : 'reset', world.began, world.origin]
  }

  #putting(world: World): Effect {
    let state: WorldState | undefined
    return ['put', () => (state ??= stateOf(world, this.seeds)), world]
  }

  removed(world: World): void {
    const inverse = this.#putting(world)
    world.record(undefined)
    world.turns = undefined
    // An eviction belongs to nobody's request, and happens whoever asked for the place.
    this.#recording?.record(changeOf(world.name, ['deleted'], inverse))
  }

  seeded(seeded: World): Readonly<Record<string, string>> {
    this.seeds.adopt(seeded)
    if (this.#recording !== undefined) this.announceSeeds()
    return this.seeds.origin
  }

  /** Takes note that a request reached a sandbox, for the processes that it did not reach. */
  seen(world: World): void {
    this.#record(world.name, ['seen'], undefined)
  }

  configured(text: string): void {
    this.#record('', ['config', text], undefined)
  }

  #record(world: string, effect: Effect, inverse: Effect | undefined): void {
    if (!this.#applying) this.#recording?.record(changeOf(world, effect, inverse))
  }

  record(change: WorldChange): void {
    if (!this.#applying) this.#recording?.record(change)
  }

  counts(world: Parameters<Recorder['counts']>[0]): void {
    this.#recording?.counts(world)
  }

  // --- what the log says ---------------------------------------------------------------------------------------------

  async apply({ anew, entries, position }: News): Promise<void> {
    if (anew !== undefined) {
      if (anew.snapshot !== undefined) this.load(anew.snapshot, position.at - entries.length)
      else if (entries.length === 0) this.#subjects.lost()
    }
    let at = position.at - entries.length
    // Older entries would be forgotten at once.
    const remembered = position.at - MOST_ENTRIES
    if (entries.length > MOST_ENTRIES) this.history.clear(remembered)
    for (const entry of entries) {
      const group = readGroup(entry)
      at += 1
      const changes: Change[] = []
      for (const [world, effect] of group.changes) {
        // A process that starts serves its file.
        if (effect[0] === 'config') await (this.#recording && this.#subjects.configure(effect[1]))
        else {
          const inverse = this.#do(world, effect)
          if (at > remembered) changes.push(changeOf(world, effect, inverse))
        }
      }
      if (at > remembered) this.history.add({ position: at, at: group.at, by: group.by, changes })
    }
  }

  change({ world }: { readonly world: string }, effect: Effect): void {
    this.#do(world, effect)
  }

  appended(groups: readonly Group[]): void {
    for (const group of groups) this.history.add(group)
  }

  /**
   * Takes a world back: reverses its changes after a position, the latest first. They are changes themselves, which can be
   * reversed, too. Returns how many entries were reversed; `undefined` where the history does not reach back so far.
   */
  rewind(world: string, position: number): number | undefined {
    if (position < this.history.reach) return undefined
    const entries = this.history.of(world).filter(entry => entry.position > position)
    for (const { changes } of [...entries].reverse()) {
      for (const { inverse } of [...changes].reverse()) if (inverse !== undefined) this.#redo(world, inverse)
    }
    return entries.length
  }

  /** Does an effect and records it, as a change like any other. */
  #redo(world: string, effect: Effect): void {
    const inverse = this.#do(world, effect)
    const own = this.#subjects.worlds.peek(world)
    this.#record(world, effect[0] === 'put' && own !== undefined ? this.#putting(own.fork(world)) : effect, inverse)
  }

  #do(name: string, effect: Effect): Effect | undefined {
    return this.#quietly(() => this.#doQuietly(name, effect))
  }

  #quietly<Result>(work: () => Result): Result {
    const before = this.#applying
    this.#applying = true
    try {
      return work()
    } finally {
      this.#applying = before
    }
  }

  #doQuietly(name: string, effect: Effect): Effect | undefined {
    const { worlds, weather } = this.#subjects
    const world = worlds.peek(name)
    switch (effect[0]) {
      case 'made':
        if (world === undefined) worlds.put(this.#begin(name, effect[1], effect[2]))
        else if (!world.touched && world.began !== effect[1]) {
          world.began = effect[1]
          world.begin(effect[1])
        }
        return world === undefined ? ['deleted'] : undefined
      case 'reset':
        worlds.put(this.#begin(name, effect[1], effect[2]))
        this.#subjects.forgetRequests(name)
        return world === undefined ? ['deleted'] : this.#putting(world)
      case 'put':
        worlds.put(effect[2] ?? restoreState(worlds.blank(name), effect[1](), this.seeds))
        return world === undefined ? ['deleted'] : this.#putting(world)
      case 'deleted':
        if (world === undefined || worlds.isPermanent(name)) return undefined
        worlds.delete(name)
        this.#subjects.forgetRequests(name)
        return this.#putting(world)
      case 'seen':
        worlds.get(name)
        return undefined
      case 'weather':
        return ['weather', ...weather.restore(this.#subjects.plan(), world, [effect[1], effect[2]])]
      case 'answer': {
        // An answer for a world that is gone has gone with it.
        if (name !== '' && world === undefined) return undefined
        return ['answer', effect[1], this.#subjects.answers.restore(this.#subjects.plan(), world, effect[1], effect[2])]
      }
      case 'seeds':
        this.#keepSeeds(name, effect[1], effect[2])
        return undefined
      case 'reseed':
        if (world !== undefined) this.#reseed(world, effect[1], effect[2])
        return undefined
      case 'config':
        return undefined
      default:
        return world?.apply(effect as WorldEffect)
    }
  }

  #begin(name: string, began: number, origin: Readonly<Record<string, string>>): World {
    const world = this.#subjects.worlds.blank(name)
    for (const [collection, digest] of Object.entries(origin)) {
      const base = world.origin[collection] === digest ? undefined : this.seeds.base(collection, digest)
      if (base !== undefined && world.collections.has(collection)) world.replace(collection, base.fork())
    }
    world.origin = { ...world.origin, ...origin }
    world.began = began
    return world.begin(began)
  }

  #keepSeeds(name: string, digest: string, state: CollectionState): void {
    this.#known.add(`${digest} ${name}`)
    const like = this.#subjects.worlds.default.collections.get(name)
    if (like !== undefined) this.seeds.keep(name, digest, state, like)
  }

  /** Has a collection of a world begin anew from the seeds of the current configuration. */
  reseed(world: World, collection: string): void {
    const digest = this.seeds.origin[collection]
    if (digest === undefined) return
    this.#reseed(world, collection, digest)
    this.#record(world.name, ['reseed', collection, digest], undefined)
  }

  #reseed(world: World, collection: string, digest: string): void {
    const base = this.seeds.base(collection, digest)
    if (base === undefined || !world.collections.has(collection)) return
    world.replace(collection, base.fork())
    world.origin = { ...world.origin, [collection]: digest }
  }

  // --- all at once ---------------------------------------------------------------------------------------------------

  /** Takes everything as it is when this is called, and writes it in slices. */
  snapshot(): Promise<string> {
    const worlds = this.#subjects.worlds.list()
    const seeds = this.seeds.dump(worlds.map(({ origin }) => origin))
    for (const [name, digest] of seeds) this.#known.add(`${digest} ${name}`)
    return writeSnapshot({
      seeds,
      worlds: worlds.map(world => stateOf(world, this.seeds)),
      weather: this.#subjects.weather.dump(worlds),
      answers: this.#subjects.answers.dump(worlds),
    })
  }

  /** Begins anew with what a snapshot holds. @param position where it was taken */
  load(text: string, position: number): void {
    const { seeds, worlds, weather, answers } = readSnapshot(text)
    const subjects = this.#subjects
    this.#quietly(() => {
      this.history.clear(position)
      for (const one of seeds) this.#keepSeeds(...one)
      const names = new Set(worlds.map(({ name }) => name))
      for (const world of subjects.worlds.list()) {
        if (!names.has(world.name) && !subjects.worlds.isPermanent(world.name)) subjects.worlds.delete(world.name)
      }
      // The list begins with the world that was used last, which must be put last.
      for (const state of [...worlds].reverse()) {
        subjects.worlds.put(restoreState(subjects.worlds.blank(state.name), state, this.seeds))
      }
      for (const one of subjects.answers.dump([])) subjects.answers.restore(subjects.plan(), undefined, one[1], null)
      for (const [world, id, answer] of answers) {
        subjects.answers.restore(subjects.plan(), subjects.worlds.peek(world), id, answer)
      }
      for (const [world, order, until] of weather) {
        subjects.weather.restore(subjects.plan(), subjects.worlds.peek(world), [order, until])
      }
    })
  }
}
