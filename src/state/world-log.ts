// The worlds as the state of a log: records their changes, applies the changes of others, rewinds them, and writes snapshots.

import type { Cause, Change, Counting, Recorder } from '../world/changes.ts'
import type { World } from '../world/world.ts'
import { AppliedWorlds } from './applied-worlds.ts'
import { isTold } from './described-changes.ts'
import {
  type AnswerState,
  type Effect,
  type LoggedChange,
  NO_ORDER,
  type StandingOrder,
  type WorldState,
} from './effects.ts'
import type { News } from './engines/engine.ts'
import { type ReadGroup, readGroup } from './entry-text.ts'
import { History, MOST_ENTRIES } from './history.ts'
import type { StateHost, WorldsKeeper } from './host.ts'
import type { Group } from './pending-changes.ts'
import { RecordBatches } from './record-batches.ts'
import { SeedStore } from './seeds.ts'
import { writeSnapshot } from './snapshot-text.ts'
import type { Memory, Turns } from './turns.ts'
import { restoreState, stateOfWorld } from './world-state.ts'

/** A copy of a world with everything that the log knows of it. */
interface WorldCopy {
  readonly world: World
  readonly ordinals: readonly (readonly [operation: string, ordinal: number])[]
  readonly kept: WorldState['kept']
  readonly weather: StandingOrder
  readonly answers: ReadonlyMap<string, AnswerState>
}

export class WorldLog implements Memory, WorldsKeeper, Recorder {
  readonly history: History<ReadonlyMap<string, WorldCopy>>
  readonly seeds = new SeedStore()
  readonly #host: StateHost
  readonly #now: () => number
  readonly #lost: () => void
  readonly #worlds: AppliedWorlds
  #turns: Turns | undefined

