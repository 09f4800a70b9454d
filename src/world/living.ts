// A collection whose records live by a clock. A timed edge fires at its own moment, in order, when somebody looks next:
// nothing waits for it.

import type { JsonObject } from '../kernel/json.ts'
import { compareIds } from './arrange.ts'
import type { Clock } from './clock.ts'
import type { Collection, CollectionOptions, Dump, Entry, Id, Page, Query } from './collection.ts'
import { draw } from './draws.ts'
import {
  type CollectionEffect,
  type CollectionState,
  idOf,
  type PortableTimer,
  portableId,
  type Recorder,
  worldChange,
} from './effects.ts'
import type { MemoryCollection } from './memory.ts'
import { RecordedPlace } from './recorded-place.ts'
import type { DumpedTimer, Edge, RecordStates } from './states.ts'
import { Tree } from './tree.ts'

/** When a record goes on by itself: it entered `state` as its `entry`-th state, and `edge` fires at `due`. */
interface Timer {
  readonly due: number
  readonly id: Id
  readonly state: string
  readonly entry: number
  readonly edge: Edge | undefined
}

/** No more edges of one collection fire at one look: a circle of short edges, seen a year later, would never end. */
const MOST_FIRINGS = 100_000

/** Every look at it first brings it up to the clock's time. */
export class LivingCollection implements Collection {
  /** The records without their life. */
  readonly records: MemoryCollection
  readonly #seed: number
  #states: RecordStates
  #name: string
  #clock: Clock | undefined
  /** When the world of this collection began: the first states of its seeds began then. */
  #began: number | undefined
  /** By record; `undefined` until the collection is first looked at. */
  #timers: Tree<Id, Timer> | undefined
  #recorder: Recorder | undefined
  #place = new RecordedPlace('', '')
  /** The timers that will fire, in the order in which they do. */
  #due: Tree<Timer, undefined> | undefined

  constructor(records: MemoryCollection, states: RecordStates, { name, seed }: CollectionOptions) {
    this.records = records
    this.#states = states
    this.#name = name
    this.#seed = seed
  }

  /** Lives by this clock from now on. */
  follow(clock: Clock): void {
    this.#began ??= clock.now()
    this.#clock = clock
  }

  begin(at = this.#clock?.now()): void {
    this.#began = at
  }

  record(recorder: Recorder | undefined, place = this.#place): void {
    this.records.record(recorder, place)
    this.#recorder = recorder
    this.#place = place
  }

