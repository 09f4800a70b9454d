// The changes of worlds that are not in the log yet.

import type { Change, Counting, Recorder } from './changes.ts'

/** The changes of one piece of work: one entry of the log. */
export interface Group {
  /** Milliseconds since the epoch, by real time. */
  readonly at: number
  /** The request that made them; empty for changes without a request. */
  readonly by: string
  readonly changes: readonly Change[]
}

/** Kinds that may be done again after the changes of others: they add, or set a complete value. */
const REPEATABLE = new Set(['ordinal', 'made', 'deleted', 'seen', 'seeds', 'clock', 'reset', 'put', 'weather'])

/** Kinds that belong to no piece of work, whichever runs: they are done once, even if the work runs twice. */
const APART = new Set(['seen', 'seeds'])

/** Gathers the changes of worlds until they are appended: by the piece of work that made them, so that it can run again. */
export class Recording implements Recorder {
  /** Every change since the last append, in order; without counts that were not taken. */
  #all: Change[] = []
  #groups: Group[] = []
  /** Changes of no piece of work. */
  #aside: Change[] = []
  #current: Change[] | undefined
  #urgent = false
  /** The worlds that counted requests since their counts were taken. */
  #counting: Counting[] = []

  /** Whether something changed since the last append that a reply must wait for. */
  get changed(): boolean {
    return this.#groups.length > 0 || this.#urgent
  }

  /** Whether something changed outside of work. */
  get hasAside(): boolean {
    return this.#aside.length > 0 || this.#counting.length > 0
  }

  record(change: Change): void {
    this.#all.push(change)
    if (this.#current === undefined || APART.has(change.kind)) this.#aside.push(change)
    else this.#current.push(change)
  }

  /** Records a change of no piece of work, whichever runs. Replies wait until a new sandbox is appended. */
  recordAside(change: Change): void {
    this.#all.push(change)
    this.#aside.push(change)
    this.#urgent ||= change.kind === 'made'
  }

  counts(world: Counting): void {
    this.#counting.push(world)
  }

  begin(): void {
    this.#current = []
  }

  /** Ends a piece of work. Returns its changes; `undefined` if there are none. */
  end(by: string, now: () => number): Group | undefined {
    const changes = this.#current
    this.#current = undefined
    if (changes === undefined || changes.length === 0) return undefined
    const group = { at: now(), by, changes }
    this.#groups.push(group)
    return group
  }

  /**
   * Returns everything that was recorded, to be appended; it stays recorded until `clear` or `undo`. Counts are in the last
   * group, so that a request which changes something is one entry.
   */
  take(at: number): readonly Group[] {
    this.#takeCounts()
    const groups = this.#groups
    const last = groups.at(-1)
    if (last === undefined) return [{ at, by: '', changes: this.#aside }]
    const counts = this.#aside.filter(({ kind }) => kind === 'ordinal')
    const others = counts.length === this.#aside.length ? NONE : this.#aside.filter(({ kind }) => kind !== 'ordinal')
    if (counts.length > 0) (last.changes as Change[]).push(...counts)
    return others.length === 0 ? groups : [{ at, by: '', changes: others }, ...groups]
  }

  #takeCounts(): void {
    for (const world of this.#counting.splice(0)) {
      for (const change of world.takeCounts()) {
        this.#all.push(change)
        this.#aside.push(change)
      }
    }
  }

  clear(): void {
    this.#all = []
    this.#groups = []
    this.#aside = []
    this.#urgent = false
  }

  /** Undoes and forgets everything, the latest change first. Returns the changes that belong to no work, to be done again. */
  undo(): readonly Change[] {
    this.#takeCounts()
    const aside = this.#aside.filter(({ kind }) => REPEATABLE.has(kind))
    for (const change of this.#all.reverse()) change.undo()
    this.clear()
    return aside
  }
}

const NONE: readonly Change[] = []