  /** @param now milliseconds since the epoch, by the clock of the log @param lost called when the engine lost its log */
  constructor(host: StateHost, now: () => number, lost: () => void) {
    this.#host = host
    this.#now = now
    this.#lost = lost
    this.#worlds = new AppliedWorlds(host, this.seeds)
    this.history = new History(() => new Map(host.worlds.list().map(world => [world.name, this.#copy(world)])))
    host.worlds.keepBy(this)
  }

  /** Records from now on; the worlds that there are, too. */
  attach(turns: Turns): void {
    const { weather, answers, worlds } = this.#host
    this.#turns = turns
    this.history.cover(this.#now())
    this.#worlds.quietly(() => {
      for (const world of worlds.list()) this.placed(world, undefined)
    })
    weather.keepBy((...order) => this.#recordWeather(...order))
    answers.keepBy((...answer) => this.#recordAnswer(...answer))
    this.announceSeeds()
    this.bound()
  }

  /** Has the log hold the seeds of the current configuration, where it does not. */
  announceSeeds(): void {
    const { origin } = this.seeds
    for (const [name, digest] of Object.entries(origin)) {
      if (!this.seeds.log(name, digest)) continue
      const base = this.seeds.base(name, digest)
      if (base !== undefined) this.#record(name, { kind: 'seeds', digest, state: base.state() })
    }
  }

  // --- recording changes ---------------------------------------------------------------------------------------------

  placed(world: World, before: World | undefined): void {
    if (this.#turns === undefined) return
    const { name } = world
    if (before !== undefined && before !== world) this.#succeed(before, world)
    this.#follow(world)
    this.#record(name, this.#placing(world, before), () => this.#worlds.place(name, before))
  }

  #follow(world: World): void {
    world.successor = undefined
    world.record(this)
  }

  admitted(world: World): void {
    if (this.#turns === undefined) return
    this.#follow(world)
    const { pending } = this.#turns
    pending.recordAside(this.#admission(world))
    // The request has already been counted.
    for (const [operation, more] of world.ordinals) {
      const undo = () => world.apply({ kind: 'ordinal', operation, more: -more })
      pending.recordAside({ world: world.name, effect: { kind: 'ordinal', operation, more }, undo })
    }
  }

  /** The request that named the world goes on to use it, so doing this again puts the same world back. */
  #admission(world: World): LoggedChange {
    const { worlds } = this.#host
    const { name } = world
    const again = () => {
      const present = worlds.peek(name)
      if (present === undefined) this.#worlds.place(name, world)
      else if (present !== world) this.#succeed(world, present)
      return this.#admission(world)
    }
    const { began, origin } = world
    return { world: name, effect: { kind: 'made', began, origin }, undo: () => worlds.withdraw(world), again }
  }

  /** Has the requests that use a world use another one. */
  #succeed(before: World, world: World): void {
    before.record(undefined)
    before.successor = world
  }

  #placing(world: World, before: World | undefined): Effect {
    const pristine = !world.touched && world.ordinals.size === 0 && [...world.lasting()].length === 0
    // A copy of another world begins with its time, and with its records, which may be untouched as a copy.
    if (!pristine || world.copied) return { kind: 'put', state: stateOfWorld(world, this.seeds) }
    const { began, origin } = world
    return { kind: before === undefined ? 'made' : 'reset', began, origin }
  }

  removed(world: World): void {
    const change = this.#removal(world)
    if (change !== undefined) this.#turns?.pending.record(change)
  }

  /** An eviction belongs to no request, whichever causes it. */
  evicted(world: World): void {
    const change = this.#removal(world)
    if (change !== undefined) this.#turns?.pending.recordAside(change)
  }

  /** Returns the change; `undefined` if it is the log's. */
  #removal(world: World): LoggedChange | undefined {
    const { name } = world
    world.record(undefined)
    if (this.#worlds.deleting === name) return undefined
    return { world: name, effect: { kind: 'deleted' }, undo: () => this.#worlds.place(name, world) }
  }

  seeded(seeded: World): Readonly<Record<string, string>> {
    this.seeds.adopt(seeded)
    if (this.#turns !== undefined) this.announceSeeds()
    return this.seeds.origin
  }

  /** Takes note that a request reached a sandbox, for the processes that it did not reach. */
  seen(world: World): void {
    this.#record(world.name, { kind: 'seen' })
  }

  configured(text: string): void {
    this.#record('', { kind: 'config', text })
  }

  #recordWeather(world: string, standing: StandingOrder, before: StandingOrder): void {
    const { weather, worlds } = this.#host
    const undo = () => void weather.restore(worlds.peek(world), before)
    this.#record(world, { kind: 'weather', standing }, undo)
  }

  #recordAnswer(world: string, id: string, state: AnswerState | null, before: AnswerState | null): void {
    this.#record(world, { kind: 'answer', id, state }, () => this.#worlds.restoreAnswer(world, id, before))
  }

  #record(world: string, effect: Effect, undo = NOTHING): void {
    this.record({ world, effect, undo })
  }

  record(change: Change<Effect>): void {
    if (!this.#worlds.isApplying) this.#turns?.pending.record(change)
  }

  counts(world: Counting): void {
    this.#turns?.pending.counts(world)
  }

  get repeats(): boolean {
    return this.#turns?.repeats === true
  }

  run<Result>(work: () => Promise<Result>, cause: Cause): Promise<Result> {
    return (this.#turns as Turns).run(work, cause)
  }

  // --- applying the log ----------------------------------------------------------------------------------------------

  async apply({ anew, entries, position }: News): Promise<void> {
    // An entry that cannot be read must not leave the state between two entries. The whole log is read at the start only.
    const read = entries.length > MOST_ENTRIES ? readEntries(entries) : [...readEntries(entries)]
    let at = position.at - entries.length
    if (anew !== undefined) {
      if (anew.snapshot !== undefined) this.#worlds.load(anew.snapshot)
      else if (entries.length === 0) this.#lost()
      this.history.begin(at)
    }
    // Older entries would be forgotten at once.
    const remembered = position.at - MOST_ENTRIES
    const batches = new RecordBatches(this.#host.worlds)
    for (const { text, group } of read) {
      at += 1
      for (const { world, effect } of group.changes) {
        if (at <= remembered && batches.add(world, effect)) continue
        // A process that starts serves its file.
        if (effect.kind === 'config') await (this.#turns && this.#host.configure(effect.text))
        else this.#worlds.apply(world, effect)
      }
      if (at === remembered) {
        batches.end()
        this.history.begin(at, group.at)
      }
      if (at <= remembered) continue
      const told = group.changes.some(({ effect }) => isTold(effect.kind))
      // A change replaces about as much as it has.
      this.history.add({ position: at, at: group.at, text, size: 2 * text.length, told })
      this.history.settle(true)
    }
    this.history.cover(this.#now())
  }

  bound(): void {
    this.#host.worlds.bound()
  }

  redo(change: LoggedChange): LoggedChange {
    if (change.again !== undefined) return change.again()
    const { worlds, weather } = this.#host
    const { world: name, effect } = change
    const world = worlds.peek(name)
    if (effect.kind === 'weather') {
      const before = weather.restore(world, effect.standing)
      return { ...change, undo: () => void weather.restore(worlds.peek(name), before) }
    }
    const course = world?.clock.course
    this.#worlds.apply(name, effect)
    const { kind } = effect
    if (kind === 'ordinal') {
      return { ...change, undo: () => worlds.peek(name)?.apply({ ...effect, more: -effect.more }) }
    }
    if (kind === 'clock') return { ...change, undo: () => worlds.peek(name)?.clock.take(course) }
    const isReplaced = kind === 'deleted' || kind === 'reset' || kind === 'put'
    return isReplaced ? { ...change, undo: () => this.#worlds.place(name, world) } : change
  }

  appended(groups: readonly Group[], texts: readonly string[], first: number): void {
    for (const [i, { at, changes }] of groups.entries()) {
      const text = texts[i] as string
      let size = text.length
      let told = false
      for (const { replaced, effect } of changes) {
        size += replaced ?? 0
        told ||= isTold(effect.kind)
      }
      this.history.add({ position: first + i, at, text, size, told })
    }
    this.history.settle(this.#turns?.pending.hasAside === false)
  }

  // --- rewinding -----------------------------------------------------------------------------------------------------

  #copy(world: World): WorldCopy {
    const { weather, answers } = this.#host
    const isOver = (state: { readonly world: string }): boolean => state.world === world.name
    return {
      world: world.fork(),
      ordinals: [...world.ordinals],
      kept: [...world.lasting()],
      weather: weather.dump([world]).find(isOver) ?? NO_ORDER,
      answers: new Map(
        answers
          .dump([world])
          .filter(isOver)
          .map(({ id, state }) => [id, state]),
      ),
    }
  }

  /**
   * Takes a world back: builds it anew from the last copy before a position and the entries after that. This is a change
   * itself. Returns how many entries were taken back; `undefined` where the history does not reach back so far.
   *
   * @param into the world that is put there; another one is a fork
   */
  rewind(name: string, position: number, into = name): number | undefined {
    const past = this.history.before(name, position)
    if (past === undefined) return undefined
    const undone = this.history.of(name).filter(entry => entry.position > position).length
    const { world, weather, answers } = this.#rebuild(
      name,
      past.copy.get(name),
      past.entries.flatMap(({ effects }) => effects),
    )
    if (world === undefined) this.#host.worlds.delete(into)
    else this.#putRebuilt(world, into, weather, answers)
    return undone
  }

  /** Returns a world as it was after some effects that follow a copy of it, which is not reachable. */
  #rebuild(name: string, from: WorldCopy | undefined, effects: readonly Effect[]) {
    let world = from?.world.fork()
    world?.resume(from?.ordinals ?? [])
    for (const value of from?.kept ?? []) world?.restoreKept(value)
    let weather = from?.weather ?? NO_ORDER
    const answers = new Map(from?.answers)
    for (const effect of effects) {
      if (effect.kind === 'weather') weather = effect.standing
      else if (effect.kind === 'answer') {
        if (effect.state === null) answers.delete(effect.id)
        else answers.set(effect.id, effect.state)
      } else {
        const next = this.#worlds.quietly(() => this.#worlds.next(world, name, effect))
        if (next === world) continue
        world = next
        weather = NO_ORDER
        answers.clear()
      }
    }
    return { world, weather, answers }
  }

  #putRebuilt(
    world: World,
    name: string,
    standing: StandingOrder,
    answersOver: ReadonlyMap<string, AnswerState>,
  ): void {
    const { worlds, weather, answers } = this.#host
    const restored = restoreState(worlds.blank(name), stateOfWorld(world, this.seeds), this.seeds)
    restored.copied = true
    worlds.put(restored)
    if (standing.order !== null) {
      weather.restore(restored, standing)
      this.#recordWeather(name, standing, NO_ORDER)
    }
    for (const [id, state] of answersOver) {
      answers.restore(restored, id, state)
      this.#recordAnswer(name, id, state, null)
    }
  }

  /** Resets a collection of a world to the seeds of the current configuration. */
  reseed(world: World, collection: string): void {
    const digest = this.seeds.origin[collection]
    if (digest === undefined) return
    const before = world.collection(collection)
    this.#worlds.beginFromSeeds(world, collection, digest)
    this.#record(world.name, { kind: 'reseed', collection, digest }, () => world.replace(collection, before))
  }

  // --- all at once ---------------------------------------------------------------------------------------------------

  /** Takes everything as it is when this is called, and writes it in slices. */
  snapshot(): Promise<string> {
    const { weather, answers } = this.#host
    const worlds = this.#host.worlds.list()
    const seeds = this.seeds.dump(worlds.map(({ origin }) => origin))
    for (const { collection, digest } of seeds) this.seeds.log(collection, digest)
    return writeSnapshot({
      seeds,
      worlds: worlds.map(world => stateOfWorld(world, this.seeds)),
      weather: weather.dump(worlds),
      answers: answers.dump(worlds),
    })
  }
}

const NOTHING = (): void => {}

/** Reads each entry when it is needed. */
function* readEntries(texts: Iterable<string>): Generator<{ readonly text: string; readonly group: ReadGroup }> {
  for (const text of texts) yield { text, group: readGroup(text) }
}