  apply(effect: CollectionEffect): CollectionEffect {
    if (effect[0] === 'row') return this.records.apply(effect)
    if (effect[0] === 'timer') {
      if (this.#timers === undefined) this.#begin()
      const [, portable, timer] = effect
      const id = idOf(portable)
      const inverse: CollectionEffect = ['timer', portable, portableTimer(this.#timers?.get(id))]
      this.#forget(id)
      if (timer !== null) this.#schedule(this.#timerOf(id, timer))
      return inverse
    }
    const before = this.fork()
    this.become(effect[1]())
    return ['all', () => before.state()]
  }

  state(base?: Collection): CollectionState {
    const timers = [...(this.#timers?.values() ?? [])].map(
      timer => [portableId(timer.id), portableTimer(timer) as PortableTimer] as const,
    )
    const records = this.records.state(base instanceof LivingCollection ? base.records : base)
    return this.#timers === undefined ? records : { ...records, timers }
  }

  become(state: CollectionState): void {
    this.records.become(state)
    this.#timers = undefined
    this.#due = undefined
    if (state.timers === undefined) return
    this.#timers = new Tree<Id, Timer>(undefined, compareIds)
    this.#due = new Tree<Timer, undefined>(undefined, byDue)
    for (const [id, timer] of state.timers) this.#schedule(this.#timerOf(idOf(id), timer))
  }

  #timerOf(id: Id, [state, entry, due, to]: PortableTimer): Timer {
    const edge = to === null ? undefined : this.#states.from.get(state)?.find(one => one.to === to)
    return { id, state, entry, due: due ?? Number.POSITIVE_INFINITY, edge }
  }

  #tell(id: Id, before: Timer | undefined): void {
    const portable = portableId(id)
    const after = portableTimer(this.#timers?.get(id))
    this.#record(['timer', portable, after], ['timer', portable, portableTimer(before)])
  }

  #record(effect: CollectionEffect, inverse: CollectionEffect): void {
    const { world, collection } = this.#place
    this.#recorder?.record(worldChange(world, ['in', collection, effect], ['in', collection, inverse]))
  }

  get touched(): boolean {
    return this.records.touched
  }

  get size(): number {
    this.#live()
    return this.records.size
  }

  get bytes(): number {
    return this.records.bytes
  }

  list(query: Query): Promise<Page> {
    this.#live()
    return this.records.list(query)
  }

  async read(id: Id): Promise<Entry | undefined> {
    this.#live()
    return this.records.peek(id)
  }

  async create<Refusal = never>(
    fields: JsonObject,
    refuse?: (record: JsonObject) => Refusal | undefined,
  ): Promise<Entry | 'exists' | Refusal> {
    this.#live()
    const made = await this.records.create(fields, refuse)
    if (isEntry(made)) this.#enter(made.id)
    return made
  }

  async replace(id: Id, fields: JsonObject, revision?: number): Promise<Entry | 'missing' | 'stale'> {
    this.#live()
    const made = await this.records.replace(id, fields, revision)
    this.#enter(id)
    return made
  }

  async remove(id: Id, revision?: number): Promise<'removed' | 'missing' | 'stale'> {
    this.#live()
    const removed = await this.records.remove(id, revision)
    this.#enter(id)
    return removed
  }

  async put(id: Id, fields: JsonObject): Promise<{ entry: Entry; created: boolean }> {
    this.#live()
    const put = await this.records.put(id, fields)
    this.#enter(id)
    return put
  }

  async dump(): Promise<Dump> {
    this.#live()
    const timers = [...(this.#timers?.values() ?? [])].map(
      ({ id, state, entry, due, edge }): DumpedTimer =>
        edge === undefined ? { id, state, entry } : { id, state, entry, due, to: edge.to },
    )
    return { ...(await this.records.dump()), timers }
  }

  upcoming(limit: number): DumpedTimer[] {
    this.#live()
    const timers: DumpedTimer[] = []
    for (const { id, state, entry, due, edge } of this.#due?.keys() ?? []) {
      if (timers.length === limit) break
      timers.push({ id, state, entry, due, ...(edge === undefined ? {} : { to: edge.to }) })
    }
    return timers
  }

  async load(dump: Dump): Promise<void> {
    const recorder = this.#recorder
    const before = recorder && this.fork()
    // The records and their timers are one change.
    this.records.record(undefined)
    await this.records.load(dump)
    this.records.record(recorder)
    this.#loadTimers(dump)
    if (recorder === undefined || before === undefined) return
    const after = this.fork()
    this.#record(['all', () => after.state()], ['all', () => before.state()])
  }

  #loadTimers(dump: Dump): void {
    this.#begin()
    for (const { id, state, entry, due, to } of dump.timers ?? []) {
      if (this.#stateOf(id) !== state) continue
      const edge = this.#states.from.get(state)?.find(one => one.to === to)
      this.#forget(id)
      this.#schedule({ id, state, entry, due: due ?? 0, edge })
    }
  }

  fork(): LivingCollection {
    const copy = new LivingCollection(this.records.fork(), this.#states, {
      name: this.#name,
      seed: this.#seed,
    } as never)
    copy.#began = this.#began
    copy.#timers = this.#timers?.clone()
    copy.#due = this.#due?.clone()
    return copy
  }

  adapt(options: CollectionOptions): void {
    this.records.adapt(options)
    this.#name = options.name
    if (options.states === undefined || options.states === this.#states) return
    // Timers that run go on running; a record in a state of the new configuration begins it when it is next written.
    this.#states = options.states
  }

  /** Fires, in their order, all edges that are due. */
  #live(): void {
    const now = this.#clock?.now() ?? 0
    if (this.#timers === undefined) this.#begin()
    const due = this.#due as Tree<Timer, undefined>
    for (let fired = 0; fired < MOST_FIRINGS; fired++) {
      const next = due.minKey()
      if (next === undefined || next.due > now) return
      this.#fire(next)
    }
  }

  #fire(timer: Timer): void {
    const { id, due, entry, edge } = timer
    this.#forget(id)
    const record = this.records.peek(id)
    if (record === undefined || edge === undefined) return
    const set = edge.set?.(due, this.#share(id, entry, `set ${edge.to}`))
    const value = { ...record.value, ...set, [this.#states.field]: edge.to }
    this.records.force(id, value)
    this.#schedule(this.#timer(id, edge.to, entry + 1, due))
    if (this.#recorder !== undefined) this.#tell(id, timer)
  }

  /** Begins the states of all records, as the world began. */
  #begin(): void {
    this.#timers = new Tree<Id, Timer>(undefined, compareIds)
    this.#due = new Tree<Timer, undefined>(undefined, byDue)
    for (const { id } of this.records.entries()) {
      const state = this.#stateOf(id)
      if (state !== undefined) this.#schedule(this.#timer(id, state, 1, this.#began ?? 0))
    }
  }

  /** Sees to the timer of a record that may have been written: a record that stays in its state keeps it. */
  #enter(id: Id): void {
    const state = this.#stateOf(id)
    const known = this.#timers?.get(id)
    if (known !== undefined && known.state === state) return
    this.#forget(id)
    if (state !== undefined) this.#schedule(this.#timer(id, state, (known?.entry ?? 0) + 1, this.#clock?.now() ?? 0))
    if (this.#recorder !== undefined && (known !== undefined || state !== undefined)) this.#tell(id, known)
  }

  /** The edge that fires first, if any does. */
  #timer(id: Id, state: string, entry: number, since: number): Timer {
    let due = Number.POSITIVE_INFINITY
    let first: Edge | undefined
    for (const edge of this.#states.from.get(state) ?? []) {
      if (edge.after === undefined) continue
      const at = since + Math.max(1, Math.round(edge.after(this.#share(id, entry, `after ${edge.to}`))))
      if (at < due) [due, first] = [at, edge]
    }
    return { id, state, entry, due, edge: first }
  }

  #schedule(timer: Timer): void {
    this.#timers?.set(timer.id, timer)
    if (timer.edge !== undefined) this.#due?.set(timer, undefined)
  }

  #forget(id: Id): void {
    const timer = this.#timers?.get(id)
    if (timer === undefined) return
    this.#timers?.delete(id)
    this.#due?.delete(timer)
  }

  #stateOf(id: Id): string | undefined {
    const state = this.records.peek(id)?.value[this.#states.field]
    return typeof state === 'string' ? state : undefined
  }

  /** The record's own number: the same seed gives a record the same life. */
  #share(id: Id, entry: number, purpose: string): number {
    return draw(this.#seed, `${this.#name}/${id}`, entry, purpose)
  }
}

const isEntry = (made: unknown): made is Entry => typeof made === 'object' && made !== null && 'revision' in made

const portableTimer = (timer: Timer | undefined): PortableTimer | null =>
  timer === undefined
    ? null
    : [timer.state, timer.entry, timer.edge === undefined ? null : timer.due, timer.edge?.to ?? null]

const byDue = (a: Timer, b: Timer): number => a.due - b.due || compareIds(a.id, b.id)
