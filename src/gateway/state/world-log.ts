// The worlds as the state of a log: records their changes, applies the changes of others, and writes snapshots.

import type { News } from '../../state/engine.ts'
import type { Recorder, WorldChange } from '../../world/effects.ts'
import type { Turns } from '../../world/turns.ts'
import type { World } from '../../world/world.ts'
import type { WorldsKeeper } from '../worlds/worlds.ts'
import { type Change, changeOf, type Effect, type Group } from './changes.ts'
import { beginFromSeeds, doEffect, putting } from './do-effect.ts'
import { readGroups } from './entry-text.ts'
import { History, MOST_ENTRIES } from './history.ts'
import { RecordBatches } from './record-batches.ts'
import { isIdle, reverse } from './rewind.ts'
import { SeedStore } from './seed-store.ts'
import { loadSnapshot, takeSnapshot } from './snapshot.ts'
import type { Subjects } from './subjects.ts'
import type { ChangeRecorder, Memory } from './turns.ts'

export class WorldLog implements Memory, WorldsKeeper, Recorder {
  readonly history = new History()
  readonly seeds = new SeedStore()
  readonly #subjects: Subjects
  #recording: ChangeRecorder | undefined
  #turns: Turns | undefined
  /** Whether changes are those of the log itself. */
  #applying = false

  constructor(subjects: Subjects) {
    this.#subjects = subjects
    subjects.worlds.keepBy(this)
  }

  /** Records from now on; the worlds that there are, too. */
  attach(turns: Turns, recording: ChangeRecorder): void {
    this.#turns = turns
    this.#recording = recording
    this.history.cover(this.#subjects.now())
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
      if (!this.seeds.log(name, digest)) continue
      const base = this.seeds.base(name, digest)
      if (base !== undefined) this.#record(name, ['seeds', digest, base.state()], undefined)
    }
  }

  // --- recording changes ---------------------------------------------------------------------------------------------

  placed(world: World, before: World | undefined): void {
    if (this.#recording === undefined) return
    const { name } = world
    const inverse: Effect | undefined = before === undefined ? ['deleted'] : putting(this.seeds, before)
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
    // Never undone, since the request that named it is using it.
    this.#recording.recordAside(changeOf(world.name, ['made', world.began, world.origin], undefined))
  }

  #placing(world: World, before: World | undefined): Effect {
    const pristine = !world.touched && world.ordinals.size === 0 && [...world.lasting()].length === 0
    // A copy of another world begins with its time, and with its records, which may be untouched as a copy.
    if (!pristine || world.copied) return putting(this.seeds, world)
    return [before === undefined ? 'made' : 'reset', world.began, world.origin]
  }

  removed(world: World): void {
    const inverse = putting(this.seeds, world)
    world.record(undefined)
    world.turns = undefined
    // An eviction belongs to no request: it also happens for others.
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

  // --- applying the log ----------------------------------------------------------------------------------------------

  async apply({ anew, entries, position }: News): Promise<void> {
    // An entry that cannot be read must not leave the state between two entries. The whole log is read at the start only.
    const groups = entries.length > MOST_ENTRIES ? readGroups(entries) : [...readGroups(entries)]
    if (anew !== undefined) {
      // A request may have changed the log that was lost: its position would mean another change in this one.
      if (this.#recording !== undefined) this.#subjects.forgetPositions()
      if (anew.snapshot !== undefined) this.load(anew.snapshot, position.at - entries.length)
      else {
        this.history.clear(position.at - entries.length)
        if (entries.length === 0) this.#subjects.lost()
      }
    }
    let at = position.at - entries.length
    // Older entries would be forgotten at once.
    const remembered = position.at - MOST_ENTRIES
    const batches = new RecordBatches(this.#subjects.worlds)
    for (const group of groups) {
      at += 1
      const changes: Change[] = []
      if (at === remembered) this.history.clear(at, group.at)
      if (at === remembered + 1) batches.end()
      for (const [world, effect] of group.changes) {
        if (at <= remembered && batches.add(world, effect)) continue
        // A process that starts serves its file.
        if (effect[0] === 'config') await (this.#recording && this.#subjects.configure(effect[1]))
        else {
          const inverse = this.#do(world, effect)
          if (at > remembered) changes.push(changeOf(world, effect, inverse))
        }
      }
      if (at > remembered) this.history.add({ position: at, at: group.at, by: group.by, changes })
    }
    this.history.cover(this.#subjects.now())
  }

  change({ world }: { readonly world: string }, effect: Effect): void {
    this.#do(world, effect)
  }

  appended(groups: readonly Group[]): void {
    for (const group of groups) this.history.add(group)
  }

  /**
   * Takes a world back: reverses its changes after a position, as far as they show. That is a change itself, which can be
   * reversed, too. Returns how many entries were reversed; `undefined` where the history does not reach back so far.
   */
  rewind(world: string, position: number): number | undefined {
    if (position < this.history.reach) return undefined
    const entries = this.history.of(world).filter(entry => entry.position > position)
    reverse(this.#subjects, world, entries, effect => this.#redo(world, effect))
    return entries.length
  }

  /** Does an effect and, if it changed something, records it as a change like any other. */
  #redo(world: string, effect: Effect): void {
    const inverse = this.#do(world, effect)
    if (!isIdle(effect, inverse)) this.#record(world, effect, inverse)
  }

  #do(name: string, effect: Effect): Effect | undefined {
    return this.#quietly(() => doEffect(this.#subjects, this.seeds, name, effect))
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

  /** Resets a collection of a world to the seeds of the current configuration. */
  reseed(world: World, collection: string): void {
    const digest = this.seeds.origin[collection]
    if (digest === undefined) return
    beginFromSeeds(world, this.seeds, collection, digest)
    this.#record(world.name, ['reseed', collection, digest], undefined)
  }

  // --- all at once ---------------------------------------------------------------------------------------------------

  /** Takes everything as it is when this is called, and writes it in slices. */
  snapshot(): Promise<string> {
    return takeSnapshot(this.#subjects, this.seeds)
  }

  /** Loads a snapshot. @param position its position in the log */
  load(text: string, position: number): void {
    this.#quietly(() => {
      this.history.clear(position)
      loadSnapshot(text, this.#subjects, this.seeds)
    })
  }
}
