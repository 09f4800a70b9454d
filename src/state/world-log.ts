// The worlds as the state of a log: records their changes, applies the changes of others, rewinds them, and writes snapshots.

import { type Cause, type Change, type Counting, changeOf, type KeptKind, type Recorder } from '../world/changes.ts'
import type { World } from '../world/world.ts'
import { AppliedWorlds } from './applied-worlds.ts'
import { isTold } from './described-changes.ts'
import type { AnswerState, Effect, NamedEffect, StandingOrder, WorldState } from './effects.ts'
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
  readonly answers: readonly (readonly [id: string, AnswerState])[]
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
      if (base !== undefined) this.#record(name, ['seeds', digest, base.state()])
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
    for (const [operation, count] of world.ordinals) {
      const undo = () => world.apply(['ordinal', operation, -count])
      pending.recordAside(changeOf(world.name, ['ordinal', operation, count], undo))
    }
  }

  /** The request that named the world goes on to use it, so doing this again puts the same world back. */
  #admission(world: World): Change {
    const { worlds } = this.#host
    const { name } = world
    const again = () => {
      const present = worlds.peek(name)
      if (present === undefined) this.#worlds.place(name, world)
      else if (present !== world) this.#succeed(world, present)
      return this.#admission(world)
    }
    const change = changeOf(name, ['made', world.began, world.origin], () => worlds.withdraw(world))
    return { ...change, again }
  }

  /** Has the requests that use a world use another one. */
  #succeed(before: World, world: World): void {
    before.record(undefined)
    before.successor = world
  }

  #placing(world: World, before: World | undefined): Effect {
    const pristine = !world.touched && world.ordinals.size === 0 && [...world.lasting()].length === 0
    // A copy of another world begins with its time, and with its records, which may be untouched as a copy.
    if (!pristine || world.copied) return ['put', stateOfWorld(world, this.seeds)]
    return [before === undefined ? 'made' : 'reset', world.began, world.origin]
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
  #removal(world: World): Change | undefined {
    const { name } = world
    world.record(undefined)
    if (this.#worlds.deleting === name) return undefined
    return changeOf(name, ['deleted'], () => this.#worlds.place(name, world))
  }

  seeded(seeded: World): Readonly<Record<string, string>> {
    this.seeds.adopt(seeded)
    if (this.#turns !== undefined) this.announceSeeds()
    return this.seeds.origin
  }

  /** Takes note that a request reached a sandbox, for the processes that it did not reach. */
  seen(world: World): void {
    this.#record(world.name, ['seen'])
  }

  configured(text: string): void {
    this.#record('', ['config', text])
  }

  #recordWeather(world: string, order: string | null, until: number | null, before: StandingOrder): void {
    const { weather, worlds } = this.#host
    const undo = () => void weather.restore(worlds.peek(world), before)
    this.#record(world, ['weather', order, until], undo)
  }

  #recordAnswer(world: string, id: string, after: AnswerState | null, before: AnswerState | null): void {
    this.#record(world, ['answer', id, after], () => this.#worlds.restoreAnswer(world, id, before))
  }

  #record(world: string, effect: Effect, undo = NOTHING): void {
    this.record(changeOf(world, effect, undo))
  }

  record(change: Change): void {
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
      for (const [world, effect] of group.changes) {
        if (at <= remembered && batches.add(world, effect)) continue
        // A process that starts serves its file.
        if (effect[0] === 'config') await (this.#turns && this.#host.configure(effect[1]))
        else this.#worlds.apply(world, effect)
      }
      if (at === remembered) {
        batches.end()
        this.history.begin(at, group.at)
      }
      if (at <= remembered) continue
      const told = group.changes.some(([, { 0: kind }]) => isTold(kind))
      // A change replaces about as much as it has.
      this.history.add({ position: at, at: group.at, text, size: 2 * text.length, told })
      this.history.settle(true)
    }
    this.history.cover(this.#now())
  }

  bound(): void {
    this.#host.worlds.bound()
  }

  redo(change: Change): Change {
    if (change.again !== undefined) return change.again()
    const { worlds, weather } = this.#host
    const [name, effect] = JSON.parse(change.text) as NamedEffect
    const world = worlds.peek(name)
    if (effect[0] === 'weather') {
      const before = weather.restore(world, [effect[1], effect[2]])
      return { ...change, undo: () => void weather.restore(worlds.peek(name), before) }
    }
    const course = world?.clock.course ?? null
    this.#worlds.apply(name, effect)
    if (effect[0] === 'ordinal') {
      return { ...change, undo: () => worlds.peek(name)?.apply(['ordinal', effect[1], -effect[2]]) }
    }
    if (effect[0] === 'clock') return { ...change, undo: () => worlds.peek(name)?.apply(['clock', course]) }
    const replaces = effect[0] === 'deleted' || effect[0] === 'reset' || effect[0] === 'put'
    return replaces ? { ...change, undo: () => this.#worlds.place(name, world) } : change
  }

  appended(groups: readonly Group[], texts: readonly string[], first: number): void {
    for (const [i, { at, changes }] of groups.entries()) {
      const text = texts[i] as string
      let size = text.length
      let told = false
      for (const { replaced, kind } of changes) {
        size += replaced ?? 0
        told ||= isTold(kind)
      }
      this.history.add({ position: first + i, at, text, size, told })
    }
    this.history.settle(this.#turns?.pending.hasAside === false)
  }

  // --- rewinding -----------------------------------------------------------------------------------------------------

  #copy(world: World): WorldCopy {
    const { weather, answers } = this.#host
    const own = weather.dump([world]).find(([name]) => name === world.name)
    return {
      world: world.fork(),
      ordinals: [...world.ordinals],
      kept: [...world.lasting()],
      weather: own === undefined ? [null, null] : [own[1], own[2]],
      answers: answers
        .dump([world])
        .flatMap(([name, id, state]) => (name === world.name ? [[id, state] as const] : [])),
    }
  }

  /**
   * Takes a world back: builds it anew from the last copy before a position and the entries after that. This is a change
   * itself. Returns how many entries were taken back; `undefined` where the history does not reach back so far.
   *
   * @param into the world that is put there; another one is a fork
   */
  rewind(name: string, position: number, into = name): number | undefined {
    const found = this.history.before(name, position)
    if (found === undefined) return undefined
    const { worlds, weather, answers } = this.#host
    const from = found.copy.get(name)
    let world = from?.world.fork()
    world?.resume(from?.ordinals ?? [])
    for (const [kind, place, key, value] of from?.kept ?? [])
      world?.apply(['kept', kind as KeptKind, place, key, value])
    let order: StandingOrder = from?.weather ?? [null, null]
    const given = new Map(from?.answers)
    for (const effect of found.entries.flatMap(({ effects }) => effects)) {
      if (effect[0] === 'weather') order = [effect[1], effect[2]]
      else if (effect[0] === 'answer') {
        if (effect[2] === null) given.delete(effect[1])
        else given.set(effect[1], effect[2])
      } else {
        const next = this.#worlds.quietly(() => this.#worlds.next(world, name, effect))
        if (next === world) continue
        world = next
        order = [null, null]
        given.clear()
      }
    }
    const undone = this.history.of(name).filter(entry => entry.position > position).length
    if (world === undefined) worlds.delete(into)
    else {
      const restored = restoreState(worlds.blank(into), stateOfWorld(world, this.seeds), this.seeds)
      restored.copied = true
      worlds.put(restored)
      if (order[0] !== null) {
        weather.restore(restored, order)
        this.#recordWeather(into, ...order, [null, null])
      }
      for (const [id, state] of given) {
        answers.restore(restored, id, state)
        this.#recordAnswer(into, id, state, null)
      }
    }
    return undone
  }

  /** Resets a collection of a world to the seeds of the current configuration. */
  reseed(world: World, collection: string): void {
    const digest = this.seeds.origin[collection]
    if (digest === undefined) return
    const before = world.collection(collection)
    this.#worlds.beginFromSeeds(world, collection, digest)
    this.#record(world.name, ['reseed', collection, digest], () => world.replace(collection, before))
  }

  // --- all at once ---------------------------------------------------------------------------------------------------

  /** Takes everything as it is when this is called, and writes it in slices. */
  snapshot(): Promise<string> {
    const { weather, answers } = this.#host
    const worlds = this.#host.worlds.list()
    const seeds = this.seeds.dump(worlds.map(({ origin }) => origin))
    for (const [name, digest] of seeds) this.seeds.log(name, digest)
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
