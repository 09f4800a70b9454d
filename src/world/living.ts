// A collection whose records have timed states. Due edges fire in order at the next access, each with its own time;
// no timer runs.

import type { JsonObject } from '../kernel/json.ts'
import type { Clock } from './clock.ts'
import type { Collection, CollectionOptions, Dump, Entry, Id, Page, Query } from './collection.ts'
import {
  type CollectionEffect,
  type CollectionState,
  idOf,
  type PortableId,
  portableId,
  type Recorder,
  type RowEffect,
  worldChange,
} from './effects.ts'
import { Lives, portableTimer, type Timer } from './lives.ts'
import type { MemoryCollection } from './memory.ts'
import { RecordedPlace } from './recorded-place.ts'
import type { DumpedTimer, RecordStates } from './states.ts'

/** Every look at it first brings it up to the clock's time. */
export class LivingCollection implements Collection {
  /** The records without their life. */
  readonly records: MemoryCollection
  readonly #lives: Lives
  #recorder: Recorder | undefined
  #place = new RecordedPlace('', '')

  constructor(
    records: MemoryCollection,
    states: RecordStates,
    options: Pick<CollectionOptions, 'name' | 'seed'>,
    lives = new Lives(records, states, options),
  ) {
    this.records = records
    this.#lives = lives
  }

  /** Uses this clock from now on. */
  follow(clock: Clock): void {
    this.#lives.follow(clock)
  }

  begin(at?: number): void {
    this.#lives.began(at)
  }

  record(recorder: Recorder | undefined, place = this.#place): void {
    this.records.record(recorder, place)
    this.#recorder = recorder
    this.#place = place
    this.#lives.tell =
      recorder && ((id, after, before) => this.#record(timerEffect(id, after), timerEffect(id, before)))
  }

  apply(effect: CollectionEffect): CollectionEffect {
    if (effect[0] === 'row' || effect[0] === 'rows') return this.records.apply(effect)
    if (effect[0] === 'timer') {
      const [, portable, timer] = effect
      const id = idOf(portable)
      return timerEffect(id, this.#lives.set(id, timer))
    }
    const before = this.fork()
    this.become(effect[1]())
    return ['all', () => before.state()]
  }

  rowAt(id: PortableId): RowEffect {
    return this.records.rowAt(id)
  }

  state(base?: Collection): CollectionState {
    const timers = this.#lives.state()
    const records = this.records.state(base instanceof LivingCollection ? base.records : base)
    return timers === undefined ? records : { ...records, timers }
  }

  become(state: CollectionState): void {
    this.records.become(state)
    this.#lives.become(state.timers)
  }

  #record(effect: CollectionEffect, inverse: CollectionEffect): void {
    const { world, collection } = this.#place
    this.#recorder?.record(worldChange(world, ['in', collection, effect], ['in', collection, inverse]))
  }

  get touched(): boolean {
    return this.records.touched
  }

  get size(): number {
    this.#lives.live()
    return this.records.size
  }

  get bytes(): number {
    return this.records.bytes
  }

  list(query: Query): Promise<Page> {
    this.#lives.live()
    return this.records.list(query)
  }

  async read(id: Id): Promise<Entry | undefined> {
    this.#lives.live()
    return this.records.peek(id)
  }

  async create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
  ): Promise<Entry | 'exists' | Refusal> {
    this.#lives.live()
    const made = await this.records.create(fields, refuse)
    if (isEntry(made)) this.#lives.enter(made.id)
    return made
  }

  async replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'> {
    this.#lives.live()
    const made = await this.records.replace(id, fields, revision)
    this.#lives.enter(id)
    return made
  }

  async remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'> {
    this.#lives.live()
    const removed = await this.records.remove(id, revision)
    this.#lives.enter(id)
    return removed
  }

  async put(id: Id, fields: JsonObject): Promise<{ entry: Entry; created: boolean }> {
    this.#lives.live()
    const put = await this.records.put(id, fields)
    this.#lives.enter(id)
    return put
  }

  async dump(): Promise<Dump> {
    this.#lives.live()
    const timers = this.#lives.dump()
    return { ...(await this.records.dump()), timers }
  }

  upcoming(limit: number): DumpedTimer[] {
    this.#lives.live()
    return this.#lives.upcoming(limit)
  }

  async load(dump: Dump): Promise<void> {
    const recorder = this.#recorder
    const before = recorder && this.fork()
    // The records and their timers are one change.
    this.records.record(undefined)
    await this.records.load(dump)
    this.records.record(recorder)
    this.#lives.load(dump.timers)
    if (recorder === undefined || before === undefined) return
    const after = this.fork()
    this.#record(['all', () => after.state()], ['all', () => before.state()])
  }

  fork(): LivingCollection {
    const records = this.records.fork()
    const lives = this.#lives
    return new LivingCollection(records, lives.states, lives, lives.fork(records))
  }

  adapt(options: CollectionOptions): void {
    this.records.adapt(options)
    this.#lives.adapt(options)
  }
}

const isEntry = (made: unknown): made is Entry => typeof made === 'object' && made !== null && 'revision' in made

const timerEffect = (id: Id, timer: Timer | undefined): CollectionEffect => [
  'timer',
  portableId(id),
  portableTimer(timer),
]
