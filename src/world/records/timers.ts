// The timers of a collection's records: when each leaves its state by itself, and by which edge. They are due at the next access to
// the collection, by the clock of the world, which may be moved: `setTimeout` would not follow it, and a fork would copy each.
// A state computed at each read would leave the index of a filtered list wrong.

import type { JsonObject } from '../../kernel/json.ts'
import type { Clock } from '../clock.ts'
import { draw } from '../draws.ts'
import { Tree } from './rows.ts'
import type { DumpedTimer, Edge, Entry, Id, RecordStates } from './types.ts'
import { compareIds, isDeleted, take } from './values.ts'

/** The timer of a record: it entered `state` as its `entry`-th state, and `edge` fires at `due`. */
interface Timer {
  readonly due: number
  readonly id: Id
  readonly state: string
  readonly entry: number
  readonly edge: Edge | undefined
}

/** No more edges of one collection fire at one look: a circle of short edges, seen a year later, would never end. */
const MOST_FIRINGS = 100_000

/** The records that have timers. */
interface Timed {
  peek(id: Id): Entry | undefined
  entries(): Iterable<Entry>
  force(id: Id, fields: JsonObject, moment: number): void
}

/** The collection that draws belong to. */
interface DrawSource {
  readonly name: string
  readonly seed: number
}

export class Timers {
  readonly #records: Timed
  readonly seed: number
  name: string
  #states: RecordStates
  #clock: Clock | undefined
  /** When the world of this collection began: the first states of its seeds began then. */
  #began: number | undefined
  /** By record; `undefined` until the collection is first looked at. */
  #timers: Tree<Id, Timer> | undefined
  /** The timers that will fire, in the order in which they do. */
  #due: Tree<Timer, undefined> | undefined
  /** Is notified of every timer that changes by itself or by a write. */
  tell: ((id: Id, after: DumpedTimer | undefined, before: DumpedTimer | undefined) => void) | undefined

  constructor(records: Timed, states: RecordStates, { name, seed }: DrawSource) {
    this.#records = records
    this.#states = states
    this.name = name
    this.seed = seed
  }

  /** Uses this clock from now on. */
  follow(clock: Clock): void {
    this.#began ??= clock.now()
    this.#clock = clock
  }

  /** Has the first states of the seeds begin at a moment, which defaults to now. */
  began(at = this.#clock?.now()): void {
    this.#began = at
  }

  /** Sets the timer of a record, or removes it. */
  set(id: Id, timer: DumpedTimer | undefined): void {
    if (this.#timers === undefined) this.#begin()
    this.#forget(id)
    if (timer !== undefined) this.#schedule(this.#timerOf(timer))
  }

  /** The timers as values; `undefined` until the collection is first looked at. */
  state(): readonly DumpedTimer[] | undefined {
    return this.#timers?.valuesArray().map(dumpOfTimer)
  }

  /** Has these timers, and no others. */
  become(timers: readonly DumpedTimer[] | undefined): void {
    this.#timers = undefined
    this.#due = undefined
    if (timers === undefined) return
    this.#clear()
    for (const timer of timers) this.#schedule(this.#timerOf(timer))
  }

  #timerOf({ id, state, entry, due = Number.POSITIVE_INFINITY, to }: DumpedTimer): Timer {
    const edge = this.#states.from.get(state)?.find(candidate => candidate.to === to)
    return { id, state, entry, due, edge }
  }

  dump(): readonly DumpedTimer[] {
    return this.state() ?? []
  }

  /** The timers that fire next, the first one first. */
  upcoming(limit: number): DumpedTimer[] {
    return [...take(this.#due?.keys() ?? [], limit)].map(dumpOfTimer)
  }

  /** Starts the timers of all records again, except those with a timer in the dump. */
  load(timers: readonly DumpedTimer[] = []): void {
    this.#begin()
    for (const timer of timers) {
      if (this.#stateOf(timer.id) === timer.state) this.set(timer.id, { ...timer, due: timer.due ?? 0 })
    }
  }

  /** Returns the same timers for a fork of the records. */
  fork(records: Timed): Timers {
    const copy = new Timers(records, this.#states, this)
    copy.#began = this.#began
    copy.#timers = this.#timers?.clone()
    copy.#due = this.#due?.clone()
    return copy
  }

  /** Running timers continue; a record in a state of the new configuration starts its timer at its next write. */
  adapt(states: RecordStates, { name }: DrawSource): void {
    this.name = name
    this.#states = states
  }

  /** Fires, in their order, all edges that are due. */
  fireDue(): void {
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
    const record = this.#records.peek(id)
    if (record === undefined || edge === undefined) return
    const set = edge.set?.(due, this.#share(id, entry, `set ${edge.to}`))
    const value = { ...record.value, ...set, [this.#states.field]: edge.to }
    this.#records.force(id, value, due)
    this.#schedule(this.#timer(id, edge.to, entry + 1, due))
    this.#tell(id, timer)
  }

  /** Begins the states of all records, as the world began. */
  #begin(): void {
    this.#clear()
    for (const { id } of this.#records.entries()) {
      const state = this.#stateOf(id)
      if (state !== undefined) this.#schedule(this.#timer(id, state, 1, this.#began ?? 0))
    }
  }

  #clear(): void {
    this.#timers = new Tree<Id, Timer>(undefined, compareIds)
    this.#due = new Tree<Timer, undefined>(undefined, byDue)
  }

  /** Sees to the timer of a record that may have been written: a record that stays in its state keeps it. */
  enter(id: Id): void {
    const state = this.#stateOf(id)
    const before = this.#timers?.get(id)
    if (before !== undefined && before.state === state) return
    this.#forget(id)
    if (state !== undefined) this.#schedule(this.#timer(id, state, (before?.entry ?? 0) + 1, this.#clock?.now() ?? 0))
    if (before !== undefined || state !== undefined) this.#tell(id, before)
  }

  #tell(id: Id, before: Timer | undefined): void {
    if (this.tell === undefined) return
    const after = this.#timers?.get(id)
    this.tell(id, after && dumpOfTimer(after), before && dumpOfTimer(before))
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
    const { value } = this.#records.peek(id) ?? NOTHING
    const state = value[this.#states.field]
    return typeof state === 'string' && !isDeleted(value) ? state : undefined
  }

  /** The record's own number: the same seed gives a record the same life. */
  #share(id: Id, entry: number, purpose: string): number {
    return draw(this.seed, `${this.name}/${id}`, entry, purpose)
  }
}

const NOTHING: { readonly value: JsonObject } = { value: {} }

const dumpOfTimer = ({ id, state, entry, due, edge }: Timer): DumpedTimer =>
  edge === undefined ? { id, state, entry } : { id, state, entry, due, to: edge.to }

const byDue = (a: Timer, b: Timer): number => a.due - b.due || compareIds(a.id, b.id)
