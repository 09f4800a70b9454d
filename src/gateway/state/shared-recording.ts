// Gathers the changes of worlds for a log that several processes append to: by the piece of work that made them, so that it
// can run again.

import type { WorldChange } from '../../world/effects.ts'
import { type Change, type Effect, type Group, merged } from './changes.ts'
import type { ChangeRecorder, Counting } from './turns.ts'

/** Kinds that may be applied again after the changes of others: they add, or set a complete value. */
const REPEATABLE = new Set(['ordinal', 'made', 'deleted', 'seen', 'seeds', 'clock', 'reset', 'put', 'weather'])

/** Kinds that belong to no piece of work, whichever runs: they are done once, even if the work runs twice. */
const APART = new Set(['seen', 'seeds'])

export class SharedRecording implements ChangeRecorder {
  /** Every change since the last append, in order; without counts. */
  #all: Change[] = []
  #groups: Group[] = []
  /** Changes of no piece of work. */
  #aside: Change[] = []
  #current: Change[] | undefined
  #urgent = false
  /** The worlds that counted requests since the last append. */
  #counting: Counting[] = []

  /** Whether something changed since the last append that a reply must wait for. */
  get changed(): boolean {
    return this.#groups.length > 0 || this.#urgent
  }

  get hasAside(): boolean {
    return this.#aside.length > 0 || this.#counting.length > 0
  }

  record(change: Change): void {
    this.#all.push(change)
    if (this.#current === undefined || APART.has(change.kind)) this.#aside.push(change)
    else this.#current.push(change)
  }

  counts(world: Counting): void {
    this.#counting.push(world)
  }

  #takeCounts(): readonly WorldChange[] {
    const counting = this.#counting
    if (counting.length === 0) return []
    this.#counting = []
    return counting.length === 1 ? (counting[0] as Counting).takeCounts() : counting.flatMap(one => one.takeCounts())
  }

  recordAside(change: Change): void {
    this.#all.push(change)
    this.#aside.push(change)
    this.#urgent ||= change.kind === 'made'
  }

  begin(): void {
    this.#current = []
  }

  /** Ends a piece of work. Returns its changes; `undefined` if there are none. */
  end(by: string, now: () => number): Group | undefined {
    const changes = this.#current
    this.#current = undefined
    if (changes === undefined || changes.length === 0) return undefined
    const group = { position: 0, at: now(), by, changes }
    this.#groups.push(group)
    return group
  }

  /** Returns everything that was recorded, to be appended. Counts come first, as changes without a request. */
  take(at: number): readonly Group[] {
    const counts = this.#takeCounts()
    const aside = counts.length === 0 ? this.#aside : merged([...this.#aside, ...counts])
    const groups = aside.length === 0 ? this.#groups : [{ position: 0, at, by: '', changes: aside }, ...this.#groups]
    this.#clear()
    return groups
  }

  #clear(): void {
    this.#all = []
    this.#groups = []
    this.#aside = []
    this.#urgent = false
  }

  /** Takes back groups whose append failed, so that they can be reversed. */
  giveBack(groups: readonly Group[]): void {
    this.#all = [...groups.flatMap(({ changes }) => changes), ...this.#all]
    for (const group of groups) if (group.by === '') this.#aside = [...group.changes, ...this.#aside]
  }

  /** Forgets everything, the latest change first; returns those to be done again. */
  reverse(apply: (change: Change, effect: Effect) => void): readonly Change[] {
    const counts = this.#takeCounts()
    const aside = merged([...this.#aside.filter(({ kind }) => REPEATABLE.has(kind)), ...counts])
    for (const change of [...this.#all, ...counts].reverse()) {
      if (change.inverse !== undefined) apply(change, change.inverse)
    }
    this.#clear()
    return aside
  }
}
